'use client'
/** Rotates, revokes or resumes an API key. A rotated key is shown once. */
import { useRouter } from 'next/navigation'
import { Choice, Choices, Submit, useForm } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'
import { ActionButton, ConfirmButton } from '../_parts/dialog-button'
import { SecretDialog, SecretOnce } from '../_parts/secret-once'
import { type RotatedKey, resume, revoke, rotate } from './actions'

const copy = settingsCopy.keys
const OVERLAPS = ['0', '1h', '24h', '7d'] as const

type Props = { id: string; name: string }

export function RotateKey({ id, name }: Props) {
  const router = useRouter()
  return (
    <SecretDialog<RotatedKey>
      label={copy.rotate}
      accessibleName={copy.rotateNamed(name)}
      title={copy.rotateTitle(name)}
      description={copy.rotateHint}
      madeTitle={copy.secretTitle}
      form={(onMade) => <RotateForm id={id} onRotated={onMade} />}
      done={() => copy.rotated(name)}
      onClosed={() => router.refresh()}
    >
      {({ key, old }) => (
        <SecretOnce label={copy.secret} text={key}>
          {`${copy.secretHint} ${old}`}
        </SecretOnce>
      )}
    </SecretDialog>
  )
}

function RotateForm({ id, onRotated }: { id: string; onRotated: (rotated: RotatedKey) => void }) {
  const { props, errors, pending } = useForm(rotate, onRotated)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={id} />
      <Choices legend={copy.overlap} error={errors.overlap}>
        {OVERLAPS.map((overlap) => (
          <Choice key={overlap} type="radio" name="overlap" value={overlap} label={copy.overlaps[overlap]} checked={overlap === '24h'} />
        ))}
      </Choices>
      <Submit label={copy.rotateKey} pendingLabel={copy.rotating} pending={pending} errors={errors} />
    </form>
  )
}

export const RevokeKey = ({ id, name }: Props) => (
  <ConfirmButton
    label={copy.revoke}
    accessibleName={copy.revokeNamed(name)}
    title={copy.revokeTitle(name)}
    description={copy.revokeHint}
    yes={copy.revokeKey}
    done={copy.revoked(name)}
    work={() => revoke(id)}
  />
)

export const ResumeKey = ({ id, name }: Props) => (
  <ActionButton label={copy.resume} accessibleName={copy.resumeNamed(name)} work={async () => (await resume(id)) ?? copy.resumed(name)} />
)

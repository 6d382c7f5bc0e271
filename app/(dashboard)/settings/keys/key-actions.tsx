'use client'
/** Rotates, revokes or resumes an API key. A rotated key is shown once. */
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Choice, Choices, Submit, useForm } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'
import { useAnnounce } from '../_parts/announcer'
import { ActionButton, ConfirmButton, DialogButton } from '../_parts/dialog-button'
import { SecretOnce } from '../_parts/secret-once'
import { type RotatedKey, resume, revoke, rotate } from './actions'

const copy = settingsCopy.keys
const OVERLAPS = ['0', '1h', '24h', '7d'] as const

type Props = { id: string; name: string }

export function RotateKey({ id, name }: Props) {
  const [open, setOpen] = useState(false)
  const [rotated, setRotated] = useState<RotatedKey>()
  const announce = useAnnounce()
  const router = useRouter()

  function change(next: boolean) {
    setOpen(next)
    if (next) setRotated(undefined)
    else if (rotated) {
      announce(copy.rotated(name))
      router.refresh()
    }
  }

  return (
    <DialogButton
      label={copy.rotate}
      accessibleName={copy.rotateNamed(name)}
      title={rotated ? copy.secretTitle : copy.rotateTitle(name)}
      description={rotated ? undefined : copy.rotateHint}
      open={open}
      onOpenChange={change}
    >
      {rotated ? (
        <>
          <SecretOnce label={copy.secret} text={rotated.key}>
            {`${copy.secretHint} ${rotated.old}`}
          </SecretOnce>
          <button type="button" className="button" onClick={() => change(false)}>
            {settingsCopy.done}
          </button>
        </>
      ) : (
        <RotateForm id={id} onRotated={setRotated} />
      )}
    </DialogButton>
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

'use client'
/** Buttons for rotating, revoking and resuming an API key. After a rotation, the dialog shows the new key once. */
import { useRouter } from 'next/navigation'
import { ConfirmButton } from '@/app/_components/confirm-button'
import { onDemand } from '@/app/_components/on-demand'
import { keysCopy as copy } from '@/app/copy/keys'
import { ActionButton, toActionResult } from '../_parts/action-button'
import { SecretDialog, SecretOnce } from '../_parts/secret-once'
import { type RotatedKey, resume, revoke } from './actions'

const RotateForm = onDemand(() => import('./key-forms').then((module) => module.RotateForm))

type Props = { id: string; name: string }

export function RotateKey({ id, name }: Props) {
  const router = useRouter()
  return (
    <SecretDialog<RotatedKey>
      label={copy.rotate}
      accessibleName={copy.rotateAccessibleName(name)}
      title={copy.rotateTitle(name)}
      description={copy.rotateHint}
      secretTitle={copy.secretTitle}
      loadContent={RotateForm.load}
      form={(onCreated) => <RotateForm id={id} onRotated={onCreated} />}
      successMessage={() => copy.rotated(name)}
      onClosed={() => router.refresh()}
    >
      {({ key, oldExpiry }) => (
        <SecretOnce label={copy.secret} text={key}>
          {`${copy.secretHint} ${oldExpiry}`}
        </SecretOnce>
      )}
    </SecretDialog>
  )
}

export const RevokeKey = ({ id, name }: Props) => <ConfirmButton {...copy.revoke(name)} action={() => revoke(id)} />

export const ResumeKey = ({ id, name }: Props) => (
  <ActionButton
    label={copy.resume}
    accessibleName={copy.resumeAccessibleName(name)}
    action={async () => toActionResult(await resume(id), copy.resumed(name))}
  />
)

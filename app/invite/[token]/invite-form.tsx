'use client'
/** The form for accepting an invitation. */
import { PasswordField, Submit, TextField, useForm } from '@/app/_components/form'
import { inviteCopy as copy } from '@/app/copy/invite'
import { accept } from './actions'

export function InviteForm({ token, email }: { token: string; email: string }) {
  const { props, errors, pending } = useForm(accept)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="token" value={token} />
      <TextField label={copy.email} className="field text-base text-quiet" type="email" value={email} autoComplete="username" readOnly />
      <PasswordField name="password" label={copy.password} autoComplete="new-password" hint={copy.passwordHint} error={errors.password} />
      <Submit label={copy.submit} pendingLabel={copy.pending} pending={pending} errors={errors} />
    </form>
  )
}

'use client'
/** The password of who accepts an invitation. */
import { Field, PasswordField, Submit, useForm } from '@/app/_components/form'
import { inviteWords as words } from '@/app/copy/invite'
import { accept } from './actions'

export function InviteForm({ token, email }: { token: string; email: string }) {
  const { props, complaints, pending } = useForm(accept)
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="token" value={token} />
      <Field label={words.email}>
        {(ties) => <input {...ties} className="field text-base text-quiet" type="email" value={email} autoComplete="username" readOnly />}
      </Field>
      <PasswordField
        name="password"
        label={words.password}
        autoComplete="new-password"
        words={{ show: words.show, hide: words.hide }}
        hint={words.passwordHint}
        complaint={complaints.password}
      />
      <Submit label={words.submit} pendingLabel={words.pending} pending={pending} complaints={complaints} />
    </form>
  )
}

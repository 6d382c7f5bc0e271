'use client'
/** The form for changing the user's own password. */
import { useState } from 'react'
import { useAnnounce } from '@/app/_components/announcer'
import { PasswordField, Submit, useForm } from '@/app/_components/form'
import { settingsCopy } from '@/app/copy/settings'
import { changeOwnPassword } from './actions'

const copy = settingsCopy.password

/** @param email the username that password managers store */
export function PasswordForm({ email }: { email: string }) {
  const announce = useAnnounce()
  /** The number of changes so far. Used as the form's key, so that each change resets the fields. */
  const [changes, setChanges] = useState(0)
  const { props, errors, pending } = useForm(changeOwnPassword, () => {
    setChanges(changes + 1)
    announce(copy.changed)
  })
  return (
    <form {...props} key={changes} className="flex max-w-md flex-col gap-4">
      <input type="email" name="username" value={email} autoComplete="username" readOnly hidden />
      <PasswordField name="old" label={copy.old} autoComplete="current-password" error={errors.old} />
      <PasswordField name="next" label={copy.next} autoComplete="new-password" hint={copy.nextHint} error={errors.next} />
      <Submit label={copy.submit} pendingLabel={copy.pending} pending={pending} errors={errors} />
    </form>
  )
}

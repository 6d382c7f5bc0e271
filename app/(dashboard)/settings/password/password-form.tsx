'use client'
/** One's own password: the old one and the new one. */
import { useState } from 'react'
import { PasswordField, Submit, useForm } from '@/app/_components/form'
import { settingsWords } from '@/app/copy/settings'
import { useTell } from '../_parts/teller'
import { changeMine } from './actions'

const words = settingsWords.password

/** @param email so that a password manager knows whose it is */
export function PasswordForm({ email }: { email: string }) {
  const tell = useTell()
  /** Counts the changes: the fields are empty again after each. */
  const [changes, setChanges] = useState(0)
  const { props, complaints, pending } = useForm(changeMine, () => {
    setChanges(changes + 1)
    tell(words.changed)
  })
  const toggle = { show: settingsWords.show, hide: settingsWords.hide }
  return (
    <form {...props} key={changes} className="flex max-w-md flex-col gap-4">
      <input type="email" name="username" value={email} autoComplete="username" readOnly hidden />
      <PasswordField name="old" label={words.old} autoComplete="current-password" words={toggle} complaint={complaints.old} />
      <PasswordField
        name="next"
        label={words.next}
        autoComplete="new-password"
        words={toggle}
        hint={words.nextHint}
        complaint={complaints.next}
      />
      <Submit label={words.submit} pendingLabel={words.pending} pending={pending} complaints={complaints} />
    </form>
  )
}

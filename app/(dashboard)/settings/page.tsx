/** Redirects to the first settings page that the role may open. */
import { redirect } from 'next/navigation'
import { requirePerson } from '@/app/session'
import { mayUse } from '@/lib/accounts/roles'

export default async function SettingsPage() {
  const person = await requirePerson('account', '/settings')
  redirect(mayUse(person.role, 'settings') ? '/settings/keys' : '/settings/password')
}

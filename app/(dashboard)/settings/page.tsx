/** The settings' front door: goes to the first area that one may open. */
import { redirect } from 'next/navigation'
import { requirePerson } from '@/app/session'
import { mayUse } from '@/lib/accounts/roles'

export default async function SettingsPage() {
  const person = await requirePerson('account', '/settings')
  redirect(mayUse(person.role, 'settings') ? '/settings/keys' : '/settings/password')
}

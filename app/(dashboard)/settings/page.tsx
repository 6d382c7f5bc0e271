/** Redirects owners to the API keys page, and other users to the password page. */
import { redirect } from 'next/navigation'
import { requireUser } from '@/app/session'
import { mayUse } from '@/lib/accounts/roles'

export default async function SettingsPage() {
  const user = await requireUser('account', '/settings')
  redirect(mayUse(user.role, 'settings') ? '/settings/keys' : '/settings/password')
}

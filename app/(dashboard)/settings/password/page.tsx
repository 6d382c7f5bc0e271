/** One's own password, for whoever is signed in. */
import type { Metadata } from 'next'
import { settingsWords } from '@/app/copy/settings'
import { words as shopWords } from '@/app/copy/shop'
import { requirePerson } from '@/app/session'
import { Area } from '../_parts/area'
import { PasswordForm } from './password-form'

export const metadata: Metadata = { title: `${settingsWords.areas.password} · ${shopWords.name}` }

export default async function PasswordPage() {
  const { email } = await requirePerson('account', '/settings/password')
  return (
    <Area title={settingsWords.areas.password} hint={settingsWords.password.hint}>
      <PasswordForm email={email} />
    </Area>
  )
}

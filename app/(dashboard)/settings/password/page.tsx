/** Settings page: the user's own password. */
import type { Metadata } from 'next'
import { SettingsSection } from '@/app/_components/settings-section'
import { settingsCopy } from '@/app/copy/settings'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { PasswordForm } from './password-form'

export const metadata: Metadata = { title: `${settingsCopy.areas.password} · ${shopCopy.name}` }

export default async function PasswordPage() {
  const { email } = await requireUser('account', '/settings/password')
  return (
    <SettingsSection title={settingsCopy.areas.password} hint={settingsCopy.password.hint}>
      <PasswordForm email={email} />
    </SettingsSection>
  )
}

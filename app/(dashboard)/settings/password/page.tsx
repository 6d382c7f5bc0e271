/** Settings page: the user's own password. */
import type { Metadata } from 'next'
import { SettingsSection } from '@/app/_components/settings-section'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { PasswordForm } from './password-form'

export const metadata: Metadata = { title: settingsCopy.areas.password }

export default async function PasswordPage() {
  const { email } = await requireUser('account', '/settings/password')
  return (
    <SettingsSection title={settingsCopy.areas.password} hint={settingsCopy.password.hint}>
      <PasswordForm email={email} />
    </SettingsSection>
  )
}

/** Settings page: the user's own password. */
import type { Metadata } from 'next'
import { settingsCopy } from '@/app/copy/settings'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { Area } from '../_parts/area'
import { PasswordForm } from './password-form'

export const metadata: Metadata = { title: `${settingsCopy.areas.password} · ${shopCopy.name}` }

export default async function PasswordPage() {
  const { email } = await requireUser('account', '/settings/password')
  return (
    <Area title={settingsCopy.areas.password} hint={settingsCopy.password.hint}>
      <PasswordForm email={email} />
    </Area>
  )
}

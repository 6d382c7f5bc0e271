/** Settings page: the user's own two-factor authentication. */
import type { Metadata } from 'next'
import { QrCode } from '@/app/_components/qr-code'
import { SettingsSection } from '@/app/_components/settings-section'
import { settingsCopy } from '@/app/copy/settings'
import { shopCopy } from '@/app/copy/shop'
import { requireUser } from '@/app/session'
import { countRecoveryCodes, createSecret } from '@/lib/accounts/two-factor'
import { DisableForm } from './disable-form'
import { EnableForm } from './enable-form'

const copy = settingsCopy.twoFactor

export const metadata: Metadata = { title: `${settingsCopy.areas['two-factor']} · ${shopCopy.name}` }

export default async function TwoFactorPage() {
  const user = await requireUser('account', '/settings/two-factor')
  const codesLeft = await countRecoveryCodes(user.userId)
  if (codesLeft !== undefined) {
    return (
      <SettingsSection title={settingsCopy.areas['two-factor']} hint={copy.hint}>
        <p className="font-medium">{copy.isOn}</p>
        <p className="mb-4 text-quiet text-sm">{copy.codesLeft(codesLeft)}</p>
        {user.requiresTwoFactor ? <p className="text-sm">{copy.requiredByShop}</p> : <DisableForm />}
      </SettingsSection>
    )
  }
  const { sealed, text, uri } = await createSecret(user)
  return (
    <SettingsSection title={settingsCopy.areas['two-factor']} hint={copy.hint}>
      {user.requiresTwoFactor ? <p className="mb-4 font-medium">{copy.setUpFirst}</p> : null}
      <EnableForm email={user.email} sealed={sealed} text={text} next={user.requiresTwoFactor ? '/' : '/settings/two-factor'}>
        <QrCode value={uri} alt={copy.qrAlt} />
      </EnableForm>
    </SettingsSection>
  )
}

/** Settings page: the user's own two-factor authentication. */
import type { Metadata } from 'next'
import { QrCode } from '@/app/_components/qr-code'
import { SettingsSection } from '@/app/_components/settings-section'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import type { SessionUser } from '@/lib/accounts/sessions'
import { countRecoveryCodes, createSecret } from '@/lib/accounts/two-factor'
import { DisableForm } from './disable-form'
import { EnableForm } from './enable-form'

const copy = settingsCopy.twoFactor

export const metadata: Metadata = { title: settingsCopy.areas['two-factor'] }

/** Creates a secret and its QR code. */
async function createQrSecret(user: SessionUser) {
  const { sealed, text, uri } = await createSecret(user)
  return { sealed, text, qrCode: <QrCode value={uri} alt={copy.qrAlt} /> }
}

export default async function TwoFactorPage() {
  const user = await requireUser('account', '/settings/two-factor')
  const codesLeft = await countRecoveryCodes(user.userId)
  const isOn = codesLeft !== undefined
  const secret = isOn ? undefined : await createQrSecret(user)
  return (
    <SettingsSection title={settingsCopy.areas['two-factor']} hint={copy.hint}>
      {user.requiresTwoFactor && !isOn ? <p className="mb-4 font-medium">{copy.setUpFirst}</p> : null}
      {/* The form stays in the page once two-factor authentication is on, because it shows the recovery codes. */}
      <EnableForm email={user.email} secret={secret} next={user.requiresTwoFactor ? '/' : '/settings/two-factor'}>
        {isOn ? (
          <>
            <p className="font-medium">{copy.isOn}</p>
            <p className="mb-4 text-quiet text-sm">{copy.codesLeft(codesLeft)}</p>
            {user.requiresTwoFactor ? <p className="text-sm">{copy.requiredByShop}</p> : <DisableForm />}
          </>
        ) : null}
      </EnableForm>
    </SettingsSection>
  )
}

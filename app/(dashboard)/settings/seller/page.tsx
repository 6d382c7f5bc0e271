/** Settings page: the shop's name and time zone. */
import type { Metadata } from 'next'
import { SettingsSection } from '@/app/_components/settings-section'
import { settingsCopy } from '@/app/copy/settings'
import { requireUser } from '@/app/session'
import { SellerForm } from './seller-form'

export const metadata: Metadata = { title: settingsCopy.areas.seller }

export default async function SellerPage() {
  const { sellerName, timeZone } = await requireUser('settings', '/settings/seller')
  // `Intl.supportedValuesOf('timeZone')` omits UTC, and may list the shop's time zone only under another name.
  const timeZones = [...new Set(['UTC', timeZone, ...Intl.supportedValuesOf('timeZone')])].sort()
  return (
    <SettingsSection title={settingsCopy.areas.seller} hint={settingsCopy.seller.hint}>
      <SellerForm name={sellerName} timeZone={timeZone} timeZones={timeZones} />
    </SettingsSection>
  )
}

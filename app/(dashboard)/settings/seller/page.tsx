/** The shop itself: its name and where it is. */
import type { Metadata } from 'next'
import { settingsWords } from '@/app/copy/settings'
import { words as shopWords } from '@/app/copy/shop'
import { requirePerson } from '@/app/session'
import { Area } from '../_parts/area'
import { SellerForm } from './seller-form'

export const metadata: Metadata = { title: `${settingsWords.areas.seller} · ${shopWords.name}` }

export default async function SellerPage() {
  const { sellerName, timeZone } = await requirePerson('settings', '/settings/seller')
  // The platform leaves UTC out, and may know the present one by another name.
  const timeZones = [...new Set(['UTC', timeZone, ...Intl.supportedValuesOf('timeZone')])].sort()
  return (
    <Area title={settingsWords.areas.seller} hint={settingsWords.seller.hint}>
      <SellerForm name={sellerName} timeZone={timeZone} timeZones={timeZones} />
    </Area>
  )
}

/** Shows which time zone the times are in if the device's clock shows a different time. */
import { doorCopy } from '../copy/door'
import { compareZones } from './door-time'

export function ZoneNotice({ timeZone }: { timeZone: string }) {
  const other = compareZones(timeZone)
  return other ? <p className="mt-1 text-quiet text-sm">{doorCopy.zone(other)}</p> : null
}

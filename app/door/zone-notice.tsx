/** Shows the time zone of the times, on a device whose clock shows another time. */
import { doorCopy } from '../copy/door'
import { compareZones } from './door-time'

export function ZoneNotice({ timeZone }: { timeZone: string }) {
  const other = compareZones(timeZone)
  return other ? <p className="mt-1 text-quiet text-sm">{doorCopy.zone(other)}</p> : null
}

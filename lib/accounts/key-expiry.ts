/** When a key ends, out of what a person chooses: never, after some days, or with a day of the seller's time zone. */
import { clockIn, dayIn } from '../core/time'

const DAY_MS = 24 * 60 * 60 * 1000

/** Days that are offered by name. */
export const EXPIRY_DAYS = [30, 90, 365] as const

/** How far a zone's clock is ahead of UTC at an instant, in milliseconds. */
function offsetOf(timeZone: string, instant: number): number {
  const at = new Date(instant)
  return Date.parse(`${dayIn(timeZone, at)}T${clockIn(timeZone, at)}:00Z`) - Math.floor(instant / 60_000) * 60_000
}

/**
 * The first instant after a day in a time zone. Where the clock skips midnight or has it twice, it is the first one all the same.
 *
 * @param day `YYYY-MM-DD`
 */
export function endOfDayIn(timeZone: string, day: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`) + DAY_MS
  // Whatever the zone's offset at that midnight is, it is that of half a day before it or behind it.
  const candidates = [-DAY_MS, 0, DAY_MS].map((shift) => midnight - offsetOf(timeZone, midnight + shift))
  const after = candidates.filter((instant) => dayIn(timeZone, new Date(instant)) > day)
  return new Date(Math.min(...after))
}

/** @param days from now */
export const inDays = (days: number, now = new Date()) => new Date(now.getTime() + days * DAY_MS)

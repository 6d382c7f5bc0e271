/** Computes when a key expires: after a number of days, or at the end of a day in the seller's time zone. */
import { clockIn, dayIn } from '../core/time'

const DAY_MS = 24 * 60 * 60 * 1000

/** The periods offered in the dashboard, in days. */
export const EXPIRY_DAYS = [30, 90, 365] as const

/** Returns a time zone's UTC offset at a point in time, in milliseconds. */
function offsetOf(timeZone: string, instant: number): number {
  const at = new Date(instant)
  return Date.parse(`${dayIn(timeZone, at)}T${clockIn(timeZone, at)}:00Z`) - Math.floor(instant / 60_000) * 60_000
}

/**
 * Returns the first instant after a day in a time zone, even if daylight saving time skips or repeats midnight.
 *
 * @param day `YYYY-MM-DD`
 */
export function endOfDayIn(timeZone: string, day: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`) + DAY_MS
  // The offset at that midnight is the offset a day before, at, or a day after it.
  const candidates = [-DAY_MS, 0, DAY_MS].map((shift) => midnight - offsetOf(timeZone, midnight + shift))
  const after = candidates.filter((instant) => dayIn(timeZone, new Date(instant)) > day)
  return new Date(Math.min(...after))
}

const SOON_MS = 7 * DAY_MS

type Expiring = { revokedAt: string | null; expiresAt: string | null }

/** Returns whether a key still works and expires within a week. @param now in milliseconds */
export function isExpiring({ revokedAt, expiresAt }: Expiring, now: number): boolean {
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now
  return revokedAt === null && left > 0 && left < SOON_MS
}

/** Returns the time `days` after `now`. */
export const inDays = (days: number, now = new Date()) => new Date(now.getTime() + days * DAY_MS)

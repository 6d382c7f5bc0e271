/** Computes when a key expires: after a number of days, or at the end of a day in the seller's time zone. */
import { instantIn, normalizeTimestamp } from '../core/time'

const DAY_MS = 24 * 60 * 60 * 1000

/** The periods offered in the dashboard, in days. */
export const EXPIRY_DAYS = [30, 90, 365] as const

/** Returns the end of a day in a time zone: the first instant of the next day; undefined after the year 9999. @param day `YYYY-MM-DD` */
export function endOfDayIn(timeZone: string, day: string): Date | undefined {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)
  const end = normalizeTimestamp(instantIn(timeZone, `${next}T00:00`))
  return end === undefined ? undefined : new Date(end)
}

const SOON_MS = 7 * DAY_MS

type KeyExpiry = { revokedAt: string | null; expiresAt: string | null }

/** Returns whether a key is neither revoked nor expired, but expires within a week. @param now in milliseconds since 1970 */
export function isExpiring({ revokedAt, expiresAt }: KeyExpiry, now: number): boolean {
  const remainingMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now
  return revokedAt === null && remainingMs > 0 && remainingMs < SOON_MS
}

/** Returns the time that is `days` times 24 hours after `now`. */
export const inDays = (days: number, now = new Date()) => new Date(now.getTime() + days * DAY_MS)

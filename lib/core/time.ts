/** Normalizes timestamps for the API, and converts between timestamps and local dates and times in a seller's time zone. */

/**
 * Returns whether a name is UTC or the region and city of an IANA time zone that this platform supports, such as Europe/Amsterdam. Offsets
 * and abbreviations are not accepted: PostgreSQL does not know some abbreviations, and interprets `IST` as Israel's time, whereas
 * JavaScript interprets it as India's.
 */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return name === 'UTC' || name.includes('/')
  } catch {
    return false
  }
}

/** Matches a timestamp in the API's format. Does not check that the date and time exist. */
const CANONICAL = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Converts an ISO 8601 timestamp to `YYYY-MM-DDTHH:mm:ss.sssZ`. The caller must validate the format, and that the date and time exist.
 *
 * @returns undefined if it cannot be parsed, or is outside the years 1 to 9999
 */
export function normalizeTimestamp(text: string): string | undefined {
  if (CANONICAL.test(text)) return text
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) return undefined
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date.toISOString() : undefined
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the formatter for a time zone. Formatters are cached, because creating one takes as long as the rest of a check-in. */
function getFormat(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone)
  if (cached) return cached
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  formats.set(timeZone, format)
  return format
}

const getParts = (instant: Date, timeZone: string) =>
  Object.fromEntries(
    getFormat(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute', string>

/** Returns the date in a time zone, as `YYYY-MM-DD`. */
export function dayIn(timeZone: string, instant: Date): string {
  const { year, month, day } = getParts(instant, timeZone)
  return `${year.padStart(4, '0')}-${month}-${day}`
}

/** Returns the time of day in a time zone, as `HH:mm`. */
export function timeOfDayIn(timeZone: string, instant: Date): string {
  const { hour, minute } = getParts(instant, timeZone)
  return `${hour}:${minute}`
}

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

/**
 * Converts a local date and time in a time zone to a UTC timestamp. If the time occurs twice because the clocks are set back, returns the
 * first occurrence. A time that the clocks skip is moved forward by the length of the gap.
 *
 * @param local such as `2026-11-21T19:30`
 * @returns the timestamp, or the input if it has a different format
 */
export function instantIn(timeZone: string, local: string): string {
  if (!LOCAL.test(local)) return local
  // The local time in milliseconds, as if it were in UTC.
  const localMs = Date.parse(`${local}Z`)
  const offsetAt = (at: number) => Date.parse(`${dayIn(timeZone, new Date(at))}T${timeOfDayIn(timeZone, new Date(at))}Z`) - at
  // The offsets a day before and after. The larger one is first, because it gives the earlier instant.
  const offsets = [offsetAt(localMs - 86_400_000), offsetAt(localMs + 86_400_000)].sort((a, b) => b - a)
  const match = offsets.find((offset) => offsetAt(localMs - offset) === offset) ?? offsets[1] ?? 0
  return new Date(localMs - match).toISOString()
}

/** Returns the local date and time of an instant, such as `2026-11-21T19:30`; an empty string if there is no instant. */
export const localIn = (timeZone: string, instant: string | null | undefined): string =>
  instant ? `${dayIn(timeZone, new Date(instant))}T${timeOfDayIn(timeZone, new Date(instant))}` : ''

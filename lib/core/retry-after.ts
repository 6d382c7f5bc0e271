/**
 * Converts a Retry-After header (RFC 9110, 10.2.3), a number of seconds or a date, to seconds from now. Returns undefined if it is invalid.
 */
export function parseRetryAfter(value: string, now = Date.now()): number | undefined {
  if (/^\s*\d+\s*$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now) / 1000
}

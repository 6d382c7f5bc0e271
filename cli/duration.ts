/** Parses durations such as 90s, 30m, 24h and 7d. */

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns the duration in milliseconds, or undefined if the text is not a duration of at most 365 days. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  if (!match) return text === '0' ? 0 : undefined
  const ms = Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
  return ms <= 365 * UNITS.d ? ms : undefined
}

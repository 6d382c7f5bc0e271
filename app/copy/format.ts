/**
 * Formats numbers, days and member names in UI text. Always uses the US English format, so that the server and the browser render the same
 * text.
 */
const counts = new Intl.NumberFormat('en-US')

export const formatCount = (count: number): string => counts.format(count)

/** Returns text such as "1 order" or "2,000 orders". */
export const formatPlural = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`

const dayFormat = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })

const parseDay = (day: string) => new Date(`${day}T00:00:00Z`)

/** Formats `2026-03-01` as `Mar 1, 2026`. */
export const formatDay = (day: string) => dayFormat.format(parseDay(day))

/** Formats two days as a range, such as `Oct 23 – Nov 21, 2026`. Replaces the thin spaces that only some versions of `Intl` use. */
export const formatDays = (from: string, to: string) => dayFormat.formatRange(parseDay(from), parseDay(to)).replace(/\s/g, ' ')

/** Converts a member name to a label: `gatewayTaxCalculationId` → `Gateway tax calculation ID`. */
export function formatMemberName(name: string): string {
  const spaced = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
  return (spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase()).replace(/\bid(s?)\b/gi, 'ID$1').replace(/\busd\b/gi, 'USD')
}

/** Formats numbers in UI text. All dates and numbers use the US English format, so that server and browser render the same text. */
const counts = new Intl.NumberFormat('en-US')

export const formatCount = (count: number): string => counts.format(count)

/** Returns "1 order" or "2,000 orders". */
export const formatPlural = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`

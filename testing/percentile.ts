/** Computes percentiles. */

/**
 * Returns a percentile by the nearest-rank method: the smallest value that is at least as large as this fraction of the values. Returns
 * NaN if there are no values.
 *
 * @param fraction 0.99 for the 99th percentile
 */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? Number.NaN
}

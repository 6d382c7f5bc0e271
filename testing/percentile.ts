/** Computes percentiles of measured values. */

/**
 * Returns a percentile by the nearest-rank method: the smallest of the values that is at least as large as this share of them. Returns NaN
 * if there are no values.
 *
 * @param share 0.99 for the 99th percentile
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** Determines which charges of an order are added to its prices. Records do not say which charges the prices already include. */

export type SumMatch = {
  /** Whether each part is added to the sum, in the order of the parts. */
  added: boolean[]
  /** The total minus the sum, in minor units. */
  remainder: number
}

/** The maximum number of parts for which all combinations are tried. If there are more parts, all of them are added. */
const MAX_PARTS = 10

/**
 * Finds the combination of parts whose sum is closest to the total. Ties are broken in favor of more parts, then of earlier parts.
 *
 * @param start the initial value of the sum, in minor units
 * @param parts the amounts that can be added, in minor units
 * @param total in minor units
 */
export function findSum(start: number, parts: readonly number[], total: number): SumMatch {
  const all = { added: parts.map(() => true), remainder: total - parts.reduce((sum, part) => sum + part, start) }
  if (all.remainder === 0 || parts.length > MAX_PARTS) return all
  const combinations = Array.from({ length: 2 ** parts.length }, (_, omitted) => {
    // The highest bit omits the first part. Lower numbers win ties, so that later parts are omitted first.
    const added = parts.map((_part, index) => ((omitted >> (parts.length - 1 - index)) & 1) === 0)
    const remainder = total - parts.reduce((sum, part, index) => sum + (added[index] ? part : 0), start)
    return { added, remainder, count: added.filter(Boolean).length }
  })
  const { added, remainder } = combinations.reduce((best, combination) => {
    const difference = Math.abs(combination.remainder) - Math.abs(best.remainder)
    return difference < 0 || (difference === 0 && combination.count > best.count) ? combination : best
  })
  return { added, remainder }
}

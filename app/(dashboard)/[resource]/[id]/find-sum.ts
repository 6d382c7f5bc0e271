/** Determines which charges of an order are added to its prices. Records do not say which charges the prices already include. */

export type SumMatch = {
  /** Whether each part is included in the sum, in the order of the parts. */
  added: boolean[]
  /** The total minus the sum, in minor units. */
  rest: number
}

/** The maximum number of parts for which every combination is tried. If there are more, all of them are added. */
const MAX_PARTS = 10

/**
 * Finds the parts that add up to the total. If several combinations do, prefers the one with the most parts, then the one with the earliest
 * parts. If none does, chooses in the same way among those whose sums are closest to the total.
 *
 * @param start the initial value of the sum, in minor units
 * @param parts the amounts that can be added, in minor units
 * @param total in minor units
 */
export function findSum(start: number, parts: readonly number[], total: number): SumMatch {
  const all = { added: parts.map(() => true), rest: total - parts.reduce((sum, part) => sum + part, start) }
  if (all.rest === 0 || parts.length > MAX_PARTS) return all
  const choices = Array.from({ length: 2 ** parts.length }, (_, omitted) => {
    // The highest bit omits the first part. Lower numbers win ties, so that later parts are omitted first.
    const added = parts.map((_part, index) => ((omitted >> (parts.length - 1 - index)) & 1) === 0)
    const rest = total - parts.reduce((sum, part, index) => sum + (added[index] ? part : 0), start)
    return { added, rest, count: added.filter(Boolean).length }
  })
  const { added, rest } = choices.reduce((best, choice) => {
    const difference = Math.abs(choice.rest) - Math.abs(best.rest)
    return difference < 0 || (difference === 0 && choice.count > best.count) ? choice : best
  })
  return { added, rest }
}

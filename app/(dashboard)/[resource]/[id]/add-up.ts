/** Determines which charges of an order are added to its prices, because records do not say whether the prices include them. */

export type Sum = {
  /** Whether each part is added, in the order of the parts. */
  added: boolean[]
  /** The total minus the sum. */
  rest: number
}

/** The maximum number of parts for which every combination is tried. If there are more, all of them are added. */
const MAX_PARTS = 10

/**
 * Finds the parts that add up to the total. If several combinations do, prefers the one with the most parts, then the one with the earliest
 * parts. If none does, returns the one whose sum is closest to the total.
 *
 * @param first the initial value of the sum, in minor units
 * @param parts the amounts that can be added, in minor units
 */
export function findSum(first: number, parts: readonly number[], total: number): Sum {
  const all = { added: parts.map(() => true), rest: total - parts.reduce((sum, part) => sum + part, first) }
  if (all.rest === 0 || parts.length > MAX_PARTS) return all
  const choices = Array.from({ length: 2 ** parts.length }, (_, omitted) => {
    // The highest bit omits the first part. Lower numbers win ties, so that later parts are omitted first.
    const added = parts.map((_part, index) => ((omitted >> (parts.length - 1 - index)) & 1) === 0)
    const rest = total - parts.reduce((sum, part, index) => sum + (added[index] ? part : 0), first)
    return { added, rest, count: added.filter(Boolean).length }
  })
  const { added, rest } = choices.reduce((best, choice) => {
    const difference = Math.abs(choice.rest) - Math.abs(best.rest)
    return difference < 0 || (difference === 0 && choice.count > best.count) ? choice : best
  })
  return { added, rest }
}

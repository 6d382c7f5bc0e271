/** Determines which charges of an order are added to its prices, because records do not say whether the prices include them. */

export type Sum = {
  /** For each part, whether it is added. */
  added: boolean[]
  /** The difference from the total. */
  rest: number
}

/** With more parts, trying every combination would take too long, so all of them are added. */
const MAX_PARTS = 10

/**
 * Returns the parts that add up to the total: as many as possible, and among equally many, the earlier ones. If no combination adds up, returns
 * the one with the smallest difference.
 *
 * @param first the initial value of the sum, in minor units
 * @param parts the amounts that can be added, in minor units
 */
export function findSum(first: number, parts: readonly number[], total: number): Sum {
  const all = { added: parts.map(() => true), rest: total - parts.reduce((sum, part) => sum + part, first) }
  if (all.rest === 0 || parts.length > MAX_PARTS) return all
  const choices = Array.from({ length: 2 ** parts.length }, (_, left) => {
    // The highest bit leaves out the first part, so that later parts are left out first.
    const added = parts.map((_part, at) => ((left >> (parts.length - 1 - at)) & 1) === 0)
    const rest = total - parts.reduce((sum, part, at) => sum + (added[at] ? part : 0), first)
    return { added, rest, count: added.filter(Boolean).length }
  })
  const { added, rest } = choices.reduce((best, choice) => {
    const difference = Math.abs(choice.rest) - Math.abs(best.rest)
    return difference < 0 || (difference === 0 && choice.count > best.count) ? choice : best
  })
  return { added, rest }
}

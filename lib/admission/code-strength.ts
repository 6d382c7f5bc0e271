/** Whether a ticket's code could be guessed from a stolen list. Runs on the server and in the browser, which have to agree. */

/** Codes with fewer bits get a slow key derivation, and their entries carry no name. */
const STRONG_BITS = 80

const CLASSES: [RegExp, number][] = [
  [/[0-9]/, 10],
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
]

/**
 * Returns whether a code is random enough that nobody can try all codes like it. The estimate is low rather than high: the length times the
 * smaller of the bits per character of its alphabet and of its own character frequencies, so that `TICKET-0000000001` counts as weak.
 */
export function isStrongCode(code: string): boolean {
  const symbols = [...code.replace(/[^0-9A-Za-z]/g, '')]
  const alphabet = CLASSES.reduce((size, [pattern, count]) => size + (pattern.test(code) ? count : 0), 0)
  const counts = new Map<string, number>()
  for (const symbol of symbols) counts.set(symbol, (counts.get(symbol) ?? 0) + 1)
  let entropy = 0
  for (const count of counts.values()) entropy -= (count / symbols.length) * Math.log2(count / symbols.length)
  return symbols.length * Math.min(Math.log2(Math.max(alphabet, 1)), entropy) >= STRONG_BITS
}

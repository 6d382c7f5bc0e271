/** Estimates whether someone with a stolen ticket list could guess a ticket's code. The server and the browser use the same estimate. */

/** Codes with fewer bits of entropy get a slow key derivation, and their encrypted tickets contain no name. */
const STRONG_BITS = 80

/** Classes of characters, with the number of characters in each. */
const CLASSES: [pattern: RegExp, size: number][] = [
  [/[0-9]/, 10],
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
]

/** A random UUID (RFC 9562, version 4). Its parts are too short to be rated separately. */
const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/**
 * The positions at which text changes between letters and digits, or from lowercase to uppercase. A change from uppercase to lowercase does
 * not count, because capitalized words start that way.
 */
const CHANGE = /(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[a-z])(?=[A-Z])/
/** The minimum number of changes per character in random text. Words, years and counters have fewer. */
const MIN_CHANGES = 1 / 4

const looksRandom = (part: string) => part.split(CHANGE).length - 1 >= part.length * MIN_CHANGES

/**
 * Returns whether a code is too random to be guessed. The entropy estimate is conservative: it counts only the parts that look random,
 * because the other parts may be a counter or the same in every code. It multiplies the length of those parts by their bits per character,
 * computed from either their alphabet or their character frequencies, whichever gives less.
 */
export function isStrongCode(code: string): boolean {
  if (RANDOM_UUID.test(code)) return true
  const random = code
    .split(/[^0-9A-Za-z]+/)
    .filter((part) => part !== '' && looksRandom(part))
    .join('')
  const symbols = [...random]
  const alphabet = CLASSES.reduce((total, [pattern, size]) => total + (pattern.test(random) ? size : 0), 0)
  const counts = new Map<string, number>()
  for (const symbol of symbols) counts.set(symbol, (counts.get(symbol) ?? 0) + 1)
  let entropy = 0
  for (const count of counts.values()) entropy -= (count / symbols.length) * Math.log2(count / symbols.length)
  return symbols.length * Math.min(Math.log2(Math.max(alphabet, 1)), entropy) >= STRONG_BITS
}

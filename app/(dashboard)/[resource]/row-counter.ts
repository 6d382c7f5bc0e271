/** Counts the rows of a CSV file while it downloads. */

const [QUOTE, LINE_FEED] = [0x22, 0x0a]

/** Returns a function that takes the next bytes and returns the number of rows so far, excluding the header. Ignores quoted line breaks. */
export function createRowCounter(): (bytes: Uint8Array) => number {
  let [lines, isQuoted] = [0, false]
  return (bytes) => {
    for (const byte of bytes) {
      if (byte === QUOTE) isQuoted = !isQuoted
      else if (byte === LINE_FEED && !isQuoted) lines += 1
    }
    return Math.max(0, lines - 1)
  }
}

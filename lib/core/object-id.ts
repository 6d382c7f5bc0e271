/** Generates IDs of 24 lowercase hexadecimal digits: the time in seconds (4 bytes), 5 random bytes per process, and a 3-byte counter. */
import { randomBytes, randomInt } from 'node:crypto'

const processPart = randomBytes(5).toString('hex')
let counter = randomInt(0x1000000)

/** The length of an ID in bytes. */
export const ID_BYTES = 12

/** Splits concatenated IDs into hexadecimal strings. @param ids the bytes of all IDs; strings would take four times the memory */
export const splitIds = (ids: Buffer): string[] =>
  Array.from({ length: ids.length / ID_BYTES }, (_, i) => ids.toString('hex', i * ID_BYTES, (i + 1) * ID_BYTES))

/** Returns a new ID. IDs sort by time, to the second. @param at the time to store in the ID */
export function newObjectId(at = new Date()): string {
  counter = (counter + 1) % 0x1000000
  const seconds = Math.floor(at.getTime() / 1000) % 0x100000000
  return seconds.toString(16).padStart(8, '0') + processPart + counter.toString(16).padStart(6, '0')
}

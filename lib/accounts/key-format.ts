/** The format of API keys: `desk_`, 30 random base62 characters, and a checksum that catches typing errors without a query. */
import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

// Spec silent: the format of a key.
const PREFIX = 'desk_'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const FORMAT = /^desk_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

function toBase62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text
  return text
}

const checksum = (random: string) => toBase62(crc32(random), 6)

export function generateKey(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(62))).join('')
  return PREFIX + random + checksum(random)
}

/** Returns true if a key has the right format and checksum. It may still be unknown or revoked. */
export function isWellFormedKey(key: string): boolean {
  const match = FORMAT.exec(key)
  return match !== null && checksum(match[1] ?? '') === match[2]
}

/** Returns the SHA-256 of a key. Only this hash is stored. */
export const hashKey = (key: string) => createHash('sha256').update(key).digest()

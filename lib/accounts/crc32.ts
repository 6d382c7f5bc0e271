/** CRC-32 as in ISO 3309 and zlib; Node has one of its own only from 20.15 on. */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** @param text ASCII */
export function crc32(text: string): number {
  let value = 0xffffffff
  for (let at = 0; at < text.length; at += 1) value = (value >>> 8) ^ (table[(value ^ text.charCodeAt(at)) & 0xff] ?? 0)
  return (value ^ 0xffffffff) >>> 0
}

/** Random texts. */
import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/** Any character. fast-check's own unit of this kind takes a second and a half of processor time to create. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((code) => String.fromCodePoint(code < SURROGATES.first ? code : code + SURROGATES.count))

/** Generates strings of any characters. */
export const anyText = (limits: { maxLength?: number } = {}) => fc.string({ ...limits, unit: character })

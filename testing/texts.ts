/** Defines generators of random text for property-based tests. */
import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/** Generates any character except surrogates. Constructing fast-check's equivalent takes a second and a half of CPU time. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((code) => String.fromCodePoint(code < SURROGATES.first ? code : code + SURROGATES.count))

/** Generates strings of arbitrary characters. */
export const anyText = (limits: { maxLength?: number } = {}) => fc.string({ ...limits, unit: character })

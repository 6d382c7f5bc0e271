/** Generates randomly damaged import files. */
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { type Line, readFixture } from '@/testing/seller'

const RESOURCES = ['coupons', 'customers', 'payments', 'bookings', 'subscriptions', 'tickets'] as const

const FORMATS = ['NDJSON', 'array', 'list response'] as const
type Format = (typeof FORMATS)[number]

export type DamagedFile = {
  /** The records' resource. */
  name: (typeof RESOURCES)[number]
  format: Format
  records: Line[]
  /** The undamaged file, which contains the JSON of each record. */
  original: Buffer
  /** The damaged file. */
  bytes: Buffer
  /** Describes the damage. */
  description: string
}

const wrap: Record<Format, (texts: string[]) => string> = {
  NDJSON: (texts) => `${texts.join('\n')}\n`,
  array: (texts) => `[\n${texts.join(',\n')}\n]\n`,
  'list response': (texts) => `{"has_more":false,"total":${texts.length},"data":[${texts.join(',')}]}`,
}

const JUNK = [
  '\0',
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  '\n',
  '\\',
  '\\u0000',
  '\ufeff',
  '\\ud800',
  'null',
  '{}',
  '[]',
  '1e999',
  '__proto__',
  '9'.repeat(400),
  '['.repeat(20_000),
  '{"a":'.repeat(20_000),
  ' '.repeat(70_000),
].map((text) => Buffer.from(text))
const INVALID_UTF8 = ['ff', 'c328', 'eda080', 'f0288cbc', 'fe'].map((hex) => Buffer.from(hex, 'hex'))

type Mutation = { description: string; apply(bytes: Buffer): Buffer }

const fraction = fc.double({ min: 0, max: 1, noNaN: true })
const makeMutation = (description: string, apply: Mutation['apply']): Mutation => ({ description, apply })
/** Replaces `count` bytes at a position. @param at the position, as a fraction of the length */
const splice = (bytes: Buffer, at: number, count: number, inserted: Buffer) => {
  const position = Math.floor(bytes.length * at)
  return Buffer.concat([bytes.subarray(0, position), inserted, bytes.subarray(position + count)])
}
/** Replaces matches after a position: all of them if `pattern` is global, otherwise only the first. @param at as in `splice` */
const replace = (bytes: Buffer, at: number, pattern: string | RegExp, replacement: string) => {
  const position = Math.floor(bytes.length * at)
  return Buffer.concat([
    bytes.subarray(0, position),
    Buffer.from(bytes.toString('latin1', position).replace(pattern, replacement), 'latin1'),
  ])
}

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc
    .tuple(fraction, fc.nat(30), fc.oneof(fc.constantFrom(...JUNK, ...INVALID_UTF8), fc.json({ maxDepth: 3 }).map(Buffer.from)))
    .map(([at, count, junk]) => makeMutation(`junk at ${at}`, (bytes) => splice(bytes, at, count, junk))),
  fc
    .tuple(fraction, fc.integer({ min: 1, max: 255 }))
    .map(([at, bits]) =>
      makeMutation(`bits flipped at ${at}`, (bytes) =>
        splice(bytes, at, 1, Buffer.from([(bytes[Math.floor(bytes.length * at)] ?? 0) ^ bits])),
      ),
    ),
  fraction.map((at) => makeMutation(`cut off at ${at}`, (bytes) => bytes.subarray(0, Math.floor(bytes.length * at)))),
  fc
    .tuple(fraction, fraction, fraction)
    .map(([at, from, to]) =>
      makeMutation(`a piece repeated at ${at}`, (bytes) =>
        splice(bytes, at, 0, bytes.subarray(Math.floor(bytes.length * from), Math.floor(bytes.length * to))),
      ),
    ),
  fraction.map((at) => makeMutation(`a newline removed after ${at}`, (bytes) => replace(bytes, at, '\n', ''))),
  fraction.map((at) => makeMutation(`a huge number after ${at}`, (bytes) => replace(bytes, at, /:\d+/, `:${'9'.repeat(400)}`))),
  fc.constantFrom(
    makeMutation('a byte order mark', (bytes) => Buffer.concat([Buffer.from('efbbbf', 'hex'), bytes])),
    makeMutation('CRLF', (bytes) => replace(bytes, 0, /\n/g, '\r\n')),
    makeMutation('compressed', (bytes) => gzipSync(bytes)),
    makeMutation('the first byte removed', (bytes) => bytes.subarray(1)),
    makeMutation('the last three bytes removed', (bytes) => bytes.subarray(0, -3)),
    makeMutation('the content repeated', (bytes) => Buffer.concat([bytes, bytes])),
  ),
)

/** Generates a file of up to eight records with one to three mutations. */
export const damagedFile: fc.Arbitrary<DamagedFile> = fc
  .record({
    name: fc.constantFrom(...RESOURCES),
    format: fc.constantFrom(...FORMATS),
    from: fc.nat(20),
    mutations: fc.array(mutation, { minLength: 1, maxLength: 3 }),
  })
  .map(({ name, format, from, mutations }) => {
    const records = readFixture(name).slice(from, from + 8)
    const original = Buffer.from(wrap[format](records.map((record) => JSON.stringify(record))))
    const bytes = mutations.reduce<Buffer>((before, { apply }) => apply(before), original)
    return { name, format, records, original, bytes, description: mutations.map(({ description }) => description).join(', ') }
  })

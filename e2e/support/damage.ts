/** Generates files of records with random damage. */
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { type Line, readFixture } from '@/testing/seller'

export const DAMAGED = ['coupons', 'customers', 'payments', 'bookings', 'subscriptions', 'tickets'] as const
export type DamagedName = (typeof DAMAGED)[number]

const FORMATS = ['lines', 'array', 'list response'] as const
type Format = (typeof FORMATS)[number]

export type DamagedFile = {
  name: DamagedName
  format: Format
  records: Line[]
  /** The file before it was damaged. It contains the JSON text of each record. */
  whole: Buffer
  /** The damaged file. */
  bytes: Buffer
  /** A description of the damage. */
  how: string
}

const wrap: Record<Format, (texts: string[]) => string> = {
  lines: (texts) => `${texts.join('\n')}\n`,
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

type Damage = { how: string; apply(bytes: Buffer): Buffer }

const share = fc.double({ min: 0, max: 1, noNaN: true })
const define = (how: string, apply: Damage['apply']): Damage => ({ how, apply })
/** Replaces `cut` bytes at a position. @param at the position as a share of the length, from 0 to 1 */
const splice = (bytes: Buffer, at: number, cut: number, inserted: Buffer) => {
  const place = Math.floor(bytes.length * at)
  return Buffer.concat([bytes.subarray(0, place), inserted, bytes.subarray(place + cut)])
}
/** Replaces the first match after a position. @param at the position as a share of the length, from 0 to 1 */
const replace = (bytes: Buffer, at: number, what: string | RegExp, replacement: string) => {
  const place = Math.floor(bytes.length * at)
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(bytes.toString('latin1', place).replace(what, replacement), 'latin1')])
}

const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc
    .tuple(share, fc.nat(30), fc.oneof(fc.constantFrom(...JUNK, ...INVALID_UTF8), fc.json({ maxDepth: 3 }).map(Buffer.from)))
    .map(([at, cut, junk]) => define(`junk at ${at}`, (bytes) => splice(bytes, at, cut, junk))),
  fc
    .tuple(share, fc.integer({ min: 1, max: 255 }))
    .map(([at, bits]) =>
      define(`a byte flipped at ${at}`, (bytes) => splice(bytes, at, 1, Buffer.from([(bytes[Math.floor(bytes.length * at)] ?? 0) ^ bits]))),
    ),
  share.map((at) => define(`cut off at ${at}`, (bytes) => bytes.subarray(0, Math.floor(bytes.length * at)))),
  fc
    .tuple(share, share, share)
    .map(([at, from, to]) =>
      define(`a piece repeated at ${at}`, (bytes) =>
        splice(bytes, at, 0, bytes.subarray(Math.floor(bytes.length * from), Math.floor(bytes.length * to))),
      ),
    ),
  share.map((at) => define(`a line end removed after ${at}`, (bytes) => replace(bytes, at, '\n', ''))),
  share.map((at) => define(`a huge number after ${at}`, (bytes) => replace(bytes, at, /:\d+/, `:${'9'.repeat(400)}`))),
  fc.constantFrom(
    define('a byte order mark', (bytes) => Buffer.concat([Buffer.from('efbbbf', 'hex'), bytes])),
    define('CRLF', (bytes) => replace(bytes, 0, /\n/g, '\r\n')),
    define('compressed', (bytes) => gzipSync(bytes)),
    define('its first byte removed', (bytes) => bytes.subarray(1)),
    define('the end of its wrapper removed', (bytes) => bytes.subarray(0, -3)),
    define('its content twice', (bytes) => Buffer.concat([bytes, bytes])),
  ),
)

/** Generates a file of up to eight records and damages it one to three times. */
export const damagedFile: fc.Arbitrary<DamagedFile> = fc
  .record({
    name: fc.constantFrom(...DAMAGED),
    format: fc.constantFrom(...FORMATS),
    from: fc.nat(20),
    damages: fc.array(damage, { minLength: 1, maxLength: 3 }),
  })
  .map(({ name, format, from, damages }) => {
    const records = readFixture(name).slice(from, from + 8)
    const whole = Buffer.from(wrap[format](records.map((record) => JSON.stringify(record))))
    const bytes = damages.reduce<Buffer>((before, { apply }) => apply(before), whole)
    return { name, format, records, whole, bytes, how: damages.map(({ how }) => how).join(', ') }
  })

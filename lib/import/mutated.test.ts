/** Files that were damaged on the way: the importer never fails, writes no half record, and tells of every line it refuses. */

import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { database } from '@/db/client'
import { resources } from '@/lib/records'
import { importText, makeSeller, readFixture } from '@/testing/seller'
import type { ImportName } from './import'

/** `npm run test:faults` takes all of them, `npm test` some. */
const FILES = process.env.FAULTS === 'full' ? 1_000 : 60

const NAMES = ['coupons', 'payments', 'bookings', 'subscriptions', 'tickets'] as const

const junk = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '\u0000',
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    '\n',
    '\r\n',
    '\\',
    '\\u0000',
    '\ufeff',
    '\ud800',
    'null',
    '{}',
    '[]',
    '1e999',
    '__proto__',
  ),
  fc.json({ maxDepth: 3 }),
)

type Damage = { at: number; cut: number; put: string }
const damages = fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), cut: fc.nat(30), put: junk }), {
  minLength: 1,
  maxLength: 6,
})

const damaged = (text: string, list: Damage[]) =>
  list.reduce((before, { at, cut, put }) => {
    const place = Math.floor(before.length * at)
    return before.slice(0, place) + put + before.slice(place + cut)
  }, text)

/** Every record that is stored is whole: it passes the check that a good one passes. */
async function expectWhole(seller: string, name: (typeof NAMES)[number]): Promise<number> {
  const stored = await database().use(({ rows }) =>
    rows<{ id: string; record: string }>(sql`select id, record::text as record from ${sql.identifier(name)} where seller_id = ${seller}`),
  )
  for (const { id, record } of stored) {
    const parsed = JSON.parse(record) as Record<string, unknown>
    expect(parsed.id).toBe(id)
    if (name !== 'tickets') expect(resources[name].record.safeParse(parsed).error?.issues, record).toBeUndefined()
  }
  return stored.length
}

it(`takes ${FILES} damaged files`, { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NAMES),
      fc.nat(20),
      damages,
      fc.boolean(),
      async (name: ImportName & (typeof NAMES)[number], from, list, array) => {
        const lines = readFixture(name).slice(from, from + 8)
        const whole = array ? JSON.stringify(lines) : lines.map((line) => JSON.stringify(line)).join('\n')
        const seller = await makeSeller()
        const text = damaged(whole, list)
        const result = await importText(name, seller, text)
        const { written, rejected, rejects } = result
        expect(rejects.length, 'each refused line is told').toBe(rejected)
        for (const { line, reason } of rejects) {
          expect(line).toBeGreaterThan(0)
          expect(reason.length).toBeGreaterThan(0)
        }
        const stored = await expectWhole(seller, name)
        expect(stored).toBeLessThanOrEqual(written)
        expect(written === 0).toBe(stored === 0)
      },
    ),
    { numRuns: FILES },
  )
})

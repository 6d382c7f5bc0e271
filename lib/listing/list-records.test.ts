/** Lists and searches of small random data return the same results as a naive in-memory implementation. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { importLines, type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { resources } from '../catalog'
import { newObjectId } from '../core/object-id'
import { exportCsv } from './csv-export'
import { type ListQuery, toListQuery } from './list-query'
import { listRecords } from './list-records'
import { NO_LIMIT, positionOf, statusCounts } from './position-and-counts'

beforeAll(openTestDatabase)

const PAGES = ['abcdefabcdefabcdefabcdef', 'abcdefabcdefabcdefabcde0']
/** Timestamps. There are so few that most pages start and end between records with the same timestamp. */
const INSTANTS = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.001Z', '2026-04-01T12:00:00.000Z']

const payment = fc.record({
  createdAt: fc.constantFrom(...INSTANTS),
  status: fc.constantFrom('paid', 'failed', 'draft'),
  pageId: fc.constantFrom(...PAGES, undefined),
  customerEmail: fc.constantFrom('ada@example.com', 'Bob@Example.com', 'a_b@x.org'),
  orderId: fc.constantFrom('OR-1', 'or-2', 'LÉA-3', undefined),
  gatewayPaymentIntentClientSecret: fc.constantFrom('pi_1_secret_2', undefined),
})

const parameters = fc.record(
  {
    limit: fc.integer({ min: 1, max: 5 }),
    cursor: fc.nat(),
    direction: fc.constantFrom('starting_after', 'ending_before'),
    status: fc.constantFrom('paid', 'failed', 'refunded'),
    pageId: fc.constantFrom(...PAGES),
    search: fc.constantFrom('EXAMPLE', 'a', '_', '%', 'or-', 'éa', 'comor', 'zz'),
    withSecrets: fc.boolean(),
  },
  { requiredKeys: ['limit', 'direction', 'withSecrets'] },
)

const newestFirst = (a: Line, b: Line) => `${b.createdAt}${b.id}`.localeCompare(`${a.createdAt}${a.id}`)

const matches = (line: Line, { status, pageId, search }: ListQuery) =>
  (status === undefined || line.status === status) &&
  (pageId === undefined || line.pageId === pageId) &&
  (search === undefined ||
    [line.customerEmail, line.orderId].some((text) =>
      String(text ?? '')
        .toLowerCase()
        .includes(search.toLowerCase()),
    ))

function expectedPage(lines: Line[], query: ListQuery) {
  const { cursor, direction, limit } = query
  const found = lines.filter((line) => matches(line, query)).sort(newestFirst)
  const at = lines.find(({ id }) => id === cursor)
  const ahead = !at
    ? found
    : direction === 'older'
      ? found.filter((line) => newestFirst(at, line) < 0)
      : found.filter((line) => newestFirst(line, at) < 0)
  const rows = direction === 'newer' ? ahead.slice(-limit) : ahead.slice(0, limit)
  return { ids: rows.map(({ id }) => id), hasMore: ahead.length > limit, total: found.length, found }
}

it('returns the page, total, position and counts by status of the matching records in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(payment, { maxLength: 12 }),
      fc.array(parameters, { minLength: 12, maxLength: 12 }),
      async (given, queries) => {
        const [seller, other] = [await makeSeller(), await makeSeller()]
        const lines = given.map((line) => JSON.parse(JSON.stringify(minimal('payments', line))) as Line)
        await importLines('payments', seller, lines)
        await importLines('payments', other, [...lines, minimal('payments', { customerEmail: 'ada@example.com', orderId: 'or-1' })])
        for (const { cursor: place, direction, withSecrets, ...params } of queries) {
          const cursor = place === undefined ? undefined : lines[place % lines.length]?.id
          const query = toListQuery(
            resources.payments,
            seller,
            { ...params, ...(cursor ? { [direction]: String(cursor) } : {}) },
            withSecrets,
          )
          const { rows, hasMore, total } = await listRecords(query)
          const records = rows.map((row) => JSON.parse(row.toString()) as Line)
          const expected = expectedPage(lines, query)
          expect({ ids: records.map(({ id }) => id), hasMore, total }).toEqual({
            ids: expected.ids,
            hasMore: expected.hasMore,
            total: expected.total,
          })
          for (const record of records) {
            const { gatewayPaymentIntentClientSecret: secret } = lines.find(({ id }) => id === record.id) ?? {}
            expect(record.gatewayPaymentIntentClientSecret).toBe(withSecrets ? secret : undefined)
          }
          const counts: Record<string, number> = {}
          for (const line of lines)
            if (matches(line, { ...query, status: undefined })) counts[String(line.status)] = (counts[String(line.status)] ?? 0) + 1
          expect(await statusCounts(query)).toEqual(counts)
          const [first] = records
          if (first)
            expect(await positionOf(query, String(first.id), NO_LIMIT)).toBe(expected.found.findIndex(({ id }) => id === first.id) + 1)
          let csv = ''
          const { search, status, pageId } = query
          for await (const piece of exportCsv(resources.payments, seller, { search, status, pageId })) csv += piece
          expect(
            csv
              .split('\r\n')
              .slice(1, -1)
              .map((row) => row.slice(0, 24)),
          ).toEqual(expected.found.map(({ id }) => id))
        }
      },
    ),
    { numRuns: 15, endOnFailure: true },
  )
})

it('rejects a cursor that is not a record of the seller, and says which parameter is wrong', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const theirs = minimal('payments')
  await importLines('payments', seller, [minimal('payments')])
  await importLines('payments', other, [theirs])
  for (const search of [undefined, 'a'])
    for (const direction of ['starting_after', 'ending_before'])
      for (const id of [newObjectId(), String(theirs.id)]) {
        const query = toListQuery(resources.payments, seller, { limit: 20, search, [direction]: id })
        await expect(listRecords(query)).rejects.toMatchObject({ code: 'resource_missing', param: direction })
      }
})

it('returns the total on an empty page after the last record', async () => {
  const seller = await makeSeller()
  const lines = [minimal('payments'), minimal('payments', { status: 'failed' }), minimal('payments')]
  await importLines('payments', seller, lines)
  const oldest = lines.map(({ id }) => String(id)).sort()[0]
  for (const [filters, total] of [
    [{}, 3],
    [{ status: 'paid' }, 2],
  ] as const)
    expect(await listRecords(toListQuery(resources.payments, seller, { limit: 2, starting_after: oldest, ...filters }))).toMatchObject({
      rows: [],
      hasMore: false,
      hasNewer: true,
      hasOlder: false,
      total,
    })
})

it('returns secret members only to queries with secrets, in either order of queries', async () => {
  const seller = await makeSeller()
  await importLines('payments', seller, [
    minimal('payments', { customerEmail: 'e@example.com', gatewayPaymentIntentClientSecret: 'pi_1_secret_2' }),
  ])
  for (const params of [{ limit: 1 }, { limit: 1, search: 'e' }])
    for (const withSecrets of [true, false, true]) {
      const { rows } = await listRecords(toListQuery(resources.payments, seller, { ...params }, withSecrets))
      expect(rows.map((row) => row.includes('pi_1_secret_2'))).toEqual([withSecrets])
    }
})

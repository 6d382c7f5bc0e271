/** Lists and searches of small random data return the same results as a naive in-memory implementation. */
// @module-tag slow
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { importLines, type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { resources } from '../catalog'
import type { CreatedParams, ListParams } from '../catalog/list-params'
import { newObjectId } from '../core/object-id'
import { exportCsv } from './csv-export'
import { type ListQuery, toListQuery } from './list-query'
import { listRecords } from './list-records'
import { tablePosition } from './list-table'
import { countStatuses } from './table-facets'
import { toTableQuery } from './table-query'

beforeAll(openTestDatabase)

const PAGES = ['abcdefabcdefabcdefabcdef', 'abcdefabcdefabcdefabcde0']
/** So few timestamps that most pages start and end between records with the same timestamp. */
const INSTANTS = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.001Z', '2026-04-01T12:00:00.000Z']

const payment = fc.record({
  createdAt: fc.constantFrom(...INSTANTS),
  status: fc.constantFrom('paid', 'failed', 'draft'),
  pageId: fc.constantFrom(...PAGES, undefined),
  customerEmail: fc.constantFrom(
    'ada@example.com',
    'Bob@Example.com',
    'a_b@x.org',
    'ΟΔΟΣ@x.org',
    'Straẞe a\u0301 𐐀',
    `${'x'.repeat(3000)}%éA`,
  ),
  orderId: fc.constantFrom('OR-1', 'or-2', 'LÉA-3', undefined),
  gatewayPaymentIntentClientSecret: fc.constantFrom('pi_1_secret_2', undefined),
})

/** Timestamps of records, an instant between them, and dates. In the seller's time zone, the first two timestamps are on March 2. */
const bound = fc.constantFrom(
  ...INSTANTS,
  '2026-03-01T12:00:00.0005Z',
  '2026-03-01',
  '2026-03-02',
  '2026-03-31',
  '2026-04-01',
  '2026-04-02',
)
/** 14 hours ahead of UTC, without daylight saving time. */
const TIME_ZONE = 'Pacific/Kiritimati'

const parameters = fc.record(
  {
    limit: fc.integer({ min: 1, max: 5 }),
    cursor: fc.nat(),
    direction: fc.constantFrom('starting_after', 'ending_before'),
    status: fc.constantFrom('paid', 'failed', 'refunded'),
    pageId: fc.constantFrom(...PAGES),
    'created[gte]': bound,
    'created[gt]': bound,
    'created[lte]': bound,
    'created[lt]': bound,
    search: fc.constantFrom(
      'EXAMPLE',
      'a',
      '_',
      '%',
      'or-',
      'éa',
      'comor',
      'zz',
      'οδος',
      'σ@X',
      'a\u0301',
      '\u0301',
      '𐐨',
      'xxxxxxxx',
      '%É',
    ),
    withSecrets: fc.boolean(),
  },
  { requiredKeys: ['limit', 'direction', 'withSecrets'] },
)

const newestFirst = (a: Line, b: Line) => `${b.createdAt}${b.id}`.localeCompare(`${a.createdAt}${a.id}`)

/** Returns the first and the last instant of a bound, in milliseconds. A date spans a whole day. */
function parseSpan(value: string): [number, number] {
  if (value.includes('T'))
    return [Date.parse(value) + (value.endsWith('5Z') ? 0.5 : 0), Date.parse(value) + (value.endsWith('5Z') ? 0.5 : 0)]
  const start = Date.parse(`${value}T00:00:00+14:00`)
  return [start, start + 86_400_000 - 0.001]
}

const isCreatedIn = (ms: number, created: ListQuery['created'] = []) =>
  created.every(({ name, value }) => {
    const [first, last] = parseSpan(value)
    return { 'created[gte]': ms >= first, 'created[gt]': ms > last, 'created[lte]': ms <= last, 'created[lt]': ms < first }[name]
  })

/** Converts text to lowercase and replaces the final form of sigma, which searches treat as the same letter. */
const fold = (text: string) => text.toLowerCase().replaceAll('ς', 'σ')

/** Returns a table query with the same filters as a list. */
const makeTableQuery = (seller: string, { status, pageId, ...params }: Partial<ListParams>) =>
  toTableQuery(
    resources.payments,
    seller,
    { limit: 20, ...params, status: status ? [status] : [], pageId: pageId ? [pageId] : [] },
    TIME_ZONE,
  )

const matches = (line: Line, { status, pageId, created, search }: ListQuery) =>
  (status === undefined || line.status === status) &&
  (pageId === undefined || line.pageId === pageId) &&
  isCreatedIn(Date.parse(String(line.createdAt)), created) &&
  (search === undefined || [line.customerEmail, line.orderId].some((text) => fold(String(text ?? '')).includes(fold(search))))

type CreatedBound = NonNullable<ListQuery['created']>[number]
const parseBound = ({ name, value }: CreatedBound) => parseSpan(value)[name === 'created[gt]' || name === 'created[lte]' ? 1 : 0]

/** Drops the second lower and the second upper bound, which the API rejects. */
function withoutSecondBounds<Params extends CreatedParams>(original: Params): Params {
  const params = { ...original }
  if (params['created[gte]']) delete params['created[gt]']
  if (params['created[lte]']) delete params['created[lt]']
  return params
}

function expectedPage(lines: Line[], query: ListQuery) {
  const { cursor, direction, limit } = query
  const found = lines.filter((line) => matches(line, query)).sort(newestFirst)
  const cursorLine = lines.find(({ id }) => id === cursor)
  const remaining = !cursorLine
    ? found
    : direction === 'older'
      ? found.filter((line) => newestFirst(cursorLine, line) < 0)
      : found.filter((line) => newestFirst(line, cursorLine) < 0)
  const rows = direction === 'newer' ? remaining.slice(-limit) : remaining.slice(0, limit)
  return { ids: rows.map(({ id }) => id), hasMore: remaining.length > limit, total: found.length, found }
}

it('returns the page, total, position and status counts of the matching records in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(payment, { maxLength: 12 }),
      fc.array(parameters, { minLength: 12, maxLength: 12 }),
      async (payments, queries) => {
        const [seller, other] = [await makeSeller(TIME_ZONE), await makeSeller()]
        const lines = payments.map((line) => JSON.parse(JSON.stringify(minimal('payments', line))) as Line)
        await importLines('payments', seller, lines)
        await importLines('payments', other, [...lines, minimal('payments', { customerEmail: 'ada@example.com', orderId: 'or-1' })])
        for (const { cursor: cursorIndex, direction, withSecrets, limit, ...filters } of queries) {
          const params = withoutSecondBounds(filters)
          const cursor = cursorIndex === undefined ? undefined : lines[cursorIndex % lines.length]?.id
          const query = toListQuery(
            resources.payments,
            seller,
            { limit, ...params, ...(cursor ? { [direction]: String(cursor) } : {}) },
            withSecrets,
          )
          const [lower, upper] = query.created ?? []
          if (lower && upper && parseBound(lower) > parseBound(upper)) {
            await expect(listRecords(query)).rejects.toMatchObject({ code: 'parameter_invalid', param: upper.name })
            await expect(exportCsv(makeTableQuery(seller, params)).next()).rejects.toMatchObject({ code: 'parameter_invalid' })
            continue
          }
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
          const table = makeTableQuery(seller, params)
          expect(await countStatuses(table)).toEqual(counts)
          const [first] = records
          if (first)
            expect(await tablePosition(table, total, String(first.id))).toBe(expected.found.findIndex(({ id }) => id === first.id) + 1)
          let csv = ''
          for await (const chunk of exportCsv(table)) csv += chunk
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

it('rejects a cursor that is not a record of the seller, and names the invalid parameter', async () => {
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
      hasPrevious: true,
      hasNext: false,
      total,
    })
})

it('returns secret members only if the query includes them, whichever query runs first', async () => {
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

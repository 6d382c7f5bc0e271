/** Date filters accept timestamps, Unix seconds and dates, which mean whole days in the seller's time zone. Totals are exact and cached. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeKey, makeSeller, minimal } from '@/testing/seller'
import { captureStatements, explain } from '@/testing/statements'
import { RESOURCE_NAMES, resources } from '../catalog'
import { dayIn } from '../core/time'
import { listRoute } from '../http/list-route'
import { toListQuery } from './list-query'
import { listRecords } from './list-records'

const testDatabase = withOwnDatabase()

type Body = { total: number; data: { createdAt: string }[]; code?: string; param?: string; message?: string }

async function openReader(seller: string, name: (typeof RESOURCE_NAMES)[number] = 'payments') {
  const { key } = await makeKey(seller)
  const { GET } = listRoute(resources[name])
  return async (query: string) => {
    const response = await GET(new Request(`http://x/v1/${name}?${query}`, { headers: { authorization: `Bearer ${key}` } }))
    return { status: response.status, ...((await response.json()) as Body) }
  }
}

const paymentsAt = (...instants: string[]) => instants.map((createdAt) => minimal('payments', { createdAt }))

/** Returns whether a statement counts the records of a date range. Only these statements read the planner's statistics. */
const isCounting = ({ sql: text }: { sql: string }) => text.includes('histogram_bounds')

describe('the bounds', () => {
  it.each(RESOURCE_NAMES)('restrict the list of %s', async (name) => {
    const seller = await makeSeller()
    await importLines(
      name,
      seller,
      [1, 2, 3].map((day) => minimal(name, { createdAt: `2026-03-0${day}T00:00:00.000Z` })),
    )
    const sendRequest = await openReader(seller, name)
    const days = async (query: string) => (await sendRequest(query)).data.map(({ createdAt }) => createdAt.slice(8, 10)).join('')
    expect(await days('created[gte]=2026-03-02T00:00:00Z')).toBe('0302')
    expect(await days('created[gt]=2026-03-02T00:00:00Z')).toBe('03')
    expect(await days('created[lte]=2026-03-02T00:00:00Z')).toBe('0201')
    expect(await days('created[lt]=2026-03-02T00:00:00Z')).toBe('01')
    expect(await sendRequest('created%5Bgte%5D=2026-03-02&created%5Blte%5D=2026-03-02')).toMatchObject({ total: 1 })
  })

  it.each([
    ['2026-03-01T12:00:00.000Z', 1],
    ['2026-03-01T12:00:00Z', 1],
    ['2026-03-01T12:00Z', 1],
    ['2026-03-01T13:00:00%2B01:00', 1],
    ['2026-03-01T12:00:00.000001Z', 0],
    ['1772366400', 1],
    ['1772366401', 0],
    ['-1', 1],
    ['0', 1],
    ['20261321', 1],
    ['', 1],
    ['0001-01-01', 1],
    ['9999-12-31', 0],
  ])('accept %j', async (value, total) => {
    const seller = await makeSeller()
    await importLines('payments', seller, paymentsAt('2026-03-01T12:00:00.000Z'))
    expect(await (await openReader(seller))(`created[gte]=${value}`)).toMatchObject({ status: 200, total })
  })

  it.each([
    'yesterday',
    '2026-02-30',
    '2026-3-1',
    '2026-03-01T12:00:00',
    '2026-03-01T25:00:00Z',
    '2026-03-01T12:00:00.1234567Z',
    '2026-03-01T13:00:00+01:00',
    '0000-01-01',
    '1772323200000',
    '1e9',
    '1.5',
    '2026',
    '202611',
    '20261121',
    ' 1',
    '%D9%A3',
  ])('reject %j', async (value) => {
    const response = await (await openReader(await makeSeller()))(`created[lt]=${value}`)
    expect(response).toMatchObject({ status: 400, code: 'parameter_invalid', param: 'created[lt]' })
  })

  it('are rejected with a hint to encode + if the offset starts with a space', async () => {
    const response = await (await openReader(await makeSeller()))('created[lt]=2026-03-01T13:00:00+01:00')
    expect(response).toMatchObject({ message: expect.stringMatching(/, or Unix seconds\. In a URL, encode \+ as %2B\.$/) })
  })

  it.each([
    ['created[gte]=1&created[gt]=1', 'parameters_exclusive', 'created[gt]'],
    ['created[lte]=1&created[lt]=1', 'parameters_exclusive', 'created[lt]'],
    ['created[gte]=1&created[gte]=1', 'parameter_repeated', 'created[gte]'],
    ['created=1', 'parameter_unknown', 'created'],
    ['created[]=1', 'parameter_unknown', 'created[]'],
    ['created[gte]=2026-03-02&created[lte]=2026-03-01', 'parameter_invalid', 'created[lte]'],
    ['created[gt]=2&created[lt]=1', 'parameter_invalid', 'created[lt]'],
    ['created[gt]=2&created[lt]=1&search=a', 'parameter_invalid', 'created[lt]'],
  ])('are rejected if they are contradictory, repeated or unknown: %s', async (query, code, param) => {
    expect(await (await openReader(await makeSeller()))(query)).toMatchObject({ status: 400, code, param })
  })

  it('may be equal', async () => {
    const seller = await makeSeller()
    await importLines('payments', seller, paymentsAt('2026-03-01T12:00:00.000Z'))
    const sendRequest = await openReader(seller)
    expect(await sendRequest('created[gte]=1772366400&created[lte]=1772366400')).toMatchObject({ total: 1 })
    expect(await sendRequest('created[gt]=2026-03-01&created[lte]=2026-03-01')).toMatchObject({ status: 200, total: 0 })
  })

  it('treat a date as the whole day in the seller’s time zone, even after the time zone is changed', async () => {
    // The clocks go forward at 02:00 on March 29, 2026, so the day has 23 hours.
    const seller = await makeSeller('Europe/Amsterdam')
    await importLines(
      'payments',
      seller,
      paymentsAt('2026-03-28T22:59:59.999Z', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z', '2026-03-29T22:00:00.000Z'),
    )
    const sendRequest = await openReader(seller)
    const totals = () =>
      Promise.all(['gte', 'gt', 'lte', 'lt'].map(async (bound) => (await sendRequest(`created[${bound}]=2026-03-29`)).total))
    expect(await totals()).toEqual([3, 1, 3, 1])
    expect(await sendRequest('created[gte]=2026-03-29&created[lte]=2026-03-29')).toMatchObject({ total: 2 })
    expect(await sendRequest('created[gte]=2026-03-29&created[lte]=2026-03-29&search=e')).toMatchObject({ status: 200 })
    await database().use(({ rows }) => rows(sql`update sellers set time_zone = 'UTC' where id = ${seller}`))
    expect(await totals()).toEqual([2, 0, 4, 2])
    // The bounds are compared in the seller's time zone, in which the day starts after this instant.
    expect(await sendRequest('created[gte]=2026-03-29&created[lt]=2026-03-28T23:30:00Z')).toMatchObject({ code: 'parameter_invalid' })
  })

  it.each([
    ['Atlantic/Azores', '2025-10-26T00:00:00.000Z'],
    ['America/Havana', '2025-11-02T04:00:00.000Z'],
    ['Antarctica/Casey', '2023-03-08T13:00:00.000Z'],
  ])('use the first midnight of a date that has two in %s', async (zone, midnight) => {
    const seller = await makeSeller(zone)
    const times = [-1, 0, 3_600_000].map((ms) => new Date(Date.parse(midnight) + ms))
    await importLines('payments', seller, paymentsAt(...times.map((time) => time.toISOString())))
    const date = dayIn(zone, new Date(midnight))
    expect(await (await openReader(seller))(`created[gte]=${date}&created[lte]=${date}`)).toMatchObject({ total: 2 })
    expect(await (await openReader(seller))(`created[lt]=${date}`)).toMatchObject({ total: 1 })
  })
})

describe('the total of a date range', () => {
  const RECORDS = 4_000
  let seller: string

  /** Imports one record per hour from January 1, 2026. Every tenth record has the status `failed`. */
  beforeAll(async () => {
    seller = await makeSeller()
    await importLines(
      'payments',
      seller,
      Array.from({ length: RECORDS }, (_, hour) =>
        minimal('payments', { createdAt: new Date(Date.UTC(2026, 0, 1, hour)).toISOString(), status: hour % 10 ? 'paid' : 'failed' }),
      ),
    )
    await database().use(({ rows }) => rows(sql`vacuum (analyze) payments`))
  })

  const instant = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString()
  const query = (from: number, to: number, filters = {}) =>
    toListQuery(resources.payments, seller, { limit: 1, 'created[gte]': instant(from), 'created[lt]': instant(to), ...filters })

  it.each([
    [0, 400],
    [100, 3900],
    [0, RECORDS],
    [-100, RECORDS + 100],
    [1900, 2100],
    [3000, RECORDS],
  ])('from hour %i to hour %i is exact, and counting it reads at most about half of the list', async (from, to) => {
    const [first, last] = [Math.max(0, from), Math.min(RECORDS, to)]
    for (const [filters, total] of [
      [{}, last - first],
      [{ status: 'failed' }, Math.ceil(last / 10) - Math.ceil(first / 10)],
    ] as const) {
      const all = await captureStatements(async () => {
        expect((await listRecords(query(from, to, filters))).total).toBe(total)
      })
      // Background tasks that another test file started in this process may run their own statements in the meantime.
      const statements = all.filter(({ sql }) => sql.includes('"payments"'))
      expect(statements).toHaveLength(1)
      const [plan] = await Promise.all(statements.map((statement) => explain(testDatabase.url, statement)))
      const read = (plan ?? [])
        .filter((node) => node['Relation Name']?.startsWith('payments'))
        .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0)
      expect(read).toBeLessThan(RECORDS * 0.52 + 100)
      // Without other filters, records are read only for the page, and the count scans the narrowest index that contains the date.
      const counted = (plan ?? []).filter((node) => node['Relation Name']?.startsWith('payments_texts') && node['Actual Loops'] > 0)
      const indexes = counted.map((node) => [node['Node Type'], node['Index Name']?.replace(/_\d+_/, '_')])
      const narrow = ['Index Only Scan', 'payments_texts_seller_created_at_id_idx']
      expect(indexes).toEqual('status' in filters ? [] : counted.map(() => narrow))
      expect(counted.length > 0).toBe(!('status' in filters))
    }
  })

  it('is counted once per version of the list, and matches the snapshot that each page is read from', async () => {
    const range = query(10, 3000)
    const { total, rows } = await listRecords(range)
    expect(total).toBe(2990)
    const cursor = JSON.parse(String(rows[0])).id as string
    const statements = await captureStatements(async () => {
      expect((await listRecords({ ...range, cursor })).total).toBe(2990)
    })
    expect(statements).toHaveLength(1)
    const [plan] = await Promise.all(statements.map((statement) => explain(testDatabase.url, statement)))
    expect(Math.max(...(plan ?? []).map((node) => node['Actual Rows'] * node['Actual Loops']))).toBeLessThanOrEqual(101)
    await importLines('payments', seller, [minimal('payments', { createdAt: instant(20) })])
    // If the cached total turns out to be outdated, the page is read again, in the same snapshot as the new count.
    const again = await captureStatements(async () => {
      expect((await listRecords({ ...range, cursor })).total).toBe(2991)
    })
    expect(again.map(isCounting)).toEqual([false, true])
    expect((await listRecords(range)).total).toBe(2991)
  })

  it('is counted once for parallel requests, and again after a record has changed', async () => {
    const range = query(15, 3100)
    const readInParallel = async () => {
      const statements = await captureStatements(async () => {
        const pages = await Promise.all(Array.from({ length: 8 }, () => listRecords(range)))
        expect(new Set(pages.map(({ total }) => total)).size).toBe(1)
      })
      const pages = statements.filter(({ sql }) => sql.includes('page.*'))
      return { pages: pages.length, counts: pages.filter(isCounting).length }
    }
    expect(await readInParallel()).toEqual({ pages: 8, counts: 1 })
    await importLines('payments', seller, [minimal('payments', { createdAt: instant(30) })])
    // The first request finds that the cached total is outdated, and reads its page again.
    expect(await readInParallel()).toEqual({ pages: 9, counts: 1 })
    expect(await readInParallel()).toEqual({ pages: 8, counts: 0 })
  })
})

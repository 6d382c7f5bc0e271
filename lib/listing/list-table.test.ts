/** Tables return the same records as a naive in-memory filter, search and sort, page by page in both directions. */
// @module-tag slow
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, type Line, makeSeller, minimal } from '@/testing/seller'
import { captureStatements, explain } from '@/testing/statements'
import { type ResourceName, resources } from '../catalog'
import { getPeriodDays, listSortKeys, type TableParams, tableParams } from '../catalog/table-params'
import { joinValues } from '../catalog/value-list'
import { toMinorUnits } from '../core/money'
import { NO_CURRENCY } from '../core/no-currency'
import { listAssembled } from './assembled-list'
import { findCustomerOrders } from './customer-orders'
import { findAnywhere } from './find-anywhere'
import { toListQuery } from './list-query'
import { listRecords } from './list-records'
import { countPreceding, listTable, tablePosition } from './list-table'
import { ticketList } from './list-tickets'
import { getPartition, readSellerNumber } from './search-matches'
import { countFiltered, countTests, readChoices, readFacets, sumFiltered } from './table-facets'
import { toTableQuery } from './table-query'
import { listTicketTable, toTicketQuery } from './ticket-table'

const testDatabase = withOwnDatabase()

const PAGES = ['aaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbb']
const NAMES = ['Zoë Haddad', 'Ada Lovelace', 'Xóchitl Núñez', 'Søren Straße', 'ada lovelace', undefined]

/** A seeded pseudo-random generator, so that failures are reproducible. */
function makeRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return { next, pick: <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)] as Item }
}

let seller: string
const stored: Record<'payments' | 'customers' | 'coupons', Line[]> = { payments: [], customers: [], coupons: [] }

beforeAll(async () => {
  seller = await makeSeller('Asia/Tokyo')
  const { pick } = makeRandom(7)
  const createdAt = () => `2026-0${pick([1, 2])}-${pick(['01', '02', '28'])}T${pick(['00', '15'])}:00:00.000Z`
  const name = () => pick(NAMES)
  stored.payments = Array.from({ length: 70 }, (_, i) => {
    const [person, method] = [name(), pick(['card', 'ideal', undefined])]
    return minimal('payments', {
      orderId: `OR-${i}`,
      createdAt: createdAt(),
      status: pick(['paid', 'failed', 'refunded']),
      pageId: pick([...PAGES, undefined]),
      currency: pick(['eur', 'JPY', 'kwd', 'huf', undefined]),
      amount: pick([0, 1, 110, 500, 1250, 1999, 99_000]),
      livemode: pick([true, false, undefined]),
      customerEmail: pick(['ada@example.com', 'zoe@example.com', undefined]),
      ...(person ? { billing: { name: person } } : {}),
      ...(method ? { paymentMethod: { method } } : {}),
    })
  })
  stored.customers = Array.from({ length: 30 }, () =>
    minimal('customers', {
      email: pick(['', 'q@example.com', 'ada@example.com']),
      name: name(),
      companyName: pick(['Analytics', undefined]),
      createdAt: createdAt(),
    }),
  )
  stored.coupons = Array.from({ length: 30 }, () =>
    minimal('coupons', { timesRedeemed: pick([0, 3, 12, undefined]), createdAt: createdAt() }),
  )
  for (const resource of ['payments', 'customers', 'coupons'] as const) await importLines(resource, seller, stored[resource])
})

/** The same text with ASCII punctuation, and with the typographic punctuation of phones and word processors. */
const SPELLINGS = [`D'Angelo "A-B"`, 'D’Angelo “A–B”']

const unaccent = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ø', 'o')
    .replaceAll('ß', 'ss')

const joinNames = (record: Line) =>
  unaccent([(record.billing as Line | undefined)?.name, record.name, record.companyName].filter((part) => part !== undefined).join(' '))
const listSearchedTexts = (record: Line) =>
  ['customerEmail', 'orderId', 'email', 'name', 'companyName', 'label', 'code'].map((member) => String(record[member] ?? '').toLowerCase())

/** Returns a record's sort value. */
function getSortValue(record: Line, key: string): string | number | undefined {
  if (key === 'amount') return Number(record.amount)
  if (key === 'uses') return Number(record.timesRedeemed ?? 0)
  return (joinNames(record) || String(record.customerEmail ?? record.email ?? '')).slice(0, 100) || undefined
}

/** Filters, searches and sorts all records in memory. */
function expectedRecords(resource: keyof typeof stored, params: Partial<TableParams>): Line[] {
  const { status, pageId, method, currency, livemode, search, sort = '-createdAt', ids } = params
  const words = search?.split(' ') ?? []
  const found = stored[resource].filter((record) => {
    const toMinor = (amount: number) => toMinorUnits(String(amount), record.currency as string | undefined)
    const [day] = new Date(Date.parse(String(record.createdAt)) + 9 * 3_600_000).toISOString().split('T')
    return (
      (!status || status.includes(String(record.status))) &&
      (!pageId || pageId.includes(String(record.pageId))) &&
      (!method || method.includes(String((record.paymentMethod as Line | undefined)?.method))) &&
      (!currency || String(record.currency ?? NO_CURRENCY).toUpperCase() === currency) &&
      (!livemode || livemode.includes(record.livemode === false ? 'false' : 'true')) &&
      (params['amount[gte]'] === undefined || Number(record.amount) >= toMinor(params['amount[gte]'])) &&
      (params['amount[lte]'] === undefined || Number(record.amount) <= toMinor(params['amount[lte]'])) &&
      (!params['created[gte]'] || String(day) >= params['created[gte]']) &&
      (!params['created[lte]'] || String(day) <= params['created[lte]']) &&
      (!ids || ids.includes(String(record.id))) &&
      words.every(
        (word) =>
          (unaccent(word) !== '' && joinNames(record).includes(unaccent(word))) ||
          listSearchedTexts(record).some((text) => text.includes(word.toLowerCase())),
      )
    )
  })
  const [key, sign] = [sort.replace('-', ''), sort.startsWith('-') ? -1 : 1]
  const compare = <Value extends string | number>(a: Value, b: Value) => (a < b ? -sign : a > b ? sign : 0)
  return found.sort((a, b) => {
    const [valueA, valueB] = key === 'createdAt' ? [0, 0] : [getSortValue(a, key), getSortValue(b, key)]
    const breakTie = () => compare(String(a.createdAt), String(b.createdAt)) || compare(String(a.id), String(b.id))
    if (valueA === undefined || valueB === undefined) return valueA === valueB ? breakTie() : valueA === undefined ? 1 : -1
    return compare(valueA, valueB) || breakTie()
  })
}

const makeQuery = (resource: ResourceName, params: Partial<TableParams>) =>
  toTableQuery(resources[resource], seller, { limit: 7, ...params }, 'Asia/Tokyo')

const readIds = (records: Buffer[]) => records.map((record) => String((JSON.parse(record.toString()) as Line).id))

async function expectSameAsNaive(resource: keyof typeof stored, params: Partial<TableParams>): Promise<void> {
  const wanted = expectedRecords(resource, params).map(({ id }) => String(id))
  const label = `${resource} ${JSON.stringify(params)}`
  const forward: string[] = []
  for (let cursor: string | undefined; ; cursor = forward.at(-1)) {
    const page = await listTable(makeQuery(resource, { ...params, starting_after: cursor }))
    expect([page.total, page.hasPrevious], label).toEqual([wanted.length, cursor !== undefined])
    forward.push(...readIds(page.rows))
    expect(page.hasNext, label).toBe(forward.length < wanted.length)
    if (!page.hasNext) break
  }
  expect(forward, label).toEqual(wanted)
  const last = wanted.at(-1)
  if (last === undefined) return
  const backward = [last]
  for (let hasPrevious = true; hasPrevious; ) {
    const page = await listTable(makeQuery(resource, { ...params, ending_before: backward[0] }))
    backward.unshift(...readIds(page.rows))
    hasPrevious = page.hasPrevious
  }
  expect(backward, `${label}, backward`).toEqual(wanted)
  for (const isQuick of [true, false])
    expect(await tablePosition(makeQuery(resource, params), wanted.length, last, { isQuick }), label).toBe(wanted.length)
  const preceding = (max: number) => countPreceding({ ...makeQuery(resource, params), cursor: last }, max)
  expect([await preceding(100), await preceding(3)], label).toEqual([wanted.length - 1, Math.min(wanted.length - 1, 3)])
}

describe('a table', () => {
  it.each([
    {},
    { status: ['failed', 'paid'] },
    { status: ['failed'], pageId: [String(PAGES[0]), String(PAGES[1])] },
    { method: ['ideal'] },
    { livemode: ['true' as const] },
    { livemode: ['true' as const, 'false' as const] },
    { livemode: ['false' as const], currency: 'EUR' },
    { currency: NO_CURRENCY },
    { 'amount[gte]': 1, 'amount[lte]': 500 },
    { 'amount[gte]': 1.1, 'amount[lte]': 19.99 },
    { 'created[gte]': '2026-01-02', 'created[lte]': '2026-02-01', method: ['card'] },
  ])('filters by %j', (params) => expectSameAsNaive('payments', params))

  it.each([
    'zoe',
    'HADDAD zoë',
    'nunez xochi',
    'strasse',
    'ada@example',
    'lovelace or-',
    'or-1',
    'nobody',
    '\u0301',
    '％',
    '%',
    '_',
    'a\u0301da',
  ])('finds the same records as a naive search for %j, which ignores accents and word order in names', async (search) => {
    for (const params of [{ search }, { search, status: ['paid', 'failed'] }, { search, sort: 'createdAt' }, { search, sort: 'customer' }])
      await expectSameAsNaive('payments', params)
    await expectSameAsNaive('customers', { search })
  })

  it('sorts by each column in both directions, with records without a value last', async () => {
    for (const sort of ['createdAt', '-customer', 'customer']) await expectSameAsNaive('payments', { sort })
    for (const sort of ['amount', '-amount']) await expectSameAsNaive('payments', { sort, currency: 'EUR' })
    for (const sort of ['-customer', 'customer']) await expectSameAsNaive('customers', { sort })
    for (const sort of ['uses', '-uses', 'createdAt']) await expectSameAsNaive('coupons', { sort })
    await expectSameAsNaive('payments', { ids: stored.payments.slice(0, 9).map(({ id }) => String(id)) })
  })

  it('returns no position for a record that has since been deleted, if the table is sorted by amount', async () => {
    expect(await tablePosition(makeQuery('payments', { sort: 'amount', currency: 'EUR' }), 10, '0'.repeat(24))).toBeUndefined()
  })

  it('returns the same records as a naive filter for random combinations of parameters', async () => {
    const { next, pick } = makeRandom(11)
    for (let round = 0; round < 40; round += 1) {
      const currency = pick(['EUR', 'JPY', NO_CURRENCY, undefined])
      const sort = pick([...(currency ? ['amount', '-amount'] : []), 'customer', '-customer', 'createdAt', undefined])
      const params: Partial<TableParams> = {
        ...(next() < 0.4 ? { status: pick([['paid'], ['failed', 'refunded']]) } : {}),
        ...(next() < 0.3 ? { pageId: pick([PAGES, PAGES.slice(1)]) } : {}),
        ...(next() < 0.3 ? { method: pick([['card'], ['card', 'ideal']]) } : {}),
        ...(next() < 0.3 ? { livemode: [pick(['true', 'false'] as const)] } : {}),
        ...(next() < 0.3 ? { 'amount[gte]': pick([0.01, 5, 12.5]) } : {}),
        ...(next() < 0.3 ? { 'created[gte]': '2026-01-02' } : {}),
        ...(next() < 0.3 ? { search: pick(['ada', 'zoe h', 'or-2']) } : {}),
        ...(currency ? { currency } : {}),
        ...(sort ? { sort } : {}),
      }
      await expectSameAsNaive('payments', params)
    }
  })

  it('counts the records by status, ignoring the status filter, and sums amounts per currency, excluding test records unless only they are listed', async () => {
    const query = makeQuery('payments', { status: ['paid'], method: ['card'] })
    const facets = await readFacets(query)
    const wanted = expectedRecords('payments', { method: ['card'] })
    for (const status of ['paid', 'failed', 'refunded'])
      expect(facets.statuses[status] ?? 0).toBe(wanted.filter((record) => record.status === status).length)
    const paid = wanted.filter(({ status }) => status === 'paid')
    expect(countFiltered(query, facets)).toBe(paid.length)
    const sums = new Map<string, number>()
    for (const { livemode, currency, amount } of paid) {
      const code = String(currency ?? '').toUpperCase()
      if (livemode !== false) sums.set(code, (sums.get(code) ?? 0) + Number(amount))
    }
    expect(new Map(sumFiltered(query, facets).map(({ currency, amount }) => [currency, amount]))).toEqual(sums)
    expect(countTests(query, facets)).toBe(paid.filter(({ livemode }) => livemode === false).length)
    expect(countTests(query, facets)).toBeGreaterThan(0)
    const test = makeQuery('payments', { livemode: ['false'], currency: 'EUR' })
    const amounts = expectedRecords('payments', { livemode: ['false'], currency: 'EUR' }).map(({ amount }) => Number(amount))
    expect(sumFiltered(test, await readFacets(test))).toEqual([
      { currency: 'EUR', amount: amounts.reduce((sum, amount) => sum + amount, 0) },
    ])
  })

  it('offers the methods and currencies of the records that match all other filters', async () => {
    const { methods, currencies } = await readChoices(makeQuery('payments', { method: ['ideal'], status: ['failed'] }))
    const failed = expectedRecords('payments', { status: ['failed'] })
    const count = (method: string) => failed.filter(({ paymentMethod }) => (paymentMethod as Line | undefined)?.method === method).length
    expect(Object.fromEntries(methods.map(({ value, count: found }) => [value, found]))).toEqual({
      card: count('card'),
      ideal: count('ideal'),
    })
    expect(currencies.map(({ value }) => value).sort()).toEqual(['EUR', 'HUF', 'JPY', 'KWD'])
  })

  it('counts again after a record has been added', async () => {
    const shop = await makeSeller()
    const query = toTableQuery(resources.payments, shop, { limit: 5, status: ['paid', 'failed'] }, 'UTC')
    await importLines('payments', shop, [minimal('payments', { status: 'paid', currency: 'eur', amount: 5 })])
    expect((await listTable(query)).total).toBe(1)
    await importLines('payments', shop, [minimal('payments', { status: 'failed', currency: 'eur', amount: 7 })])
    // The same statement reads the page and counts the records.
    const statements = await captureStatements(async () => {
      expect((await listTable(query)).total).toBe(2)
    })
    expect(statements).toHaveLength(1)
    expect(sumFiltered(query, await readFacets(query))).toEqual([{ currency: 'EUR', amount: 12 }])
  })

  it.each(SPELLINGS)('finds %s, whether the record has typographic or ASCII punctuation', async (search) => {
    const shop = await makeSeller()
    await importLines(
      'customers',
      shop,
      SPELLINGS.map((name) => minimal('customers', { name })),
    )
    await importLines('payments', shop, [
      ...SPELLINGS.map((name) => minimal('payments', { billing: { name } })),
      ...SPELLINGS.map((orderId) => minimal('payments', { orderId, customerEmail: `${orderId.slice(0, 8)}@example.com` })),
    ])
    await importLines(
      'tickets',
      shop,
      SPELLINGS.map((customerName) => minimal('tickets', { customerName })),
    )
    expect((await listRecords(toListQuery(resources.customers, shop, { limit: 7, search }))).total).toBe(2)
    expect((await listAssembled(ticketList(shop, { search }, false), shop, { limit: 7 })).total).toBe(2)
    expect((await listTicketTable(toTicketQuery(shop, { limit: 7, search }, 'UTC'))).total).toBe(2)
    const payments = await listTable(toTableQuery(resources.payments, shop, { limit: 7, search }, 'UTC'))
    expect(payments.total).toBe(4)
    const { found } = await findAnywhere(shop, search)
    expect(found.map(({ resource }) => resource)).toEqual([
      ...Array(4).fill('payments'),
      ...['customers', 'customers', 'tickets', 'tickets'],
    ])
    // Email addresses that differ in their punctuation belong to different customers.
    const { lists } = await findCustomerOrders(shop, { id: '', email: `${search.slice(0, 8)}@example.com` })
    expect(lists.payments.count).toBe(1)
  })

  it.each(['payments', 'bookings', 'subscriptions'] as const)(
    'finds %s by the company in their billing details, and sorts those without a person’s name by it',
    async (name) => {
      const shop = await makeSeller()
      const company = minimal(name, { customerEmail: 'z@example.com', billing: { companyName: 'Blå Engines B.V.' } })
      const both = minimal(name, { customerEmail: 'y@example.com', billing: { name: 'Ada', companyName: 'Blå Engines B.V.' } })
      const person = minimal(name, { customerEmail: 'x@example.com', billing: { name: 'Charles' } })
      await importLines(name, shop, [company, both, person])
      const list = async (params: Partial<TableParams>) =>
        readIds((await listTable(toTableQuery(resources[name], shop, { limit: 7, ...params }, 'UTC'))).rows)
      expect(await list({ search: 'engines bla', sort: 'customer' })).toEqual([both.id, company.id])
      expect(await list({ sort: 'customer' })).toEqual([both.id, company.id, person.id])
      expect((await findAnywhere(shop, 'blå engines')).found.map(({ detail }) => detail).sort()).toEqual(['Ada', 'Blå Engines B.V.'])
    },
  )

  it('never returns another seller’s records', async () => {
    // The other seller is in the same partition, which contains the texts of both sellers.
    const partition = async (id: string) => getPartition(resources.payments, await readSellerNumber(database(), id))
    let other = await makeSeller()
    while (!isDeepStrictEqual(await partition(other), await partition(seller))) other = await makeSeller()
    const query = (params: Partial<TableParams>) => toTableQuery(resources.payments, other, { limit: 5, ...params }, 'UTC')
    const cursor = String(stored.payments[0]?.id)
    for (const params of [{ sort: 'customer' }, { search: 'zoe' }, { ids: [cursor] }, { method: ['card'] }])
      expect(await listTable(query(params))).toMatchObject({ rows: [], total: 0 })
    await expect(listTable(query({ sort: 'customer', starting_after: cursor }))).rejects.toMatchObject({ code: 'resource_missing' })
  })
})

it('reads a sorted page from an index, without sorting the list', async () => {
  const large = await makeSeller()
  await database().use(({ rows }) =>
    rows(sql`
      insert into payments (seller_id, record)
      select ${large}, json_build_object('id', lpad(to_hex(n), 24, '0'), 'sellerId', ${large}::text, 'amount', n * 7919 % 10007, 'currency', 'eur',
        'taxBreakdown', '[]'::json, 'status', 'paid', 'billing', json_build_object('name', 'Guest ' || n * 7919 % 10007), 'createdAt', '2026-01-01T00:00:00.000Z')
      from generate_series(1, 10000) as n`),
  )
  await database().use(({ rows }) => rows(sql`vacuum (analyze) payments_texts`))
  for (const params of [
    { sort: '-amount', currency: 'EUR' },
    { sort: 'amount', currency: 'EUR' },
    { sort: 'customer' },
    { sort: '-customer' },
    { livemode: ['true' as const] },
    { status: ['paid', 'failed'], sort: 'createdAt' },
  ]) {
    const query = toTableQuery(resources.payments, large, { limit: 20, ...params }, 'UTC')
    const first = await listTable(query)
    const last = String(readIds(first.rows).at(-1))
    const reads = [
      () => listTable(query),
      () => listTable({ ...query, cursor: last }),
      () => countPreceding({ ...query, cursor: last }, 21),
    ]
    for (const read of reads) {
      const statements = await captureStatements(read)
      const plans = (await Promise.all(statements.map((statement) => explain(testDatabase.url, statement)))).flat()
      const indexScans = plans.filter((node) => String(node['Index Name']).match(/seller_(created_at|currency|desk_customer_key)/))
      expect(indexScans.length, JSON.stringify(params)).toBeGreaterThan(0)
      expect(Math.max(...indexScans.map((node) => Number(node['Actual Rows'])))).toBeLessThanOrEqual(21)
    }
  }
})

describe('the parameters of a table', () => {
  it('accept several values, and reject invalid values and filters that the resource does not have', () => {
    const schema = tableParams(resources.payments)
    expect(schema.parse({ status: 'paid,failed', currency: 'eur', sort: '-amount' })).toMatchObject({
      status: ['paid', 'failed'],
      currency: 'EUR',
    })
    expect(schema.parse({ method: joinValues(['card, on file', 'ideal']) })).toMatchObject({ method: ['card, on file', 'ideal'] })
    for (const params of [
      { status: 'paid,nope' },
      { sort: 'uses' },
      { livemode: 'yes' },
      { 'amount[gte]': '1e9' },
      { period: 'ever' },
      { method: '\0' },
      { currency: '\0' },
    ])
      expect(schema.safeParse(params).success, JSON.stringify(params)).toBe(false)
    expect(tableParams(resources.coupons).safeParse({ currency: 'eur' }).success).toBe(false)
    expect(listSortKeys(resources.coupons)).toEqual(['createdAt', 'uses'])
    expect(listSortKeys(resources.customers)).toEqual(['createdAt', 'customer'])
    expect(() => makeQuery('payments', { sort: 'amount' })).toThrow('Choose a currency')
    expect(() => makeQuery('payments', { period: 'today', 'created[gte]': '2026-01-01' })).toThrow('either period or created')
  })

  it.each([
    ['today', '2026-03-01', '2026-03-01', '2026-03-01'],
    ['yesterday', '2026-03-01', '2026-02-28', '2026-02-28'],
    ['7d', '2026-03-01', '2026-02-23', '2026-03-01'],
    ['30d', '2026-03-01', '2026-01-31', '2026-03-01'],
    ['this_month', '2026-03-17', '2026-03-01', '2026-03-17'],
    ['last_month', '2026-01-31', '2025-12-01', '2025-12-31'],
    ['this_year', '2026-03-17', '2026-01-01', '2026-03-17'],
  ] as const)('resolve the period %s on %s', (period, today, from, to) => {
    expect(getPeriodDays(period, today)).toEqual({ from, to })
  })
})

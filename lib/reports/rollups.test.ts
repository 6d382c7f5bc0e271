/** The rollups match the records during writes, deletions, rollbacks and truncations, and the overview equals a naive sum afterward. */
// @module-tag slow
import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { type Connection, database } from '@/db/client'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, type Line, makeSeller, minimal } from '@/testing/seller'
import { completeRecord } from '../sync/writers/writer'
import { type DateRange, getBars, loadDateRange } from './date-range'
import { recountSums } from './recount-sums'
import { loadSales } from './sales'
import { loadSubscriptions } from './subscriptions'

withOwnDatabase()

const run = <Row>(query: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(query))

/** A seeded pseudo-random generator, so that failures are reproducible. */
function makePicker(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}
type Picker = ReturnType<typeof makePicker>

const TABLES = ['payments', 'bookings', 'subscriptions'] as const
type Table = (typeof TABLES)[number]

const PAGES = [...Array.from({ length: 7 }, (_, page) => `abcdefabcdefabcdefabcde${page}`), undefined]
const STATUSES = ['paid', 'paid', 'partially_paid', 'partial_refund', 'refunded', 'failed']
const SUBSCRIPTION_STATUSES = ['active', 'trialing', 'canceled', 'canceled', 'past_due']
const QUARTER_MS = 15 * 60_000
const START = Date.now()

/** Returns an instant in the last 70 days, often the exact start of a bucket. */
function instant(pick: Picker): string {
  const start = Math.floor((START - pick(70 * 96) * QUARTER_MS) / QUARTER_MS) * QUARTER_MS
  return new Date(start + ([0, 1, pick(QUARTER_MS), QUARTER_MS - 1][pick(4)] ?? 0)).toISOString()
}

function record(table: Table, seller: string, number: number, pick: Picker): Line {
  const isSubscription = table === 'subscriptions'
  const status = isSubscription ? SUBSCRIPTION_STATUSES[pick(5)] : STATUSES[pick(6)]
  const line: Line = minimal(table, {
    id: number.toString(16).padStart(24, '0'),
    status,
    // Some canceled records lack this time, and in others it is earlier than the creation time.
    ...(status === 'canceled' && pick(4) > 0 ? { canceledAt: instant(pick) } : {}),
    ...(isSubscription
      ? {
          // In some records, the trial ends after the cancellation.
          ...(pick(3) === 0 ? { trialEnd: instant(pick) } : {}),
          interval: ['day', 'week', 'month', 'year', undefined][pick(5)],
          intervalCount: [1, 3, 0, undefined][pick(4)],
        }
      : {}),
    pageId: PAGES[pick(PAGES.length)],
    amount: pick(1_000),
    ...(isSubscription ? {} : { amountPaid: pick(500) }),
    currency: ['eur', 'EUR', 'jpy', undefined][pick(4)],
    livemode: [true, undefined, undefined, false][pick(4)],
    createdAt: instant(pick),
  })
  completeRecord(line, seller)
  return line
}

const upsert = (table: Table, seller: string, records: Line[]) => sql`
  insert into ${sql.identifier(table)} as stored (seller_id, record)
  select ${seller}, value from json_array_elements(${JSON.stringify(records)}::text::json)
  on conflict (seller_id, id) do update set record = excluded.record`

class RollbackError extends Error {}

/** Runs one step of a writer: an upsert or a deletion of several records. */
async function write({ rows }: Connection, table: Table, seller: string, pick: Picker): Promise<void> {
  const numbers = [...new Set(Array.from({ length: 1 + pick(6) }, () => pick(60)))].sort((a, b) => a - b)
  if (pick(5) > 0) {
    const records = numbers.map((number) => record(table, seller, number, pick))
    await rows(upsert(table, seller, records))
    return
  }
  const ids = numbers.map((number) => number.toString(16).padStart(24, '0'))
  await rows(sql`
    with gone as (
      select id from ${sql.identifier(table)} where seller_id = ${seller} and id = any(${sql.param(ids)}::text[]) order by id for update)
    delete from ${sql.identifier(table)} as stored using gone where stored.seller_id = ${seller} and stored.id = gone.id`)
}

const ignoreRollback = (error: unknown) => {
  if (!(error instanceof RollbackError)) throw error
}

const readAll = async (table: Table, seller: string) =>
  (await run<{ record: string }>(sql`select record::text as record from ${sql.identifier(table)} where seller_id = ${seller}`)).map(
    (row) => JSON.parse(row.record) as Line & { amount: number; createdAt: string; status: string },
  )

type Naive = { revenue: number[]; orders: number; refunds: number; pages: Map<string, number> }

/** Sums sales in plain JavaScript, by currency. */
async function naiveSales(seller: string, { starts, span }: DateRange): Promise<Map<string | undefined, Naive>> {
  const found = new Map<string | undefined, Naive>()
  for (const table of ['payments', 'bookings'] as const) {
    for (const { status, amount, amountPaid, currency, livemode, createdAt, pageId } of await readAll(table, seller)) {
      const day = starts.findLastIndex((start) => start <= createdAt)
      const isSold = ['paid', 'partially_paid', 'partial_refund'].includes(status)
      const isRefunded = ['partial_refund', 'refunded'].includes(status)
      if (livemode === false || !(isSold || isRefunded) || day < 0 || day >= 2 * span) continue
      const name = typeof currency === 'string' ? currency.toUpperCase() : undefined
      const sums = found.get(name) ?? { revenue: Array<number>(2 * span).fill(0), orders: 0, refunds: 0, pages: new Map() }
      found.set(name, sums)
      const revenue = !isSold ? 0 : status === 'partially_paid' ? Number(amountPaid) : amount
      sums.revenue[day] = (sums.revenue[day] ?? 0) + revenue
      if (day < span) continue
      sums.orders += Number(isSold)
      sums.refunds += Number(isRefunded)
      if (typeof pageId === 'string' && isSold) sums.pages.set(pageId, (sums.pages.get(pageId) ?? 0) + revenue)
    }
  }
  return found
}

async function expectSales(seller: string, days: DateRange): Promise<void> {
  const naive = await naiveSales(seller, days)
  const sales = await loadSales(seller, days)
  expect(new Set(sales.map(({ currency }) => currency))).toEqual(new Set(naive.keys()))
  const bars = getBars(days.span)
  for (const { currency, revenueBefore, revenue, current: sum, pages } of sales) {
    const expected = naive.get(currency)
    const sumBars = (since: number) =>
      bars.map((bar, index) =>
        expected?.revenue.slice(since + bar, since + (bars[index + 1] ?? days.span)).reduce((total, revenue) => total + revenue, 0),
      )
    expect([...revenueBefore, ...revenue]).toEqual([...sumBars(0), ...sumBars(days.span)])
    expect([sum.orders, sum.refunds]).toEqual([expected?.orders, expected?.refunds])
    const best = [...(expected?.pages ?? [])]
      .map(([id, revenue]) => ({ id, revenue }))
      .sort((a, b) => b.revenue - a.revenue || (a.id < b.id ? -1 : 1))
    expect(pages.map(({ id, revenue }) => ({ id, revenue }))).toEqual(best.slice(0, 5))
  }
}

const YEARLY: Record<string, number> = { day: 365, week: 52, month: 12, year: 1 }

/** Returns the monthly amount of a subscription. */
const getMonthlyAmount = ({ status, amount, interval, intervalCount }: Line) =>
  status === 'trialing' ? 0 : (Number(amount) * (YEARLY[String(interval)] ?? 0)) / 12 / Math.max(Number(intervalCount ?? 1), 1)

async function expectSubscriptions(seller: string, days: DateRange): Promise<void> {
  const [begin, end] = [String(days.starts[days.span]), String(days.starts.at(-1))]
  const live = (await readAll('subscriptions', seller)).filter(({ livemode }) => livemode !== false)
  const active = live.filter(({ status }) => status === 'active' || status === 'trialing')
  // A subscription that was canceled before its creation counts as ended at its creation.
  const ended = live
    .filter(({ status, canceledAt }) => status === 'canceled' && canceledAt !== undefined)
    .map((line) => ({ ...line, at: [String(line.canceledAt), line.createdAt].sort()[1] ?? '' }))
  const isAtStart = ({ at }: { at: string }) => at >= begin
  const pastDue = live.filter(({ status }) => status === 'past_due')
  const billed = [...active, ...pastDue]
  const mrr = (lines: Line[], currency: string | undefined) =>
    lines
      .filter((line) => (typeof line.currency === 'string' ? line.currency.toUpperCase() : undefined) === currency)
      .reduce((sum, line) => sum + getMonthlyAmount(line), 0)
  const isBefore = (line: Line) => String(line.createdAt) < begin
  const isBilled = (line: Line) => line.trialEnd === undefined || String(line.trialEnd) < begin
  const neverBilled = ({ trialEnd, at }: Line & { at: string }) => trialEnd !== undefined && String(trialEnd) >= at
  const report = await loadSubscriptions(seller, days)
  expect(report).toMatchObject({
    active: active.length,
    before: [...active, ...ended.filter(isAtStart)].filter(isBefore).length,
    created: [...active, ...ended].filter(({ createdAt }) => String(createdAt) >= begin && String(createdAt) < end).length,
    churned: ended.filter(({ at }) => at >= begin && at < end).length,
    pastDue: (await readAll('subscriptions', seller)).filter(({ status }) => status === 'past_due').length,
  })
  for (const { currency, mrr: now, before } of report.mrr) {
    expect(Math.abs(now - mrr(billed, currency))).toBeLessThan(1)
    expect(
      Math.abs(
        before -
          mrr([...billed, ...ended.filter(isAtStart).filter((line) => !neverBilled(line))].filter(isBefore).filter(isBilled), currency),
      ),
    ).toBeLessThan(1)
  }
  for (const currency of new Set(billed.filter((line) => getMonthlyAmount(line) > 0).map((line) => line.currency)))
    expect(report.mrr.map((sum) => sum.currency)).toContain(typeof currency === 'string' ? currency.toUpperCase() : undefined)
}

describe('the rollups', () => {
  it('match the records during concurrent upserts, deletions, rollbacks and truncations, and equal a naive sum afterward', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    let isWriting = true
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const pick = makePicker(writer + 1)
      const table = TABLES[writer % 3] ?? 'payments'
      for (let round = 0; round < 40; round += 1) {
        await database()
          .transaction(async (connection) => {
            const owner = pick(4) === 0 ? other : seller
            await write(connection, table, owner, pick)
            // A second statement in the same transaction writes a separate record.
            if (pick(3) === 0) await connection.rows(upsert(table, owner, [record(table, owner, 100 + writer, pick)]))
            if (pick(6) === 0) throw new RollbackError()
          })
          .catch(ignoreRollback)
      }
    })
    const truncating = (async () => {
      for (const shouldRollBack of [true, false])
        await database()
          .transaction(async ({ rows }) => {
            await rows(sql`truncate bookings`)
            if (shouldRollBack) throw new RollbackError()
          })
          .catch(ignoreRollback)
    })()
    const wrongCounts: number[] = []
    const watcher = (async () => {
      while (isWriting) wrongCounts.push((await recountSums(false)).length)
    })()
    await Promise.all([...writers, truncating])
    isWriting = false
    await watcher
    expect(wrongCounts.length).toBeGreaterThan(3)
    expect(wrongCounts.filter((count) => count > 0)).toEqual([])
    expect(await recountSums(false)).toEqual([])

    const zones: [zone: string, span: number][] = [
      ['UTC', 30],
      ['Europe/Amsterdam', 90],
      ['Asia/Kathmandu', 30],
      ['America/St_Johns', 30],
      ['Pacific/Auckland', 90],
      ['Asia/Tokyo', 1],
      ['Pacific/Chatham', 3],
      ['America/Los_Angeles', 365],
    ]
    for (const [zone, span] of zones) {
      const days = await loadDateRange(zone, span)
      for (const owner of [seller, other]) {
        await expectSales(owner, days)
        await expectSubscriptions(owner, days)
      }
    }
  })

  it('are updated without waiting for a writer that has not committed', async () => {
    const seller = await makeSeller()
    const days = await loadDateRange('UTC', 30)
    const pay = (overrides: Line) => ({ ...minimal('payments', { createdAt: days.starts[55], ...overrides }), sellerId: seller })
    const orders = async () => (await loadSales(seller, days))[0]?.current.orders ?? 0
    await run(upsert('payments', seller, [pay({})]))
    await database().transaction(async ({ rows }) => {
      await rows(upsert('payments', seller, [pay({})]))
      // This would time out if the sums of the first writer blocked it.
      await run(upsert('payments', seller, [pay({})]))
      expect(await orders()).toBe(2)
    })
    expect(await orders()).toBe(3)
    const slots = () =>
      run<{ slots: number }>(
        sql`select count(*)::int as slots from rollups where seller_id = ${seller} and level = 'three_hours' and resource = 'payments'`,
      )
    expect(await slots()).toEqual([{ slots: 2 }])
    for (let round = 0; round < 5; round += 1) await run(upsert('payments', seller, [pay({})]))
    // Sequential writers reuse the existing slots.
    expect(await slots()).toEqual([{ slots: 2 }])
  })

  it('are not rewritten if an update leaves the sums unchanged', async () => {
    const seller = await makeSeller()
    const line = minimal('payments', { currency: 'eur', pageId: PAGES[0] })
    const rows = () => run(sql`select ctid::text, * from rollups where seller_id = ${seller} order by level`)
    await importLines('payments', seller, [line])
    const before = await rows()
    expect(before).toHaveLength(2)
    await importLines('payments', seller, [{ ...line, orderId: 'changed' }])
    expect(await rows()).toEqual(before)
  })

  it('accept a currency of any length', async () => {
    const seller = await makeSeller()
    // The currency is random, because an index compresses its entries.
    const currency = randomBytes(10_000).toString('hex')
    for (const resource of ['payments', 'bookings'] as const)
      expect(
        await importLines(resource, seller, [minimal(resource, { currency, status: 'paid', createdAt: new Date().toISOString() })]),
      ).toMatchObject({ written: 1 })
    const days = await loadDateRange('UTC', 30)
    expect((await loadSales(seller, days)).map((sales) => sales.currency)).toEqual([currency.slice(0, 64).toUpperCase()])
  })
})

describe('a recount of the rollups', () => {
  it('finds changes that bypassed the triggers, and repairs them once', async () => {
    const seller = await makeSeller()
    const createdAt = '2026-03-01T12:20:00.000Z'
    await importLines(
      'bookings',
      seller,
      [1, 2].map((amount) => minimal('bookings', { amount, currency: 'eur', createdAt, pageId: PAGES[0] })),
    )
    await run(sql`alter table bookings disable trigger user`)
    await run(sql`delete from bookings where seller_id = ${seller} and amount = 2`)
    await run(sql`alter table bookings enable trigger user`)
    const sums = { table: 'rollups', stored: { revenue: 3, orders: 2, refunds: 0 }, actual: { revenue: 1, orders: 1, refunds: 0 } }
    const key = { resource: 'bookings', seller_id: seller, currency: 'EUR' }
    const wrong = [
      { ...sums, key: { ...key, level: 'page_4_weeks', bucket: '2026-02-21T00:00:00+00:00', page_id: PAGES[0] } },
      { ...sums, key: { ...key, level: 'three_hours', bucket: '2026-03-01T12:00:00+00:00', page_id: '' } },
    ]
    expect(await recountSums(false)).toEqual(wrong)
    // Of the two concurrent recounts, one finds nothing left to repair.
    const repaired = await Promise.all([recountSums(true), recountSums(true)])
    expect(repaired.flat()).toEqual(wrong)
    expect(await recountSums(false)).toEqual([])
  })
})

/** The overview's reports are correct in the seller's time zone, per currency and without test records. */
import { describe, expect, it } from 'vitest'
import { undoCheckIn, validateTicket } from '@/lib/admission/change-ticket'
import { resources } from '@/lib/catalog'
import type { TableParams } from '@/lib/catalog/table-params'
import { newObjectId } from '@/lib/core/object-id'
import { listRefusals, type RefusalParams } from '@/lib/listing/list-refusals'
import { toTableQuery } from '@/lib/listing/table-query'
import { listTicketTable, toTicketQuery } from '@/lib/listing/ticket-table'
import { serializeResult } from '@/testing/admission'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, type Line, makeSeller, minimal } from '@/testing/seller'
import { countFailures, isEmptyShop, sumPastDue } from './attention'
import { loadTodayCheckIns } from './check-ins'
import { type DateRange, getBounds, loadDateRange } from './date-range'
import { countFailureReasons, countTableFailureReasons, isFailedOrdersTable } from './failure-reasons'
import { loadSales, loadTodaySales, sumOtherSales } from './sales'
import { loadSubscriptions } from './subscriptions'

withOwnDatabase()

/** Returns the instant `hours` hours after the start of the day that was `ago` days ago. */
const at = ({ starts }: DateRange, ago: number, hours = 1) =>
  new Date(Date.parse(String(starts.at(-2 - ago))) + hours * 3_600_000).toISOString()

const order = (overrides: Line) => minimal('payments', { currency: 'eur', ...overrides })

describe('the date range', () => {
  it('has days of 23 and 25 hours when the clocks change in the seller’s time zone', async () => {
    const { dates, starts } = await loadDateRange('Europe/Amsterdam', 365)
    expect([dates.length, starts.length]).toEqual([730, 731])
    const hours = starts.slice(1).map((start, day) => (Date.parse(start) - Date.parse(String(starts[day]))) / 3_600_000)
    expect(new Set(hours)).toEqual(new Set([23, 24, 25]))
    expect(starts.every((start) => start.endsWith(':00:00.000Z'))).toBe(true)
    const [today] = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Amsterdam' }).format(new Date()).split(' ')
    expect(dates.at(-1)).toBe(today)
  })

  it('starts each day at local midnight, when the previous day ends', async () => {
    const auckland = await loadDateRange('Pacific/Auckland', 30)
    expect(getBounds(auckland)).toEqual({
      before: auckland.starts[0],
      begin: auckland.starts[30],
      end: auckland.starts[60],
    })
    expect(
      new Intl.DateTimeFormat('en-GB', { timeZone: 'Pacific/Auckland', timeStyle: 'short' }).format(new Date(String(auckland.starts[59]))),
    ).toBe('00:00')
    expect(auckland.today).toEqual({ date: auckland.dates.at(-1), start: auckland.starts[59], end: auckland.starts[60] })
  })

  it('starts a day with two midnights at the first midnight, and a day without midnight after the gap', async () => {
    const startOf = async (zone: string, day: string) => (await loadDateRange(zone, { from: day, to: day })).starts[1]
    expect(await startOf('Atlantic/Azores', '2025-10-26')).toBe('2025-10-26T00:00:00.000Z')
    expect(await startOf('America/Havana', '2025-03-09')).toBe('2025-03-09T05:00:00.000Z')
    expect(await startOf('Asia/Beirut', '2025-03-30')).toBe('2025-03-29T22:00:00.000Z')
  })

  it('covers a month or custom dates, ends today at the latest, and includes an equally long previous period', async () => {
    const [last, current] = [await loadDateRange('UTC', 'last-month'), await loadDateRange('UTC', 'this-month')]
    const now = new Date(`${current.today.date}T00:00:00Z`)
    const first = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString()
    expect(getBounds(last)).toMatchObject({ begin: first(-1), end: first(0) })
    expect(last.span).toBe((Date.parse(first(0)) - Date.parse(first(-1))) / 86_400_000)
    expect(last.dates).toHaveLength(2 * last.span)
    expect(getBounds(current)).toMatchObject({ begin: first(0), end: current.today.end })
    expect(current.span).toBe(now.getUTCDate())

    const custom = await loadDateRange('UTC', { from: '2026-03-01', to: '2026-03-03' })
    expect(custom.dates).toEqual(['2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03'])
    const future = await loadDateRange('UTC', { from: current.today.date, to: '2999-01-01' })
    expect(future.dates.slice(1)).toEqual([current.today.date])
  })
})

describe('sales', () => {
  it('are summed by day and currency, never across currencies, and compared with the previous period', async () => {
    const seller = await makeSeller('Asia/Tokyo')
    const days = await loadDateRange('Asia/Tokyo', 30)
    await importLines('payments', seller, [
      order({ amount: 100, createdAt: at(days, 0, 0) }),
      order({ amount: 20, currency: 'EUR', createdAt: at(days, 29, 0) }),
      order({ amount: 3, createdAt: at(days, 30, 23.9) }),
      order({ amount: 4000, createdAt: at(days, 59, 0) }),
      order({ amount: 50_000, createdAt: at(days, 59, -0.1) }),
      order({ amount: 7, currency: 'jpy', createdAt: at(days, 2) }),
    ])
    await importLines('bookings', seller, [minimal('bookings', { amount: 1, currency: 'eur', createdAt: at(days, 0) })])
    const [eur, jpy, ...others] = await loadSales(seller, days)
    expect(others).toEqual([])
    expect(eur).toMatchObject({
      currency: 'EUR',
      current: { revenue: 121, orders: 3, refunds: 0 },
      previous: { revenue: 4003, orders: 2, refunds: 0 },
    })
    expect([eur?.revenue.length, eur?.revenue[0], eur?.revenue[29]]).toEqual([30, 20, 101])
    expect([eur?.revenueBefore.length, eur?.revenueBefore[0], eur?.revenueBefore[29]]).toEqual([30, 4000, 3])
    expect(jpy).toMatchObject({ currency: 'JPY', current: { revenue: 7, orders: 1, refunds: 0 } })
    expect([eur?.orders[0], eur?.orders[28], eur?.orders[29]]).toEqual([1, 0, 2])
    expect(await loadTodaySales(seller, days)).toEqual([{ currency: 'EUR', revenue: 101, orders: 2, bookings: 1, bookingRevenue: 1 }])
  })

  it('are summed by week for more than 92 days, with a first week that may be shorter', async () => {
    const seller = await makeSeller('Asia/Kolkata')
    const days = await loadDateRange('Asia/Kolkata', 100)
    await importLines(
      'payments',
      seller,
      [0, 6, 7, 97, 98, 99, 100, 199].map((ago) => order({ amount: 2 ** (ago % 30), createdAt: at(days, ago, 0) })),
    )
    const [eur] = await loadSales(seller, days)
    expect(eur).toMatchObject({ current: { revenue: 1 + 64 + 128 + 128 + 256 + 512, orders: 6 }, previous: { orders: 2 } })
    expect(eur?.revenue).toEqual([256 + 512, 128, ...Array(11).fill(0), 128, 65])
    expect(eur?.revenueBefore).toEqual([2 ** 19, ...Array(13).fill(0), 2 ** 10])
    expect(eur?.orders).toEqual([2, 1, ...Array(11).fill(0), 1, 2])
  })

  it('exclude test orders and other sellers’ orders, and include refunds and the paid part of partially paid orders', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const days = await loadDateRange('UTC', 30)
    const createdAt = at(days, 1)
    const make = (overrides: Line) => order({ createdAt, ...overrides })
    await importLines('payments', other, [make({ amount: 5 })])
    await importLines('payments', seller, [
      make({ amount: 1000, livemode: true }),
      make({ amount: 1000, livemode: false }),
      make({ amount: 1000, status: 'partially_paid', amountPaid: 300 }),
      make({ amount: 1000, status: 'partial_refund' }),
      make({ amount: 1000, status: 'refunded' }),
      ...['created', 'pending', 'unpaid', 'canceled', 'failed', 'draft', 'draft_expired'].map((status) => make({ amount: 1000, status })),
    ])
    expect((await loadSales(seller, days)).map(({ current }) => current)).toEqual([{ revenue: 2300, orders: 3, refunds: 2 }])
  })

  it('include the top five checkout pages for each currency, the main resource of each page, and the other sales', async () => {
    const seller = await makeSeller()
    const days = await loadDateRange('UTC', 90)
    const pages = Array.from({ length: 7 }, newObjectId)
    const createdAt = at(days, 3)
    await importLines('payments', seller, [
      ...pages.map((pageId, place) => order({ amount: 100 * (place + 1), pageId, createdAt })),
      order({ amount: 9000, pageId: pages[0], createdAt: at(days, 100) }),
      order({ amount: 10_000, createdAt }),
    ])
    await importLines('bookings', seller, [minimal('bookings', { amount: 400, currency: 'eur', pageId: pages[1], createdAt })])
    const [eur] = await loadSales(seller, days)
    expect(eur?.pages).toEqual(
      [
        { id: pages[6], list: 'payments', revenue: 700, orders: 1 },
        { id: pages[1], list: 'bookings', revenue: 600, orders: 2 },
        { id: pages[5], list: 'payments', revenue: 600, orders: 1 },
        { id: pages[4], list: 'payments', revenue: 500, orders: 1 },
        { id: pages[3], list: 'payments', revenue: 400, orders: 1 },
      ].sort((a, b) => b.revenue - a.revenue || String(a.id).localeCompare(String(b.id))),
    )
    expect(eur && sumOtherSales(eur)).toEqual({ revenue: 10_400, orders: 3 })
  })
})

describe('subscriptions', () => {
  it('are counted as active at both ends of the period, and as new, churned or past due', async () => {
    const seller = await makeSeller()
    const days = await loadDateRange('UTC', 30)
    const make = (ago: number, overrides: Line) => minimal('subscriptions', { createdAt: at(days, ago), ...overrides })
    await importLines('subscriptions', seller, [
      make(40, { status: 'active' }),
      make(40, { status: 'trialing' }),
      make(5, { status: 'active' }),
      make(40, { status: 'canceled', canceledAt: at(days, 10) }),
      make(40, { status: 'canceled', canceledAt: at(days, 35) }),
      make(40, { status: 'canceled', canceledAt: days.starts[30] }),
      make(5, { status: 'canceled', canceledAt: at(days, 2) }),
      make(40, { status: 'active', livemode: false }),
      make(40, { status: 'past_due' }),
    ])
    const { active, before, created, churned, pastDue } = await loadSubscriptions(seller, days)
    expect({ active, before, created, churned, pastDue }).toEqual({ active: 3, before: 4, created: 2, churned: 3, pastDue: 1 })

    const [from, to] = [days.dates.at(-30), days.dates.at(-8)]
    const ended = await loadSubscriptions(seller, await loadDateRange('UTC', { from: String(from), to: String(to) }))
    expect(ended).toMatchObject({ isCurrent: false, active: 2, before: 4, created: 0, churned: 2, pastDue: 1 })
    expect(await loadSubscriptions(seller, days)).toMatchObject({ isCurrent: true })
  })

  it('have a monthly recurring revenue per currency, computed from the billed amounts', async () => {
    const seller = await makeSeller()
    const days = await loadDateRange('UTC', 30)
    const make = (ago: number, overrides: Line) =>
      minimal('subscriptions', {
        createdAt: at(days, ago),
        status: 'active',
        currency: 'eur',
        interval: 'month',
        intervalCount: 1,
        ...overrides,
      })
    await importLines('subscriptions', seller, [
      make(40, { amount: 1000 }),
      make(5, { amount: 3000, intervalCount: 3 }),
      make(40, { amount: 12_000, interval: 'year' }),
      make(40, { amount: 300, interval: 'week' }),
      make(5, { amount: 12, interval: 'day' }),
      make(40, { amount: 500, status: 'past_due' }),
      make(40, { amount: 700, status: 'canceled', canceledAt: at(days, 10) }),
      make(5, { amount: 100, currency: 'jpy' }),
      make(40, { amount: 20, currency: 'jpy', status: 'canceled', canceledAt: at(days, 10) }),
      make(40, { amount: 20, currency: 'jpy', status: 'canceled', canceledAt: at(days, 10) }),
      make(40, { amount: 9000, status: 'trialing' }),
      // The trials of these two subscriptions ended during the period.
      make(40, { amount: 600, trialEnd: at(days, 20) }),
      make(40, { amount: 9000, trialEnd: at(days, 10), status: 'canceled', canceledAt: at(days, 10) }),
      make(40, { amount: 9000, status: 'paused' }),
      make(40, { amount: 9000, interval: 'fortnight' }),
      make(40, { amount: 9000, livemode: false }),
    ])
    const weekly = (300 * 52) / 12
    expect((await loadSubscriptions(seller, days)).mrr).toEqual([
      { currency: 'EUR', mrr: 1000 + 1000 + 1000 + weekly + (12 * 365) / 12 + 500 + 600, before: 1000 + 1000 + weekly + 500 + 700 },
      { currency: 'JPY', mrr: 100, before: 40 },
    ])
    const ended = await loadDateRange('UTC', { from: String(days.dates.at(-30)), to: String(days.dates.at(-8)) })
    expect((await loadSubscriptions(seller, ended)).mrr).toEqual([
      { currency: 'EUR', mrr: 1000 + 1000 + weekly + 500 + 600, before: 1000 + 1000 + weekly + 500 + 700 },
      { currency: 'JPY', mrr: 0, before: 40 },
    ])
  })
})

describe('“Needs attention”', () => {
  it('counts the seller’s failed payments and bookings from the last 24 hours', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const hours = (ago: number) => new Date(Date.now() - ago * 3_600_000).toISOString()
    const makeFailed = (resource: 'payments' | 'bookings', ago: number) => minimal(resource, { status: 'failed', createdAt: hours(ago) })
    await importLines('payments', seller, [...[1, 23, 25].map((ago) => makeFailed('payments', ago)), minimal('payments', {})])
    await importLines('bookings', seller, [makeFailed('bookings', 2)])
    await importLines('payments', other, [makeFailed('payments', 1)])
    expect(await countFailures(seller)).toMatchObject({ payments: 2, bookings: 1 })
  })

  it('counts the reasons for failed payments and bookings: in a period, excluding test orders, and in a table, applying its filters', async () => {
    const [seller, other] = [await makeSeller('Asia/Tokyo'), await makeSeller('Asia/Tokyo')]
    const days = await loadDateRange('Asia/Tokyo', 7)
    const makeFailed = (paymentError: string | undefined, overrides: Line = {}) =>
      order({ status: 'failed', createdAt: at(days, 0), ...(paymentError === undefined ? {} : { paymentError }), ...overrides })
    const retried = makeFailed('Expired card.')
    await importLines('payments', seller, [
      makeFailed('Your card was declined.', { createdAt: at(days, 6, 0) }),
      makeFailed('Your card was declined.', { createdAt: at(days, 6, -0.1) }),
      makeFailed('Your card was declined.', { livemode: false }),
      makeFailed(undefined),
      makeFailed('x'.repeat(5_000)),
      makeFailed('x'.repeat(6_000)),
      retried,
      ...['A', 'B', 'C'].map((reason) => makeFailed(reason)),
      order({ paymentError: 'The first card was declined.', createdAt: at(days, 0) }),
    ])
    await importLines('bookings', seller, [
      minimal('bookings', { status: 'failed', paymentError: 'Your card was declined.', createdAt: at(days, 1) }),
    ])
    await importLines('payments', other, [makeFailed('Other seller.')])
    expect(await countFailureReasons(seller, days)).toEqual({
      payments: 8,
      bookings: 1,
      reasons: [
        { reason: 'Your card was declined.', count: 2 },
        { reason: 'x'.repeat(200), count: 2 },
        { reason: undefined, count: 1 },
        { reason: 'A', count: 1 },
        { reason: 'B', count: 1 },
      ],
    })
    await importLines('payments', seller, [{ ...retried, status: 'paid' }])
    expect(await countFailureReasons(seller, days)).toMatchObject({ payments: 7, bookings: 1 })
    expect(await countFailureReasons(await makeSeller(), days)).toEqual({ payments: 0, bookings: 0, reasons: [] })

    // A table counts the orders that it lists, including test orders unless they are filtered out.
    const list = (params: Partial<TableParams>) =>
      toTableQuery(resources.payments, seller, { limit: 20, status: ['failed'], ...params }, 'Asia/Tokyo')
    const declined = (count: number) => ({ reasons: expect.arrayContaining([{ reason: 'Your card was declined.', count }]) })
    expect(await countTableFailureReasons(list({}))).toMatchObject({ total: 9, ...declined(3) })
    expect(await countTableFailureReasons(list({ livemode: ['true'] }))).toMatchObject({ total: 8, ...declined(2) })
    expect(await countTableFailureReasons(list({ livemode: ['false'] }))).toEqual({
      total: 1,
      reasons: [{ reason: 'Your card was declined.', count: 1 }],
    })
    expect(await countTableFailureReasons(list({ 'created[gte]': days.dates[7] }))).toMatchObject({ total: 8, ...declined(2) })
    expect(await countTableFailureReasons(list({ pageId: [newObjectId()] }))).toEqual({ total: 0, reasons: [] })
    expect(
      [{}, { status: ['failed', 'paid'] }, { search: 'ada' }, { method: ['card'] }].map((params) => isFailedOrdersTable(list(params))),
    ).toEqual([true, false, false, false])
  })

  it('sums past-due amounts per currency, without test records, and finds the earliest date, unless there are too many subscriptions', {
    tags: 'slow',
  }, async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const due = (overrides: Line) => minimal('subscriptions', { status: 'past_due', currency: 'eur', amount: 1000, ...overrides })
    await importLines('subscriptions', seller, [
      due({ currentPeriodStart: '2026-03-02T00:00:00.000Z' }),
      due({ currentPeriodStart: '2026-03-01T00:00:00.000Z' }),
      due({ currency: 'jpy', amount: 5000 }),
      due({ currency: 'usd', livemode: false, currentPeriodStart: '2026-01-01T00:00:00.000Z' }),
      due({ status: 'active' }),
    ])
    await importLines('subscriptions', other, [due({})])
    expect(await sumPastDue(seller)).toEqual({
      sums: [
        { currency: 'EUR', amount: 2000 },
        { currency: 'JPY', amount: 5000 },
      ],
      since: '2026-03-01T00:00:00.000Z',
    })
    await importLines(
      'subscriptions',
      seller,
      Array.from({ length: 1_000 }, () => due({})),
    )
    expect(await sumPastDue(seller)).toEqual({ sums: [], since: undefined })
  })

  it('detects a shop with neither records nor paid tickets', async () => {
    const shops = [await makeSeller(), await makeSeller(), await makeSeller()]
    await importLines('coupons', String(shops[1]), [minimal('coupons', {})])
    await importLines('tickets', String(shops[2]), [minimal('tickets', {})])
    expect(await Promise.all(shops.map(isEmptyShop))).toEqual([true, false, false])
  })
})

describe('today’s check-ins', () => {
  it('count the tickets checked in today, and for each event the admitted tickets, refused scans and people inside', async () => {
    const seller = await makeSeller()
    const [pageId, otherPageId] = [newObjectId(), newObjectId()]
    const ids = [newObjectId(), newObjectId(), newObjectId()]
    await importLines(
      'pages',
      seller,
      [pageId, otherPageId].map((id) => minimal('pages', { id })),
    )
    await importLines('tickets', seller, [
      ...['a', 'b', 'c'].map((qrCode, i) => minimal('tickets', { id: ids[i], qrCode, pageId })),
      minimal('tickets', { qrCode: 'canceled', pageId, status: 'CANCELED' }),
      minimal('tickets', { qrCode: 'test', pageId: otherPageId, livemode: false }),
      minimal('tickets', { qrCode: 'unseen', pageId: otherPageId }),
    ])
    const scan = (code: string, onlyPageId?: string) =>
      validateTicket({ sellerId: seller, code, metadata: [], checkIn: true, actorId: 'x', body: {}, onlyPageId }, serializeResult)
    for (const code of ['a', 'b', 'a', 'canceled', 'test', 'no such code']) await scan(code)
    // An unknown code at a door of the first event, and a ticket for the first event at a door of the other one.
    await scan('no such code', pageId)
    await scan('b', otherPageId)
    const days = await loadDateRange('UTC', 30)
    const counts = {
      checkedIn: 3,
      events: [
        { pageId, admitted: 2, refused: 3, inside: 2, sold: 3 },
        { pageId: otherPageId, admitted: 1, refused: 1, inside: 1, sold: 2 },
        { pageId: undefined, admitted: 0, refused: 1, inside: 0, sold: 0 },
      ],
    }
    expect(await loadTodayCheckIns(seller, 'UTC', days)).toEqual(counts)
    // Each number equals the length of the list that it links to.
    const { date } = days.today
    const listed = async (filters: Partial<RefusalParams>) => (await listRefusals(seller, { limit: 100, date, ...filters })).rows.length
    expect([await listed({ pageId }), await listed({ pageId: otherPageId }), await listed({})]).toEqual([3, 1, 5])
    // Each ticket is counted once, as in the list that the tile opens.
    const [ticketId = ''] = ids
    await undoCheckIn({ sellerId: seller, ticketId, actorId: 'x', sequence: 1, reason: 'Wrong guest', body: {} }, serializeResult)
    await scan('a')
    expect(await loadTodayCheckIns(seller, 'UTC', days)).toEqual(counts)
    // An imported check-in counts if it is from today, but not if it is from yesterday.
    const checkedInOn = (daysAgo: number) => {
      const checkedInAt = new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
      return minimal('tickets', { checkIns: [{ method: 'MANUAL', checkedInAt, checkedInByUserId: 'x', status: 'CHECKEDIN' }] })
    }
    await importLines('tickets', seller, [checkedInOn(0), checkedInOn(1)])
    const { checkedIn } = await loadTodayCheckIns(seller, 'UTC', days)
    expect(checkedIn).toBe(4)
    expect((await listTicketTable(toTicketQuery(seller, { limit: 1, checkedIn: 'today' }, 'UTC'))).total).toBe(checkedIn)
    const tomorrow = { ...days, today: { ...days.today, start: days.today.end } }
    expect((await loadTodayCheckIns(seller, 'UTC', tomorrow)).events).toEqual([])
  })
})

/** The summary of orders contains the right amounts, times and names, and totals per currency. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { importLines, type Line, makeSeller, minimal, readFixture } from '@/testing/seller'
import { resources } from '../catalog'
import { exportCsv } from './csv-export'
import { computeAmounts, summaryLayout } from './csv-summary'
import { findProductNames } from './product-names'
import { toTableQuery } from './table-query'

const pageId = 'aaaaaaaaaaaaaaaaaaaaaaaa'

async function readSummary(seller: string, params = {}, pageName = 'Late Jazz'): Promise<string> {
  const table = toTableQuery(resources.payments, seller, { limit: 20, ...params }, 'Asia/Tokyo')
  const layout = summaryLayout(resources.payments, 'Asia/Tokyo', new Map([[pageId, pageName]]), (ids) => findProductNames(seller, ids))
  let text = ''
  for await (const chunk of exportCsv(table, layout)) text += chunk
  return text
}

const summarize = async (seller: string, params = {}) =>
  parse(await readSummary(seller, params), { bom: true, columns: true }) as Record<string, string>[]

const isTotal = (row: Record<string, string>) => row.Date?.startsWith('Total') === true

describe('the summary', () => {
  it('has decimal amounts, local times and names of products and events, and ends with totals of paid and refunded live orders', async () => {
    const seller = await makeSeller()
    const order = (overrides: Line) =>
      minimal('payments', { createdAt: '2026-03-01T20:30:00.000Z', currency: 'eur', pageId, livemode: true, ...overrides })
    await importLines('payments', seller, [
      order({
        orderId: 'A',
        status: 'paid',
        amount: 12_100,
        taxAmount: 2100,
        fees: [{ name: 'Service', amount: 250 }],
        billing: { name: 'Zoë' },
      }),
      order({ orderId: 'B', status: 'refunded', amount: 1000 }),
      order({ orderId: 'C', status: 'failed', amount: 5000 }),
      order({ orderId: 'D', status: 'paid', amount: 7000, livemode: false }),
      order({ orderId: 'E', status: 'paid', amount: 800, currency: 'JPY' }),
    ])
    const rows = await summarize(seller)
    expect(rows.find(({ Order }) => Order === 'A')).toEqual({
      Date: '2026-03-02',
      Time: '05:30',
      Order: 'A',
      Status: 'paid',
      Customer: 'Zoë',
      Email: '',
      'Product or event': 'Late Jazz',
      Method: '',
      Mode: 'live',
      Currency: 'EUR',
      Net: '97.50',
      Tax: '21.00',
      Fees: '2.50',
      Gross: '121.00',
      Paid: '121.00',
      Refunded: '0.00',
    })
    expect(rows.filter((row) => !isTotal(row))).toHaveLength(5)
    expect(rows.filter(isTotal)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          Date: 'Total of 2 paid or refunded live orders',
          Currency: 'EUR',
          Gross: '131.00',
          Refunded: '10.00',
          Net: '107.50',
        }),
        expect.objectContaining({ Currency: 'JPY', Gross: '800' }),
      ]),
    )
    expect((await summarize(seller, { status: ['failed'] })).filter(isTotal)).toEqual([])
  })

  it('escapes formulas, whichever separator the spreadsheet splits on', async () => {
    const seller = await makeSeller()
    for (const text of ['=1+1', ';=1+1', 'a\t@SUM(A1)', 'a\r\n+1']) {
      const order = {
        orderId: text,
        customerEmail: text,
        status: 'paid',
        amount: -5,
        billing: { name: text },
        paymentMethod: { method: text },
        pageId,
      }
      expect((await importLines('payments', seller, [minimal('payments', order)])).rejects).toEqual([])
      const file = await readSummary(seller, {}, text)
      expect(file.length).toBeGreaterThan(200)
      expect(file.slice(1)).not.toMatch(/(?:^|[,;\t\r\n])["\s]*[=+@]/)
    }
  })

  it('has separate totals for partially paid orders, and notes that the refunded amounts of partial refunds are unknown', async () => {
    const seller = await makeSeller()
    const order = (overrides: Line) => minimal('payments', { currency: 'eur', livemode: true, ...overrides })
    await importLines('payments', seller, [
      order({ status: 'partially_paid', amount: 20_000, amountPaid: 5000 }),
      order({ status: 'partial_refund', amount: 1000 }),
      order({ status: 'paid', amount: 2000 }),
    ])
    expect((await summarize(seller)).filter(isTotal)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ Date: 'Total of 1 partially paid live order', Currency: 'EUR', Gross: '200.00', Paid: '50.00' }),
        expect.objectContaining({
          Date: 'Total of 2 paid or refunded live orders, including 1 partially refunded (refunded amount unknown)',
          Paid: '30.00',
          Refunded: '0.00',
        }),
      ]),
    )
  })

  it.each([
    [4000, '40.00', '40.00'],
    [0, '100.00', '100.00'],
    [undefined, '100.00', '100.00'],
  ])('for a refunded order, reports `amountPaid` as refunded, or gross if it is absent or 0: %s', async (amountPaid, paid, refunded) => {
    const seller = await makeSeller()
    const order = { currency: 'eur', livemode: true, status: 'refunded', amount: 10_000, amountPaid }
    await importLines('payments', seller, [minimal('payments', order)])
    expect(await summarize(seller)).toMatchObject(Array(2).fill({ Gross: '100.00', Paid: paid, Refunded: refunded }))
  })

  it('contains the product’s name if the checkout page is unknown', async () => {
    const seller = await makeSeller()
    await importLines('products', seller, [minimal('products', { id: 'b'.repeat(24), name: 'Poster' })])
    const order = (overrides: Line) => minimal('payments', { status: 'failed', productId: 'b'.repeat(24), ...overrides })
    await importLines('payments', seller, [order({ pageId }), order({ pageId: 'c'.repeat(24) })])
    const rows = await summarize(seller)
    expect(rows.map((row) => row['Product or event']).sort()).toEqual(['Late Jazz', 'Poster'])
  })

  it('is undefined for resources without one-time orders', () => {
    expect(summaryLayout(resources.coupons, 'UTC', new Map(), async () => new Map())).toBeUndefined()
    expect(summaryLayout(resources.subscriptions, 'UTC', new Map(), async () => new Map())).toBeUndefined()
  })
})

it('net, tax and fees add up to gross for every fixture and for random orders', () => {
  const addsUp = (record: Line) => {
    const { net = 0, tax = 0, fees = 0, gross } = computeAmounts(record)
    expect(net + tax + fees).toBe(gross)
  }
  for (const record of [...readFixture('payments'), ...readFixture('bookings')]) addsUp(record)
  const amount = fc.integer({ min: 0, max: 10_000_000 })
  const optional = fc.option(amount, { nil: undefined })
  const fee = fc.record({ amount: optional })
  fc.assert(
    fc.property(
      fc.record({
        amount,
        taxAmount: optional,
        amountExcludingTax: optional,
        amountPaid: optional,
        fees: fc.option(fc.array(fee), { nil: undefined }),
        status: fc.constantFrom('paid', 'failed', 'refunded'),
      }),
      addsUp,
    ),
  )
})

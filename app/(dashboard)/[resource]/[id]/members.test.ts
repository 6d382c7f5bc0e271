/** Tests that a record's page shows every member of the record, with readable labels and values. */
// @module-tag slow
import { describe, expect, it } from 'vitest'
import { type ResourceName, resources } from '@/lib/catalog'
import { type Line, readFixture } from '@/testing/seller'
import { readPrices, takeCharges } from './charges'
import { type EntryContext, formatLabel, makeEntry } from './entries'
import { takeLines } from './lines'
import { listScalars, readMembers } from './members'
import { makeView } from './view'

const context: EntryContext = {
  timeZone: 'Europe/Amsterdam',
  currency: 'eur',
  pageNames: new Map([['page-1', 'Late Jazz']]),
  productNames: new Map([['prod-1', 'Club T-shirt']]),
}
const RESOURCE_NAMES = Object.keys(resources) as ResourceName[]
/** The number of records of a resource in which each member is changed. */
const RECORDS_PER_MEMBER = 2

/** Returns a copy of a value with a different scalar of the same type at a path. */
function changeValue(value: unknown, path: string[]): unknown {
  const [name, ...rest] = path
  if (name !== undefined) {
    const copy = Array.isArray(value) ? [...value] : { ...(value as Line) }
    Reflect.set(copy, name, changeValue(Reflect.get(value as Line, name), rest))
    return copy
  }
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  const instant = /^\d{4}-.*Z$/.test(String(value)) ? Date.parse(String(value)) : Number.NaN
  return Number.isNaN(instant) ? `${value}x` : new Date(instant + 86_400_000).toISOString()
}

describe('makeView', () => {
  it.each(RESOURCE_NAMES)('includes every member of %s, so that changing any value changes the view', (name) => {
    const records = readFixture(name)
    expect(records.length).toBeGreaterThan(0)
    const counts = new Map<string, number>()
    for (const { gatewayPaymentIntentClientSecret: _, ...record } of records) {
      let originalView: string | undefined
      for (const { path } of listScalars(record)) {
        const member = path.replace(/\d+/g, '')
        const count = counts.get(member) ?? 0
        if (count === RECORDS_PER_MEMBER) continue
        counts.set(member, count + 1)
        originalView ??= JSON.stringify(makeView(name, record, context))
        const changedRecord = changeValue(record, path.split(/[.[\]]+/).filter(Boolean)) as Line
        expect(JSON.stringify(makeView(name, changedRecord, context)), `${name} ${record.id} ${path}`).not.toBe(originalView)
      }
    }
  })

  it('lists the timestamps in chronological order with their details', () => {
    const { events } = makeView(
      'payments',
      {
        updatedAt: '2026-03-04T12:00:00.000Z',
        createdAt: '2026-03-01T12:00:00.000Z',
        canceledAt: '2026-03-03T12:00:00.000Z',
        canceledBy: 'customer',
      },
      context,
    )
    expect(events.map(({ key }) => key)).toEqual(['createdAt', 'canceledAt', 'updatedAt'])
    expect(events[1]?.details.map(({ text }) => text)).toEqual(['customer'])
  })

  it('lists an invalid timestamp as a technical detail instead of dropping it', () => {
    const { events, technical } = makeView('bookings', { canceledAt: 'the day before' }, context)
    expect(events).toEqual([])
    expect(technical.flatMap(({ entries }) => entries).map(({ text }) => text)).toEqual(['the day before'])
  })

  it('formats an address as on an envelope', () => {
    const address = { line1: 'Quay 1', postalCode: '1011', city: 'Amsterdam', country: 'NL' }
    const { customer } = makeView('payments', { billing: { name: 'Ada', address } }, context)
    expect(customer.map(({ text }) => text)).toEqual(['Ada', 'Quay 1\n1011 Amsterdam\nNetherlands'])
  })
})

describe('takeCharges', () => {
  const charges = (record: Line, status?: string) => {
    const members = readMembers(record)
    return takeCharges(members, status, readPrices(members), context)
  }

  it('shows a discount as a negative amount, and links its coupon to a search for the code', () => {
    expect(charges({ coupon: { code: 'SPRING & co', discount: 500, percentOff: 10 } })).toMatchObject([
      { text: '-€5.00', href: '/coupons?search=SPRING%20%26%20co', details: [{ path: 'coupon.percentOff', text: '10%' }] },
    ])
  })

  it('shows a discount of zero without a sign', () => {
    expect(charges({ discount: { amount: 0 } })).toMatchObject([{ text: '€0.00' }])
  })

  it('labels fees and taxes, and marks only the total as a total', () => {
    const record = {
      fees: [{ name: 'Card fee', amount: 179 }, { amount: 1 }],
      taxBreakdown: [{ taxType: 'vat', taxAmount: 868, taxRateDetails: { percentageDecimal: 21 } }],
      amount: 5000,
      amountUsd: 5400,
    }
    const lines = charges(record)
    expect(lines.map(({ label, text }) => `${label} ${text}`)).toEqual([
      'Subtotal €39.52',
      'Card fee €1.79',
      'Fee €0.01',
      'VAT €8.68',
      'Total €50.00',
      'Total in USD $54.00',
    ])
    expect(lines.filter(({ role }) => role === 'total').map(({ key }) => key)).toEqual(['amount'])
  })

  it('distinguishes full and partial refunds', () => {
    const refund = (status: string) => charges({ amount: 1 }, status).find(({ key }) => key === 'refunded')?.text
    expect(refund('paid')).toBeUndefined()
    expect(refund('refunded')).toBe('€0.01')
    expect(refund('partial_refund')).toBe('Partially refunded (amount not reported)')
  })
})

describe('takeLines', () => {
  const lines = (record: Line) => takeLines(readMembers(record), context)

  it('lists the product, and the options of a variant below it', () => {
    const option = { optionName: 'Large', quantity: 2, additionalChargeAmount: 300, originalAdditionalChargeAmount: 400 }
    const record = { productId: 'p', quantity: 2, productPrice: 2000, variants: [{ name: 'Size', selectedOptions: [option] }] }
    expect(lines(record)).toMatchObject([
      { isOption: false, quantity: '2', price: '€20.00' },
      { isOption: false, title: 'Size' },
      { isOption: true, title: 'Large', quantity: '2', price: '€3.00', originalPrice: '€4.00' },
    ])
  })

  it('titles an item with the name of the product, falling back to that of the checkout page', () => {
    const title = (record: Line) => lines({ quantity: 1, pageId: 'page-1', ...record })[0]?.title
    expect([title({ productId: 'prod-1' }), title({ productId: 'prod-2' }), title({ pageId: 'page-2' })]).toEqual([
      'Club T-shirt',
      'Late Jazz',
      'Product',
    ])
  })

  it('omits the original price if it is the same as the price', () => {
    expect(lines({ tickets: [{ name: 'Hall', price: 100, originalPrice: 100 }] })[0]).not.toHaveProperty('originalPrice')
  })

  it('returns no lines for an order without items', () => {
    expect(lines({ amount: 1 })).toEqual([])
  })
})

describe('entries and members', () => {
  it('lets each member be taken only once', () => {
    const members = readMembers({ a: { b: 1, c: [2, 3] }, ab: 4 })
    expect(members.take('a.b')).toEqual({ path: 'a.b', value: 1 })
    expect([members.take('a.b'), members.at('a.b'), members.count('a.c')]).toEqual([undefined, undefined, 2])
    expect(members.takeUnder('a')).toEqual([
      { path: 'a.c[0]', value: 2 },
      { path: 'a.c[1]', value: 3 },
    ])
    expect(members.takeUnder('')).toEqual([{ path: 'ab', value: 4 }])
  })

  it('labels a member by its name, and a query parameter by its key', () => {
    expect(formatLabel('gatewayTaxCalculationId')).toBe('Gateway tax calculation ID')
    expect(formatLabel('fees[0].amountUsd')).toBe('Total in USD')
    expect(formatLabel('queryParameters.utm_source')).toBe('utm_source')
  })

  it('formats amounts, percentages, checkout pages and booleans, and adds the exact time and the text to copy', () => {
    const text = (path: string, value: string | number | boolean) => makeEntry({ path, value }, context).text
    expect(text('amount', 2500)).toBe('€25.00')
    expect(text('amountUsd', 2500)).toBe('$25.00')
    expect(text('fees[0].percentage', 2.9)).toBe('2.9%')
    expect(text('pageId', 'page-1')).toBe('Late Jazz (page-1)')
    expect(text('pageIds[0]', 'page-1')).toBe('Late Jazz')
    expect(text('deleted', false)).toBe('No')
    expect(makeEntry({ path: 'createdAt', value: '2026-07-01T22:30:00.000Z' }, context)).toMatchObject({ at: '2026-07-01T22:30:00.000Z' })
    expect(makeEntry({ path: 'gatewayChargeId', value: 'ch_1' }, context)).toMatchObject({ copy: 'ch_1' })
  })
})

/** Tests that the payment breakdown adds up to its totals, and does not add charges that the prices already include. */
// @module-tag slow
import { describe, expect, it } from 'vitest'
import { type Line, readFixture } from '@/testing/seller'
import { type Charge, readPrices, takeCharges } from './charges'
import { findSum } from './find-sum'
import { readMembers } from './members'

const context = { timeZone: 'UTC', currency: 'eur', pageNames: new Map<string, string>(), productNames: new Map<string, string>() }

function readCharges(record: Line): Charge[] {
  const members = readMembers(record)
  return takeCharges(members, record.status, readPrices(members), context)
}

/** Adds up the parts before each total. Returns a message for each wrong total. */
function findWrongTotals(charges: Charge[]): string[] {
  let sum = 0
  return charges.flatMap(({ key, role, amount = 0, startsSum }) => {
    if (startsSum) sum = 0
    if (role === 'part') sum += amount
    if (role === 'total' && !startsSum && sum !== amount) return [`${key}: ${sum}, not ${amount}`]
    if (role === 'total') sum = amount
    return []
  })
}

const ORDERS = ['payments', 'bookings', 'subscriptions'] as const

describe('takeCharges', () => {
  it.each(ORDERS)('returns charges that add up for all %s in the fixtures', (name) => {
    for (const record of readFixture(name)) expect(findWrongTotals(readCharges(record)), String(record.id)).toEqual([])
  })

  it('returns charges that add up for 2,000 random orders', () => {
    let seed = 20_261_122
    // MINSTD, a seeded generator, so that failures are reproducible.
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    const cents = (max = 20_000) => Math.floor(random() * (max + 1))
    const maybeAdd = (members: () => Line): Line => (random() < 0.5 ? members() : {})
    for (let index = 0; index < 2_000; index += 1) {
      const record: Line = {
        ...(random() < 0.95 ? { amount: cents() } : {}),
        ...maybeAdd(() => ({ productPrice: cents(), ...maybeAdd(() => ({ quantity: 1 + cents(8) })) })),
        ...maybeAdd(() => ({ tickets: [{ price: cents(), quantity: 1 + cents(4), bookingFeeAmount: cents(300) }, {}] })),
        ...maybeAdd(() => ({ variants: [{ selectedOptions: [{ additionalChargeAmount: cents(500), quantity: 2 }, {}] }] })),
        ...maybeAdd(() => ({ coupon: { code: 'A', ...maybeAdd(() => ({ discount: cents(900) })) } })),
        ...maybeAdd(() => ({ discount: { amount: cents(900) } })),
        ...maybeAdd(() => ({ fees: [{ name: 'Fee', amount: cents(300) }, { amount: cents(300) }] })),
        ...maybeAdd(() => ({ taxAmount: cents(900) })),
        ...maybeAdd(() => ({ taxBreakdown: [{ taxAmount: cents(900) }, { taxType: 'vat' }] })),
        ...maybeAdd(() => ({
          setupFee: cents(2_000),
          ...maybeAdd(() => ({ setupFeeTotal: cents(2_000), setupFeeFees: [{ amount: 9 }] })),
        })),
        ...maybeAdd(() => ({ dynamicPrice: cents() })),
        ...maybeAdd(() => ({ amountPaid: cents() })),
        ...maybeAdd(() => ({ amountDue: cents() })),
        ...maybeAdd(() => ({ interval: 'month' })),
      }
      const wrongTotals = findWrongTotals(readCharges(record))
      if (wrongTotals.length > 0) expect(record).toBe(wrongTotals.join())
    }
  })

  it('adds the charges that the prices do not include, and lists the others as included', () => {
    const order = { productPrice: 2000, quantity: 2, amountPaid: 4179, fees: [{ name: 'Card fee', amount: 179 }], taxAmount: 694 }
    const roles = (amount: number) => Object.fromEntries(readCharges({ ...order, amount }).map(({ key, role }) => [key, role]))
    expect(roles(4179)).toMatchObject({ items: 'part', 'fees[0]': 'part', taxAmount: 'included', amount: 'total' })
    expect(roles(4000)).toMatchObject({ 'fees[0]': 'included', taxAmount: 'included' })
    expect(roles(4873)).toMatchObject({ 'fees[0]': 'part', taxAmount: 'part' })
    expect(roles(5000)).toMatchObject({ amountAdjustment: 'part' })
  })

  it.each([
    [{ productPrice: 2000, quantity: 3, discount: { amountOff: 100 }, amount: 5700 }, -300],
    [{ productPrice: 2000, discount: { amountOff: 100 }, amount: 1900 }, -100],
    [{ tickets: [{ price: 2000, quantity: 2 }, { price: 1000 }], discount: { amountOff: 100 }, amount: 4700 }, -300],
    [{ productPrice: 2000, quantity: 3, discount: { amountOff: 100, amount: 250 }, amount: 5750 }, -250],
  ])('subtracts a quantity discount from each item, unless its total is known: %j', (order, amount) => {
    const charges = readCharges(order)
    expect(charges.find(({ key }) => key === 'discount')).toMatchObject({ amount, role: 'part' })
    expect(charges.map(({ key }) => key)).not.toContain('amountAdjustment')
  })

  it('gives a path only to the lines of members, because the page shows it as the name of the member in the API', () => {
    const charges = readCharges({ productPrice: 2000, quantity: 2, taxAmount: 700, amount: 5000, amountPaid: 5000 })
    expect(charges.flatMap(({ key, path }) => (path === undefined ? [] : [[key, path]]))).toEqual(
      ['taxAmount', 'amount', 'amountPaid', 'amountDue'].map((name) => [name, name]),
    )
    expect(charges.map(({ key }) => key)).toEqual(expect.arrayContaining(['items', 'amountAdjustment']))
  })

  it.each([
    ['Other adjustments', { setupFee: 1000, setupFeeTotal: 900, productPrice: 2000, amount: 2100 }],
    ['Subtotal', { setupFeeTotal: 900, setupFeeFees: [{ amount: 9 }], taxAmount: 100, amount: 2100 }],
  ])('gives each line a unique key if both the setup fee and the order have the line “%s”', (label, order) => {
    const charges = readCharges({ interval: 'month', ...order })
    expect(charges.filter((charge) => charge.label === label)).toHaveLength(2)
    expect(new Set(charges.map(({ key }) => key)).size).toBe(charges.length)
  })
})

describe('findSum', () => {
  it('picks the parts whose sum is closest to the total, preferring more parts, then earlier ones', () => {
    expect(findSum(10, [5, 0, -5], 10)).toEqual({ added: [true, true, true], remainder: 0 })
    expect(findSum(10, [5, 5], 15)).toEqual({ added: [true, false], remainder: 0 })
    expect(findSum(10, [7, 4], 15)).toEqual({ added: [false, true], remainder: 1 })
  })
})

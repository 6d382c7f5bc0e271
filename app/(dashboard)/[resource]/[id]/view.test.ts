/** Tests the labels, values and banners on a record's page. */
import { expect, it } from 'vitest'
import type { Entry } from './entries'
import { makeView } from './view'

const CONTEXT = {
  timeZone: 'Europe/Amsterdam',
  currency: 'eur',
  pageNames: new Map([['p1', 'Late Jazz']]),
  productNames: new Map<string, string>(),
}

const listTexts = (entries: Entry[] | undefined) => entries?.map(({ label, text }) => `${label}: ${text}`)

const group = (record: Record<string, unknown>, name: string, resource: 'payments' | 'subscriptions' | 'coupons' = 'payments') => {
  const { groups, technical } = makeView(resource, record, CONTEXT)
  return listTexts([...groups, ...technical].find((candidate) => candidate.name === name)?.entries)
}

it('shows the payment method on one line', () => {
  const line = (paymentMethod: Record<string, unknown>) => listTexts(makeView('payments', { paymentMethod }, CONTEXT).payment)
  const card = { method: 'card', brand: 'amex', last4: '8069', exp_month: 1, exp_year: 2027 }
  expect(line(card)).toEqual(['Payment method: Amex •••• 8069 · exp. 01/2027'])
  expect(line({ ...card, wallet: 'apple_pay' })).toEqual(['Payment method: Amex •••• 8069 · exp. 01/2027 · Apple Pay'])
  expect(line({ last4: '8069' })).toEqual(['Payment method: Card •••• 8069'])
  expect(line({ method: 'ideal' })).toEqual(['Payment method: iDEAL'])
  expect(line({ method: 'sepa_debit', last4: '3000' })).toEqual(['Payment method: SEPA Direct Debit •••• 3000'])
  expect(group({ paymentMethod: { brand: 'amex', exp_year: 2027 } }, 'payment')).toEqual(['Brand: amex', 'Expiration year: 2027'])
})

it('shows country names, and currency codes in capitals', () => {
  expect(group({ paymentMethod: { country: 'US' }, currency: 'usd' }, 'payment')).toEqual(['Country: United States'])
  expect(group({ currency: 'usd' }, 'other')).toEqual(['Currency: USD'])
  expect(group({ paymentMethod: { country: 'not a code' } }, 'payment')).toEqual(['Country: not a code'])
})

it('shows a banner for failed, past-due, canceled and refunded orders, and for subscriptions that will be canceled', () => {
  const banner = (record: Record<string, unknown>, resource: 'payments' | 'subscriptions' = 'payments') => {
    const { title, reason, details } = makeView(resource, { updatedAt: '2026-11-21T09:03:00.000Z', ...record }, CONTEXT).banner ?? {}
    return title && [title, reason, ...(details ?? [])]
  }
  const paymentMethod = { method: 'card', brand: 'amex', last4: '2646' }
  expect(banner({ status: 'failed', paymentError: 'Your card was declined.', paymentMethod })).toEqual([
    'Payment failed',
    'Your card was declined.',
    'Amex •••• 2646',
    'Nov 21, 2026, 10:03',
  ])
  const failed = { status: 'failed', updatedAt: '2026-11-22T09:03:00.000Z' }
  expect(makeView('payments', failed, { ...CONTEXT, failedAt: '2026-11-21T09:03:00.000Z' }).banner?.details).toEqual([
    'Nov 21, 2026, 10:03',
  ])
  expect(banner({ status: 'canceled', canceledAt: '2026-11-20T12:00:00.000Z', canceledBy: 'customer', canceledReason: 'ill' })).toEqual([
    'Order canceled by the customer',
    'ill',
    'Nov 20, 2026, 13:00',
  ])
  expect(banner({ status: 'past_due', paymentError: 'Expired card' }, 'subscriptions')).toEqual([
    'Payment past due',
    'Expired card',
    'Nov 21, 2026, 10:03',
  ])
  expect(banner({ status: 'past_due', currentPeriodStart: '2026-11-10T08:00:00.000Z' }, 'subscriptions')).toEqual([
    'Payment past due',
    undefined,
    'since Nov 10, 2026, 09:00',
  ])
  expect(banner({ status: 'refunded' })).toEqual(['Fully refunded', undefined, 'Nov 21, 2026, 10:03'])
  expect(banner({ status: 'active', cancelAtPeriodEnd: true, currentPeriodEnd: '2026-12-01T00:00:00.000Z' }, 'subscriptions')).toEqual([
    'Cancels on Dec 1, 2026, 01:00',
    undefined,
  ])
  expect(banner({ status: 'paid', paymentError: 'The first card was declined.' })).toBeUndefined()
  expect(group({ status: 'paid', paymentError: 'The first card was declined.' }, 'payment')).toEqual([
    'Payment error: The first card was declined.',
  ])
})

it('shows how many times a coupon was used, and its limit', () => {
  expect(group({ timesRedeemed: 12, maxRedemptions: 500 }, 'discount', 'coupons')).toEqual(['Uses: 12 of 500'])
  expect(group({ timesRedeemed: 12 }, 'discount', 'coupons')).toEqual(['Uses: 12'])
  expect(group({ maxRedemptions: 500 }, 'discount', 'coupons')).toEqual(['Limit: 500'])
})

it('shows how long a coupon applies, and whether it is deleted', () => {
  const duration = (record: Record<string, unknown>) => group(record, 'discount', 'coupons')
  expect(duration({ duration: 'once' })).toEqual(['Duration: Once'])
  expect(duration({ duration: 'repeating', durationInMonths: 3 })).toEqual(['Duration: 3 months'])
  expect(duration({ duration: 'repeating' })).toEqual(['Duration: Several months'])
  expect(makeView('coupons', { deleted: true }, CONTEXT).status).toBe('deleted')
  expect(makeView('coupons', { deleted: false }, CONTEXT).status).toBeUndefined()
})

it('moves the IDs of items and charges to the technical details', () => {
  const { lines, charges, technical } = makeView(
    'payments',
    {
      productId: 'p1',
      sku: 'S',
      quantity: 1,
      productPrice: 500,
      amount: 500,
      fees: [{ name: 'Fee', amount: 5, percentage: 1, gatewayProductId: 'prod_1' }],
    },
    CONTEXT,
  )
  expect([...lines, ...charges].flatMap(({ details }) => listTexts(details))).toEqual(['SKU: S', 'Rate: 1%'])
  expect(technical.flatMap(({ entries }) => listTexts(entries))).toEqual(['Product ID: p1', 'Gateway product ID: prod_1'])
})

it('shows the price that the customer chose, and other prices of the product as details', () => {
  const line = (prices: Record<string, number>) => makeView('payments', { ...prices, quantity: 2, amount: 7000 }, CONTEXT).lines[0]
  const chosen = line({ productPrice: 2000, payWhatYouWantPrice: 3500, discountedFromPrice: 2500 })
  expect(chosen).toMatchObject({ price: '€35.00', total: '€70.00' })
  expect(chosen?.originalPrice).toBeUndefined()
  expect(listTexts(chosen?.details)).toEqual(['Regular price: €20.00', 'Original price: €25.00'])
  const regular = line({ productPrice: 3500, payWhatYouWantPrice: 3500, discountedFromPrice: 4000 })
  expect(regular).toMatchObject({ price: '€35.00', originalPrice: '€40.00', details: [] })
})

it('moves the customer’s IDs to the technical details', () => {
  const { customer, technical } = makeView(
    'payments',
    { customerEmail: 'ada@example.com', customerId: 'c1', gatewayCustomerId: 'cus_1' },
    CONTEXT,
  )
  expect(listTexts(customer)).toEqual(['Email: ada@example.com'])
  expect(technical.flatMap(({ entries }) => listTexts(entries))).toEqual(['Gateway customer ID: cus_1', 'Customer ID: c1'])
})

it('describes how often a subscription is billed', () => {
  for (const [intervalCount, text] of [
    [1, 'Monthly'],
    [undefined, 'Monthly'],
    [3, 'Every 3 months'],
  ] as const) {
    expect(group({ interval: 'month', ...(intervalCount ? { intervalCount } : {}) }, 'plan', 'subscriptions')).toEqual([`Billing: ${text}`])
  }
})

it('labels the end of a period as a renewal only if the subscription continues', () => {
  const period = { currentPeriodEnd: '2099-12-01T00:00:00.000Z' }
  const labels = (record: Record<string, unknown>) => makeView('subscriptions', { ...period, ...record }, CONTEXT).events.at(0)?.label
  expect(labels({ status: 'active', cancelAtPeriodEnd: false })).toBe('Renews on')
  expect(labels({ status: 'active', cancelAtPeriodEnd: true })).toBe('Period ends')
  expect(labels({ status: 'active', cancelAt: '2100-01-01T00:00:00.000Z' })).toBe('Period ends')
  expect(labels({ status: 'canceled' })).toBe('Period ends')
  expect(labels({ status: 'past_due', currentPeriodEnd: '2025-09-13T00:00:00.000Z' })).toBe('Period ended')
})

it('uses past-tense labels for past dates', () => {
  const labels = (record: Record<string, unknown>, resource: 'coupons' | 'subscriptions') =>
    makeView(resource, record, CONTEXT).events.map(({ label }) => label)
  expect(labels({ redeemBy: '2026-04-07T00:00:00.000Z' }, 'coupons')).toEqual(['Expired'])
  expect(labels({ redeemBy: '2099-04-07T00:00:00.000Z' }, 'coupons')).toEqual(['Expires'])
  const ends = { status: 'canceled', trialEnd: '2026-03-07T00:00:00.000Z', currentPeriodEnd: '2026-04-07T00:00:00.000Z' }
  expect(labels(ends, 'subscriptions')).toEqual(['Trial ended', 'Period ended'])
})

it('uses the labels defined in the UI text, and derives all others from the names of the members, with "ID" in capitals', () => {
  expect(group({ gatewayChargeId: 'ch_1', transactionIds: ['t1'] }, 'payment')).toEqual(['Transaction ID: t1', 'Gateway charge ID: ch_1'])
  expect(group({ pageId: 'p1', taxRate: 5 }, 'other')).toEqual(['Product or event: Late Jazz (p1)', 'Tax rate: 5'])
})

/** The record page shows readable labels and values. */
import { expect, it } from 'vitest'
import type { Entry } from './entries'
import { makeView } from './view'

const CONTEXT = { timeZone: 'Europe/Amsterdam', currency: 'eur', pageNames: new Map([['p1', 'Late Jazz']]) }

const textsOf = (entries: Entry[] | undefined) => entries?.map(({ label, text }) => `${label}: ${text}`)

const group = (record: Record<string, unknown>, name: string, resource: 'payments' | 'subscriptions' | 'coupons' = 'payments') =>
  textsOf(makeView(resource, record, CONTEXT).groups.find((one) => one.name === name)?.entries)

it('shows a card in one line', () => {
  const card = { brand: 'amex', last4: '8069', exp_month: 1, exp_year: 2027 }
  expect(group({ paymentMethod: card }, 'payment')).toEqual(['Card: Amex •••• 8069 · exp. 01/2027'])
  expect(group({ paymentMethod: { last4: '8069' } }, 'payment')).toEqual(['Card: Card •••• 8069'])
  expect(group({ paymentMethod: { brand: 'amex', exp_year: 2027 } }, 'payment')).toEqual(['Brand: amex', 'Expiration year: 2027'])
})

it('spells out countries, wallets and currencies', () => {
  const paymentMethod = { country: 'US', wallet: 'apple_pay' }
  expect(group({ paymentMethod, currency: 'usd' }, 'payment')).toEqual(['Country: United States', 'Wallet: Apple Pay'])
  expect(group({ currency: 'usd' }, 'other')).toEqual(['Currency: USD'])
  expect(group({ paymentMethod: { country: 'not a code' } }, 'payment')).toEqual(['Country: not a code'])
})

it('shows a coupon’s uses with their limit', () => {
  expect(group({ timesRedeemed: 12, maxRedemptions: 500 }, 'discount', 'coupons')).toEqual(['Uses: 12 of 500 used'])
  expect(group({ timesRedeemed: 12 }, 'discount', 'coupons')).toEqual(['Uses: 12'])
  expect(group({ maxRedemptions: 500 }, 'discount', 'coupons')).toEqual(['Limit: 500'])
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

it('describes a period as renewing only if the subscription continues', () => {
  const period = { currentPeriodEnd: '2026-12-01T00:00:00.000Z' }
  const labels = (record: Record<string, unknown>) => makeView('subscriptions', { ...period, ...record }, CONTEXT).events.at(0)?.label
  expect(labels({ status: 'active', cancelAtPeriodEnd: false })).toBe('Renews on')
  expect(labels({ status: 'active', cancelAtPeriodEnd: true })).toBe('Period ends')
  expect(labels({ status: 'active', cancelAt: '2027-01-01T00:00:00.000Z' })).toBe('Period ends')
  expect(labels({ status: 'canceled' })).toBe('Period ends')
})

it('derives the labels of other members from their names, with "ID" in capitals', () => {
  expect(group({ gatewayChargeId: 'ch_1', transactionIds: ['t1'] }, 'payment')).toEqual(['Transaction ID: t1', 'Gateway charge ID: ch_1'])
  expect(group({ pageId: 'p1', taxRate: 5 }, 'other')).toEqual(['Product or event: Late Jazz (p1)', 'Tax rate: 5'])
})

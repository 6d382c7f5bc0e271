/** Generates the members that the sample shop's payments and bookings have in common. */
import type { z } from 'zod'
import type { payments } from '@/lib/catalog/payments'
import type { Random } from './random'
import type { Customer } from './shop'
import { DAY, iso } from './times'

/** A record in the format of `desk import`. */
export type Line = Record<string, unknown>

type Payment = z.input<typeof payments.record>
export type OrderStatus = Payment['status']

export type Order = {
  id: string
  number: number
  pageId: string
  customer: Customer
  createdAt: Date
  status: OrderStatus
  amount: number
  livemode: boolean
}

export type AppliedCoupon = { id: string; label: string; code: string; percentOff?: number; amountOff?: number }

/** Returns a coupon for about one in seven orders. */
export function appliedOrNone(random: Random, offers: AppliedCoupon[]): AppliedCoupon | undefined {
  if (!random.chance(0.15)) return undefined
  const { id, label, code, percentOff, amountOff } = random.pick(offers)
  return { id, label, code, ...(percentOff === undefined ? {} : { percentOff }), ...(amountOff === undefined ? {} : { amountOff }) }
}

/** The relative frequency of each status. Most orders are paid. */
export const STATUS_WEIGHTS: [OrderStatus, number][] = [
  ['paid', 78],
  ['refunded', 4],
  ['partial_refund', 3],
  ['pending', 3],
  ['failed', 3],
  ['canceled', 3],
  ['unpaid', 2],
  ['partially_paid', 1],
  ['created', 1],
  ['draft', 1],
  ['draft_expired', 1],
]

const AGENTS = [
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X)', 390],
  ['Mozilla/5.0 (Linux; Android 16; Pixel 9)', 412],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15_5)', 1512],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 1920],
] as const

/** Approximate value in US cents of one minor unit of each currency in the sample. */
const US_CENTS = { eur: 1.08, usd: 1, jpy: 0.67 }

export const toUsd = (amount: number, currency: keyof typeof US_CENTS) => Math.round(amount * US_CENTS[currency])

const TAX_PERCENT = 21

export function makeAddress({ number, city, country }: Customer) {
  return {
    line1: `${(number % 180) + 1} Canal Street`,
    ...(number % 4 === 0 ? { line2: `Floor ${(number % 9) + 1}` } : {}),
    city,
    ...(number % 3 === 0 ? { state: city.slice(0, 2).toUpperCase() } : {}),
    postalCode: `${1000 + (number % 8000)} AB`,
    country,
  }
}

export function makeBilling(customer: Customer) {
  const { name, companyName, email, phone } = customer
  return {
    name,
    ...(companyName ? { companyName } : {}),
    email,
    ...(companyName ? { billingEmail: `accounts+${email}` } : {}),
    phone,
    address: makeAddress(customer),
  }
}

export function makePaymentMethod(random: Random, { country }: Customer) {
  const method = random.weighted([
    ['card', 50],
    ['ideal', 30],
    ['sepa_debit', 12],
    ['bancontact', 8],
  ])
  const base = { gateway: 'gateway', method, mode: 'default', country }
  if (method !== 'card') return base
  return {
    ...base,
    ...(random.chance(0.4) ? { wallet: random.pick(['apple_pay', 'google_pay']) } : {}),
    brand: random.pick(['visa', 'mastercard', 'amex']),
    last4: String(random.whole(0, 9999)).padStart(4, '0'),
    exp_month: random.whole(1, 12),
    exp_year: random.whole(2027, 2031),
    funding: random.pick(['credit', 'debit']),
  }
}

export function makeVisit(random: Random, { locale, number }: Customer) {
  const [userAgent, screenWidth] = random.pick(AGENTS)
  const queryParameters: Record<string, string> = {}
  if (number % 3 === 0)
    Object.assign(queryParameters, { utm_source: random.pick(['newsletter', 'instagram', 'poster']), utm_campaign: 'autumn & winter' })
  return {
    locale,
    sessionId: `sess_${random.hex(12)}`,
    userAgent,
    screenWidth,
    visitId: `vis_${random.hex(12)}`,
    queryParameters,
  }
}

export function makeUpsell(random: Random, share: number) {
  if (!random.chance(share)) return { upsell: false }
  return {
    upsell: true,
    upsellPageId: '650000015a117e0e00000007',
    upsellChargeId: `ch_${random.hex(16)}`,
    upsellSubscriptionId: `sub_${random.hex(16)}`,
  }
}

/** Returns the members of an abandoned cart. Some carts were recovered, by themselves or through an email. */
export function makeCart(random: Random, createdAt: Date, open: boolean) {
  if (!open && !random.chance(0.05)) return { isAbandoned: false }
  if (open) {
    const sent = random.chance(0.5)
    return {
      isAbandoned: true,
      abandonedCartEmailStatus: sent ? 'sent' : 'pending',
      ...(sent ? { abandonedCartEmailSentAt: iso(createdAt, 3_600_000) } : {}),
    }
  }
  return {
    isAbandoned: false,
    recoveredAt: iso(createdAt, 7_200_000),
    abandonedCartEmailStatus: 'converted',
    abandonedCartEmailSentAt: iso(createdAt, 3_600_000),
  }
}

export function makeField(random: Random, number: number) {
  const [label, value, element, type] = random.pick([
    ['Dietary wishes', 'Vegetarian, no nuts', 'input', 'text'],
    ['Keep me posted', 'yes', 'checkbox', ''],
    ['Table with', '=the Jansens', 'input', 'text'],
  ] as const)
  return { fieldId: `field_${number % 3}`, label, value, element, type, reference: `wish-${number % 3}` }
}

const isPaid = (status: OrderStatus) => ['paid', 'refunded', 'partial_refund'].includes(status)
const isOpen = (status: OrderStatus) => ['created', 'draft', 'draft_expired', 'unpaid'].includes(status)

/** Returns `id` through `updatedAt` of the spec's Payment table. */
export function orderRecord(random: Random, prefix: string, order: Order, coupon: AppliedCoupon | undefined): Omit<Payment, 'sellerId'> {
  const { id, number, pageId, customer, createdAt, status, amount: items, livemode } = order
  const off = coupon ? Math.min(items, coupon.amountOff ?? Math.round((items * (coupon.percentOff ?? 0)) / 100)) : 0
  const quantityOff = !coupon && number % 17 === 0 ? Math.round(items * 0.05) : 0
  const fee = Math.round(items * 0.02)
  // The parts of an order add up. Its tax is included in the prices.
  const amount = items - off - quantityOff + fee
  const excluding = Math.round(amount / (1 + TAX_PERCENT / 100))
  const tax = amount - excluding
  const paid = isPaid(status) ? amount : status === 'partially_paid' ? Math.round(amount / 2) : 0
  const rate = { country: customer.country, percentageDecimal: TAX_PERCENT, state: '', taxType: 'vat' }
  const currency = customer.country === 'JP' ? 'jpy' : customer.country === 'US' ? 'usd' : 'eur'
  const manual = status === 'unpaid' || random.chance(0.03)
  return {
    id,
    orderId: `${prefix}-${100_000 + number}`,
    orderStatus: status === 'paid' ? random.pick(['complete', 'fulfilled']) : 'open',
    customerEmail: customer.email,
    customerId: customer.id,
    pageId,
    currency,
    amount,
    amountPaid: paid,
    amountDue: amount - paid,
    amountUsd: toUsd(amount, currency),
    amountExcludingTax: excluding,
    taxAmount: tax,
    taxBreakdown: [{ taxType: 'vat', taxabilityReason: 'standard_rated', taxableAmount: excluding, taxAmount: tax, taxRateDetails: rate }],
    gatewayTaxCalculationId: `taxcalc_${random.hex(14)}`,
    ...(paid > 0 ? { gatewayTaxTransactionId: `tax_${random.hex(14)}` } : {}),
    ...(random.chance(0.1) ? { dynamicPrice: items } : {}),
    fees: [{ name: 'Service fee', amount: fee, percentage: 2 }],
    billing: makeBilling(customer),
    ...(number % 3 === 0 ? { shipping: { name: customer.name, phone: customer.phone, address: makeAddress(customer) } } : {}),
    fields: number % 5 === 0 ? [{ ...makeField(random, number), meta: 'step-2' }] : [],
    ...(coupon ? { coupon: { ...coupon, discount: off } } : {}),
    ...(quantityOff > 0 ? { discount: { minQuantity: 1, maxQuantity: 10, percentOff: 5, amountOff: 0, amount: quantityOff } } : {}),
    livemode,
    status,
    ...(status === 'failed' ? { paymentError: random.pick(['Your card was declined.', 'The bank did not answer.']) } : {}),
    paymentMethod: makePaymentMethod(random, customer),
    ...(manual
      ? {
          paymentOption: {
            type: 'manual',
            name: 'Invoice',
            description: 'Pay within 14 days',
            instructions: 'Mention the order number.',
            partialAmount: 0,
            manualType: 'invoice',
          },
        }
      : {}),
    ...makeVisit(random, customer),
    gatewayPaymentIntentId: `pi_${random.hex(20)}`,
    gatewayPaymentIntentClientSecret: `pi_${random.hex(20)}_secret_${random.hex(20)}`,
    ...(paid > 0 ? { gatewayChargeId: `ch_${random.hex(20)}`, invoiceId: `inv_${random.hex(10)}` } : {}),
    ...makeUpsell(random, 0.06),
    transactionIds: paid > 0 ? [`txn_${random.hex(16)}`] : [],
    ...(status === 'canceled'
      ? {
          canceledAt: iso(createdAt, DAY),
          canceledBy: random.pick(['customer', 'seller']),
          canceledReason: random.pick(['ill', 'bought twice', 'other plans']),
        }
      : {}),
    ...makeCart(random, createdAt, isOpen(status)),
    createdAt: iso(createdAt),
    updatedAt: iso(createdAt, status === 'paid' ? 45_000 : DAY),
  }
}

/** Generates the members that the sample shop's payments and bookings share. Subscriptions also have some of them. */
import type { z } from 'zod'
import type { payments } from '@/lib/catalog/payments'
import type { Random } from './random'
import type { Customer } from './shop'
import { DAY, HOUR, iso } from './times'

/** A record in the format of `desk import`. */
export type Line = Record<string, unknown>

type Payment = z.input<typeof payments.record>
export type OrderStatus = Payment['status']

/** An order, which `orderRecord` converts to a record. `amount` is the price of the items, in minor units. */
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

/** The members of a coupon that are copied to an order. */
export type AppliedCoupon = { id: string; label: string; code: string; percentOff?: number; amountOff?: number }
/** A coupon, with its validity period and checkout pages; an empty list means all pages. */
export type SampleCoupon = AppliedCoupon & { currency?: Currency; createdAt: string; redeemBy?: string; pageIds: string[] }

/** Returns the currency that a customer pays in. */
export function getCurrency({ place: { country } }: Customer): Currency {
  if (country === 'JP') return 'jpy'
  return country === 'US' ? 'usd' : 'eur'
}

/** Picks a coupon that is valid for an order's time, checkout page and currency, for 15% of the orders that have one. */
export function pickCoupon(
  random: Random,
  coupons: SampleCoupon[],
  pageId: string,
  orderedAt: Date,
  orderCurrency: Currency,
): AppliedCoupon | undefined {
  const at = iso(orderedAt)
  const valid = coupons.filter(
    ({ createdAt, redeemBy = at, pageIds, currency = orderCurrency }) =>
      createdAt <= at && at <= redeemBy && (pageIds.length === 0 || pageIds.includes(pageId)) && currency === orderCurrency,
  )
  if (valid.length === 0 || !random.chance(0.15)) return undefined
  const { id, label, code, percentOff, amountOff } = random.pick(valid)
  return { id, label, code, ...(percentOff === undefined ? {} : { percentOff }), ...(amountOff === undefined ? {} : { amountOff }) }
}

/** The relative frequency of each status. */
const STATUS_WEIGHTS: [OrderStatus, number][] = [
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

/** Temporary statuses, each with the status that replaces it after two weeks. */
const REPLACED_BY: Partial<Record<OrderStatus, OrderStatus>> = {
  pending: 'paid',
  unpaid: 'paid',
  created: 'canceled',
  draft: 'draft_expired',
}

/** The statuses that an order cannot have in its first two days. */
const LATER_STATUSES: ReadonlySet<OrderStatus> = new Set(['refunded', 'partial_refund', 'canceled', 'draft_expired'])

/** Returns a status that is plausible for the age of the order. */
export function pickStatus(random: Random, now: Date, createdAt: Date): OrderStatus {
  const status = random.weighted(STATUS_WEIGHTS)
  const age = now.getTime() - createdAt.getTime()
  if (age < 2 * DAY && LATER_STATUSES.has(status)) return 'paid'
  return age > 14 * DAY ? (REPLACED_BY[status] ?? status) : status
}

const AGENTS = [
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X)', 390],
  ['Mozilla/5.0 (Linux; Android 16; Pixel 9)', 412],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15_5)', 1512],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 1920],
] as const

/** Approximate value in US cents of one minor unit of each currency in the sample. */
const US_CENTS = { eur: 1.08, usd: 1, jpy: 0.67 }

export type Currency = keyof typeof US_CENTS

/** Converts an amount in minor units to US cents. */
export const toUsd = (amount: number, currency: Currency) => Math.round(amount * US_CENTS[currency])

/** The standard rate of Dutch VAT, which applies to all sample payments and bookings for simplicity. */
const TAX = { country: 'NL', percentageDecimal: 21, state: '', taxType: 'vat' }

export function makeAddress({ number, place: { city, country, street, state, postalCode } }: Customer) {
  return {
    line1: street.replace('#', String((number % 180) + 1)),
    ...(number % 4 === 0 ? { line2: `Floor ${(number % 9) + 1}` } : {}),
    city,
    ...(state ? { state } : {}),
    postalCode,
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

/** The payment methods used in each country in addition to cards, with their relative frequency. */
const LOCAL_METHODS: Readonly<Record<string, [method: string, weight: number][]>> = {
  NL: [
    ['ideal', 60],
    ['sepa_debit', 8],
  ],
  BE: [['bancontact', 50]],
  DE: [['sepa_debit', 40]],
  FR: [['sepa_debit', 10]],
}

export function makePaymentMethod(random: Random, { place: { country } }: Customer) {
  const method = random.weighted([['card', 50], ...(LOCAL_METHODS[country] ?? [])])
  const base = { gateway: 'gateway', method, mode: 'default', country }
  if (method !== 'card') return base
  return {
    ...base,
    ...(random.chance(0.4) ? { wallet: random.pick(['apple_pay', 'google_pay']) } : {}),
    brand: random.pick(['visa', 'mastercard', 'amex']),
    last4: String(random.integer(0, 9999)).padStart(4, '0'),
    exp_month: random.integer(1, 12),
    exp_year: random.integer(2027, 2031),
    funding: random.pick(['credit', 'debit']),
  }
}

const FAILURES = ['Your card was declined.', 'Your card has insufficient funds.', 'Your card has expired.']

export const makeFailure = (random: Random, method: string) =>
  method === 'card' ? random.pick(FAILURES) : 'The bank did not confirm the payment.'

export function makeVisit(random: Random, { place: { locale }, number }: Customer) {
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

export function makeUpsell(random: Random) {
  if (!random.chance(0.06)) return { upsell: false }
  return {
    upsell: true,
    upsellPageId: '650000015a117e0e00000007',
    upsellChargeId: `ch_${random.hex(16)}`,
    upsellSubscriptionId: `sub_${random.hex(16)}`,
  }
}

/** Returns the abandoned-cart members of an order. Of the completed orders, 5% were recovered by a reminder email. */
export function makeCart(random: Random, createdAt: Date, isAbandoned: boolean) {
  if (!isAbandoned && !random.chance(0.05)) return { isAbandoned: false }
  if (isAbandoned) {
    const isSent = random.chance(0.5)
    return {
      isAbandoned: true,
      abandonedCartEmailStatus: isSent ? 'sent' : 'pending',
      ...(isSent ? { abandonedCartEmailSentAt: iso(createdAt, 3_600_000) } : {}),
    }
  }
  return {
    isAbandoned: false,
    recoveredAt: iso(createdAt, 7_200_000),
    abandonedCartEmailStatus: 'converted',
    abandonedCartEmailSentAt: iso(createdAt, 3_600_000),
  }
}

const KEEP_POSTED = ['Keep me posted', 'yes', 'checkbox', ''] as const
/** The custom fields on the checkout form, by kind of product. */
const FIELDS = {
  goods: [KEEP_POSTED, ['Gift message', 'Happy birthday from all of us', 'input', 'text']],
  concert: [KEEP_POSTED, ['Dietary restrictions', 'Vegetarian, no nuts', 'input', 'text'], ['Seat with', 'the Jansens', 'input', 'text']],
  membership: [KEEP_POSTED, ['Name on the card', 'T. Jansen', 'input', 'text']],
} as const

export function makeField(random: Random, number: number, kind: keyof typeof FIELDS) {
  const [label, value, element, type] = random.pick<(typeof FIELDS)[typeof kind][number]>(FIELDS[kind])
  return { fieldId: `field_${number % 3}`, label, value, element, type, reference: `field-${number % 3}` }
}

const isPaid = (status: OrderStatus) => ['paid', 'refunded', 'partial_refund'].includes(status)
const isAbandoned = (status: OrderStatus) => ['created', 'draft', 'draft_expired'].includes(status)

/** Returns the members that payments and bookings share: `id` through `updatedAt` in the spec's Payment table, except `sellerId`. */
export function orderRecord(
  random: Random,
  kind: 'goods' | 'concert',
  order: Order,
  coupon: AppliedCoupon | undefined,
): Omit<Payment, 'sellerId'> & { currency: string } {
  const { id, number, pageId, customer, createdAt, status, amount: items, livemode } = order
  const couponDiscount = coupon ? Math.min(items, coupon.amountOff ?? Math.round((items * (coupon.percentOff ?? 0)) / 100)) : 0
  const bulkDiscount = !coupon && number % 17 === 0 ? Math.round(items * 0.05) : 0
  const fee = Math.round(items * 0.02)
  // The total: the items minus the discounts plus the fee, including tax.
  const amount = items - couponDiscount - bulkDiscount + fee
  const netAmount = Math.round(amount / (1 + TAX.percentageDecimal / 100))
  const tax = amount - netAmount
  const paid = isPaid(status) ? amount : status === 'partially_paid' ? Math.round(amount / 2) : 0
  const currency = getCurrency(customer)
  const paymentMethod = makePaymentMethod(random, customer)
  const refundedAfter = random.integer(1, 12) * DAY + random.integer(0, 9 * HOUR)
  const changedAfter = status === 'paid' ? 45_000 : status === 'failed' ? 30_000 : isPaid(status) ? refundedAfter : DAY
  const isManual = status === 'unpaid' || random.chance(0.03)
  return {
    id,
    orderId: `${kind === 'goods' ? 'OR' : 'BK'}-${100_000 + number}`,
    orderStatus: status === 'paid' ? random.pick(['complete', 'fulfilled']) : 'open',
    customerEmail: customer.email,
    customerId: customer.id,
    pageId,
    currency,
    amount,
    amountPaid: paid,
    amountDue: amount - paid,
    amountUsd: toUsd(amount, currency),
    amountExcludingTax: netAmount,
    taxAmount: tax,
    taxBreakdown: [{ taxType: 'vat', taxabilityReason: 'standard_rated', taxableAmount: netAmount, taxAmount: tax, taxRateDetails: TAX }],
    gatewayTaxCalculationId: `taxcalc_${random.hex(14)}`,
    ...(paid > 0 ? { gatewayTaxTransactionId: `tax_${random.hex(14)}` } : {}),
    ...(random.chance(0.1) ? { dynamicPrice: items } : {}),
    fees: [{ name: 'Service fee', amount: fee, percentage: 2 }],
    billing: makeBilling(customer),
    ...(number % 3 === 0 ? { shipping: { name: customer.name, phone: customer.phone, address: makeAddress(customer) } } : {}),
    fields: number % 5 === 0 ? [{ ...makeField(random, number, kind), meta: 'step-2' }] : [],
    ...(coupon ? { coupon: { ...coupon, discount: couponDiscount } } : {}),
    ...(bulkDiscount > 0 ? { discount: { minQuantity: 1, maxQuantity: 10, percentOff: 5, amountOff: 0, amount: bulkDiscount } } : {}),
    livemode,
    status,
    ...(status === 'failed' ? { paymentError: makeFailure(random, paymentMethod.method) } : {}),
    paymentMethod,
    ...(isManual
      ? {
          paymentOption: {
            type: 'manual',
            name: 'Invoice',
            description: 'Pay within 14 days',
            instructions: 'Include the order number with your payment.',
            partialAmount: 0,
            manualType: 'invoice',
          },
        }
      : {}),
    ...makeVisit(random, customer),
    gatewayPaymentIntentId: `pi_${random.hex(20)}`,
    gatewayPaymentIntentClientSecret: `pi_${random.hex(20)}_secret_${random.hex(20)}`,
    ...(paid > 0 ? { gatewayChargeId: `ch_${random.hex(20)}`, invoiceId: `inv_${random.hex(10)}` } : {}),
    ...makeUpsell(random),
    transactionIds: paid > 0 ? [`txn_${random.hex(16)}`] : [],
    ...(status === 'canceled'
      ? {
          canceledAt: iso(createdAt, DAY),
          canceledBy: random.pick(['customer', 'seller']),
          canceledReason: random.pick(['sick', 'bought twice', 'other plans']),
        }
      : {}),
    ...makeCart(random, createdAt, isAbandoned(status)),
    createdAt: iso(createdAt),
    updatedAt: iso(createdAt, changedAfter),
  }
}

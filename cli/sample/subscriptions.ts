/** Generates the sample shop's subscriptions, which are memberships at the venue. */
import {
  type Line,
  makeAddress,
  makeBilling,
  makeCart,
  makeFailure,
  makeField,
  makePaymentMethod,
  makeUpsell,
  makeVisit,
  pickCoupon,
  type SampleCoupon,
  toUsd,
} from './order'
import type { Random } from './random'
import { type Customer, memberships } from './shop'
import { DAY, idAt, iso, randomTimes, YEAR } from './times'

const STATUS_WEIGHTS = [
  ['active', 62],
  ['trialing', 6],
  ['past_due', 4],
  ['canceled', 14],
  ['paused', 3],
  ['incomplete', 2],
  ['incomplete_expired', 2],
  ['unpaid', 1],
  ['scheduled', 2],
  ['completed', 1],
  ['draft', 1],
  ['draft_expired', 1],
  ['failed', 1],
] as const

const TRIAL_MS = 14 * DAY

/** The statuses of subscriptions whose latest payment succeeded. */
const PAID: ReadonlySet<string> = new Set(['active', 'canceled', 'completed', 'paused'])

/** Returns a status that is plausible for the age of a subscription. @param age the age in milliseconds */
function pickStatus(random: Random, age: number, interval: 'month' | 'year') {
  const status = random.weighted(STATUS_WEIGHTS)
  if (status === 'incomplete' || status === 'incomplete_expired') return age > DAY ? 'incomplete_expired' : 'incomplete'
  if (status === 'draft' || status === 'draft_expired') return age > TRIAL_MS ? 'draft_expired' : 'draft'
  if (status === 'trialing' || status === 'scheduled') return age > TRIAL_MS ? 'active' : status
  // An overdue payment is retried for at most a month.
  return status === 'past_due' && interval === 'year' && age > 30 * DAY ? 'active' : status
}

/** Generates subscriptions that were created in the year before `now`, oldest first. */
export function makeSubscriptions(random: Random, now: Date, count: number, customers: Customer[], coupons: SampleCoupon[]): Line[] {
  return randomTimes(random, now, count).map((createdAt, number) => {
    const page = random.weighted([
      [memberships[0], 7],
      [memberships[1], 3],
    ])
    if (!page) throw new Error('The shop has no memberships.')
    const customer = random.pick(customers)
    const age = now.getTime() - createdAt.getTime()
    const status = pickStatus(random, age, page.interval)
    const isCanceled = status === 'canceled'
    const canceledAt = createdAt.getTime() + Math.floor(age / 2)
    const period = page.interval === 'year' ? YEAR : 30 * DAY
    const startsAt = status === 'scheduled' ? now.getTime() + 10 * DAY : createdAt.getTime()
    const periodStart = startsAt + Math.max(0, Math.floor((isCanceled ? age / 2 : now.getTime() - startsAt) / period)) * period
    const endsWithPeriod = status === 'active' && number % 19 === 0
    const coupon = pickCoupon(random, coupons, page.id, createdAt, 'eur')
    const paymentMethod = makePaymentMethod(random, customer)
    const invoiceFee = { name: 'Card fee', amount: 25, percentage: 1.5, gatewayInvoiceItemId: `ii_${random.hex(14)}` }
    const isPatron = page.interval === 'year'
    const setupFee = { amount: 1500, discount: isPatron ? random.pick([0, 500]) : 0 }
    const setupFeeTotal = setupFee.amount - setupFee.discount + invoiceFee.amount
    return {
      id: idAt(createdAt, 5, number),
      orderId: `SU-${100_000 + number}`,
      gatewaySubscriptionId: `sub_${random.hex(16)}`,
      gatewayCustomerId: `cus_${customer.id.slice(-6)}`,
      customerEmail: customer.email,
      currency: 'eur',
      amount: page.price,
      amountUsd: toUsd(page.price, 'eur'),
      interval: page.interval,
      intervalCount: 1,
      ...(number % 11 === 0 ? { planIterations: 12 } : {}),
      fees: [{ name: 'Service fee', amount: Math.round(page.price * 0.02), percentage: 2, gatewayProductId: `prod_${random.hex(14)}` }],
      ...(isPatron
        ? {
            setupFee: setupFee.amount,
            setupFeeDiscountAmount: setupFee.discount,
            setupFeeFees: [invoiceFee],
            setupFeeTotal,
            setupFeeUsd: toUsd(setupFeeTotal, 'eur'),
            setupFeeInvoiceItemId: `ii_${random.hex(14)}`,
            setupFeeInvoiceItemPaid: true,
          }
        : {}),
      quantity: 1,
      productPrice: page.price,
      ...(random.chance(0.08) ? { dynamicPrice: page.price } : {}),
      ...(random.chance(0.08) ? { discountedFromPrice: page.price + 300 } : {}),
      sku: page.sku,
      billing: makeBilling(customer),
      ...(isPatron ? { shipping: { name: customer.name, phone: customer.phone, address: makeAddress(customer) } } : {}),
      fields: number % 6 === 0 ? [makeField(random, number, 'membership')] : [],
      variants: isPatron
        ? [
            {
              name: 'Welcome gift',
              variantId: 'var_gift',
              reference: 'gift',
              selectionType: 'single',
              selectedOptions: [
                {
                  optionId: 'opt_record',
                  optionType: 'one_time',
                  optionName: 'Signed record',
                  sku: 'LH-GIFT-LP',
                  quantity: 1,
                  additionalChargeAmount: 500,
                  discountAmount: 0,
                  fees: [invoiceFee],
                  additionalChargeAmountTotal: 525,
                  additionalChargeAmountUsd: toUsd(525, 'eur'),
                  optionGatewayPriceId: `price_${random.hex(14)}`,
                  optionGatewayProductId: `prod_${random.hex(14)}`,
                  optionInvoiceItemId: `ii_${random.hex(14)}`,
                  optionInvoiceItemPaid: true,
                },
              ],
              fees: [invoiceFee],
            },
          ]
        : [],
      ...(coupon ? { couponId: coupon.id } : {}),
      ...(number % 13 === 0 ? { licenseKeyId: `lic_${random.hex(12)}` } : {}),
      livemode: !random.chance(0.04),
      status,
      paymentStatus: PAID.has(status) ? 'succeeded' : status === 'past_due' ? 'open' : 'draft',
      ...(status === 'past_due' || status === 'failed' ? { paymentError: makeFailure(random, paymentMethod.method) } : {}),
      paymentMethod,
      ...makeVisit(random, customer),
      gatewayPaymentIntentId: `pi_${random.hex(20)}`,
      gatewayPaymentIntentClientSecret: `pi_${random.hex(20)}_secret_${random.hex(20)}`,
      ...(status === 'trialing'
        ? { gatewaySetupIntentId: `seti_${random.hex(16)}`, trialStart: iso(createdAt), trialEnd: iso(createdAt, TRIAL_MS) }
        : {}),
      startDate: new Date(startsAt).toISOString(),
      ...(endsWithPeriod ? { cancelAt: new Date(periodStart + period).toISOString() } : {}),
      cancelAtPeriodEnd: endsWithPeriod,
      currentPeriodStart: new Date(periodStart).toISOString(),
      currentPeriodEnd: new Date(periodStart + period).toISOString(),
      ...makeUpsell(random),
      customerId: customer.id,
      pageId: page.id,
      productId: page.productId,
      ...(isCanceled
        ? {
            canceledAt: new Date(canceledAt).toISOString(),
            canceledBy: random.pick(['customer', 'seller', 'gateway']),
            reason: random.pick(['moved away', 'too expensive', 'no time']),
          }
        : {}),
      ...makeCart(random, createdAt, status === 'draft' || status === 'incomplete'),
      createdAt: iso(createdAt),
      updatedAt: new Date(
        isCanceled ? canceledAt : Math.max(periodStart > now.getTime() ? 0 : periodStart, createdAt.getTime() + 60_000),
      ).toISOString(),
    }
  })
}

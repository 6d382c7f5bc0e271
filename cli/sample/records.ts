/** Generates the sample shop's records: a year of sales up to now. Every member of every resource occurs at least once. */
import type { ImportName } from '@/lib/sync/import/import'
import { makeBookings, makeTickets } from './bookings'
import { type Currency, getCurrency, type Line, makeAddress, orderRecord, pickCoupon, pickStatus, type SampleCoupon } from './order'
import { type Random, seededRandom } from './random'
import { type Customer, goods, makeCustomers, PAGES } from './shop'
import { makeSubscriptions } from './subscriptions'
import { DAY, idAt, iso, randomTimes, YEAR } from './times'

const SEED = 20_260_101

/** The number of records of each kind. Only customers who placed an order become records. */
const COUNTS = { customers: 420, coupons: 60, payments: 2000, bookings: 800, subscriptions: 400, tickets: 1500 }

function makeCoupons(random: Random, now: Date): (Line & SampleCoupon)[] {
  const names = [
    ['Spring sale', 'SPRING'],
    ['Early bird', 'EARLY'],
    ['Members', 'MEMBER'],
    ['Crew & guests', 'CREW'],
    ['Press', 'PRESS'],
    ['Students', 'STUDENT'],
  ] as const
  return randomTimes(random, now, COUNTS.coupons).map((createdAt, number) => {
    const [label, code] = names[number % names.length] ?? names[0]
    const isPercent = random.chance(0.65)
    const currency: Currency = 'eur'
    const duration = random.pick(['once', 'repeating', 'forever'] as const)
    return {
      id: idAt(createdAt, 1, number),
      label: `${label} ${createdAt.getUTCFullYear()}`,
      code: `${code}${100 + number}`,
      ...(isPercent ? { percentOff: random.pick([5, 10, 15, 25, 33.3]) } : { amountOff: random.pick([250, 500, 1000]), currency }),
      appliesToSetupFee: random.chance(0.2),
      duration,
      ...(duration === 'repeating' ? { durationInMonths: random.pick([3, 6, 12]) } : {}),
      ...(random.chance(0.5) ? { redeemBy: iso(createdAt, 120 * DAY) } : {}),
      ...(random.chance(0.5) ? { maxRedemptions: random.pick([50, 100, 500]) } : {}),
      deleted: random.chance(0.1),
      pageIds: random.chance(0.5) ? [random.pick(PAGES).id] : [],
      gatewayCouponId: `cou_${random.hex(12)}`,
      createdAt: iso(createdAt),
      updatedAt: iso(createdAt, DAY),
    }
  })
}

function makePayments(random: Random, now: Date, customers: Customer[], coupons: SampleCoupon[]): Line[] {
  return randomTimes(random, now, COUNTS.payments).map((createdAt, number) => {
    const page = random.weighted([
      [goods[0], 8],
      [goods[1], 2],
    ])
    if (!page) throw new Error('The shop sells no goods.')
    const product = random.pick(page.products)
    const quantity = random.weighted([
      [1, 6],
      [2, 3],
      [4, 1],
    ])
    const extra = product.sizes && random.chance(0.3) ? 300 : 0
    const discount = { minQuantity: 1, maxQuantity: 5, percentOff: 0, amountOff: 100, amount: 100 }
    const customer = random.pick(customers)
    const order = {
      id: idAt(createdAt, 2, number),
      number,
      pageId: page.id,
      customer,
      createdAt,
      status: pickStatus(random, now, createdAt),
      amount: (product.price + extra) * quantity,
      livemode: !random.chance(0.04),
    }
    return {
      ...orderRecord(random, 'goods', order, pickCoupon(random, coupons, page.id, createdAt, getCurrency(customer))),
      productId: product.id,
      productPrice: product.price,
      ...(product.sku === 'LH-GIFT' ? { payWhatYouWantPrice: product.price } : {}),
      ...(random.chance(0.1) ? { discountedFromPrice: product.price + 500 } : {}),
      ...(random.chance(0.04) ? { setupFee: 250 } : {}),
      quantity,
      sku: product.sku,
      variants: product.sizes
        ? [
            {
              name: 'Size',
              variantId: 'var_size',
              reference: 'size',
              selectionType: 'single',
              selectedOptions: [
                {
                  optionId: 'opt_size',
                  optionName: random.pick(['S', 'M', 'L', 'XL']),
                  sku: `${product.sku}-S`,
                  quantity,
                  additionalChargeAmount: extra,
                  originalAdditionalChargeAmount: extra + 100,
                  ...(extra > 0 ? { discount } : {}),
                },
              ],
            },
          ]
        : [],
      ...(product.sku === 'LH-LP01' ? { licenseKeyId: `lic_${random.hex(12)}` } : {}),
    }
  })
}

/** Returns the customers who placed an order, each created at the time of their first order. */
function makeCustomerRecords(random: Random, customers: Customer[], orders: Line[]): Line[] {
  const firstOrders = new Map<unknown, string>()
  for (const { customerId, createdAt } of orders) {
    const at = String(createdAt)
    if (at < (firstOrders.get(customerId) ?? '9')) firstOrders.set(customerId, at)
  }
  return customers.flatMap((customer) => {
    const createdAt = firstOrders.get(customer.id)
    if (createdAt === undefined) return []
    const { id, name, companyName, email, phone, number, place } = customer
    return {
      id,
      email,
      name,
      ...(companyName ? { companyName, billingEmail: `accounts+${email}` } : {}),
      phone,
      ...(companyName && place.country === 'NL' ? { taxId: `NL${random.integer(100_000_000, 999_999_999)}B01`, taxIdType: 'eu_vat' } : {}),
      gatewayCustomerId: `cus_${id.slice(-6)}`,
      address: makeAddress(customer),
      ...(number % 5 === 0 ? { shipping: { name, phone, address: makeAddress(customer) } } : {}),
      createdAt,
      updatedAt: iso(new Date(createdAt), DAY),
    }
  })
}

/** Returns the coupons with `timesRedeemed` set to the number of orders that used them. */
function countUses(coupons: (Line & SampleCoupon)[], orders: Line[]): Line[] {
  const uses = new Map<unknown, number>()
  for (const { status, coupon, couponId = (coupon as SampleCoupon | undefined)?.id } of orders)
    if (!UNCOUNTED_STATUSES.has(status)) uses.set(couponId, (uses.get(couponId) ?? 0) + 1)
  return coupons.map((coupon) => ({ ...coupon, timesRedeemed: uses.get(coupon.id) ?? 0 }))
}

/** The statuses of orders that do not count as a use of their coupon. */
const UNCOUNTED_STATUSES: ReadonlySet<unknown> = new Set([
  'created',
  'draft',
  'draft_expired',
  'failed',
  'canceled',
  'incomplete',
  'incomplete_expired',
])

/** The members with times that follow a record's creation, but must not be in the future. */
const PAST_TIMES = ['updatedAt', 'canceledAt', 'recoveredAt', 'abandonedCartEmailSentAt']

/** Limits a record's `PAST_TIMES` to `now`. */
function clampTimes(now: Date, line: Line): Line {
  const latest = now.toISOString()
  for (const name of PAST_TIMES) if (String(line[name] ?? '') > latest) line[name] = latest
  return line
}

/**
 * Generates the sample shop's records for the year up to `now`. The same `now` always produces the same records.
 *
 * @returns the lines of each resource, in the format of `desk import`, in import order
 */
export function makeSample(now: Date): [ImportName, Line[]][] {
  const random = seededRandom(SEED)
  const customers = makeCustomers(random, COUNTS.customers)
  const coupons = makeCoupons(random, now)
  const bookings = makeBookings(random, now, COUNTS.bookings, customers, coupons)
  const founded = iso(now, -YEAR - 30 * DAY)
  const payments = makePayments(random, now, customers, coupons)
  const subscriptions = makeSubscriptions(random, now, COUNTS.subscriptions, customers, coupons)
  const orders = [...payments, ...bookings, ...subscriptions]
  const lists: [ImportName, Line[]][] = [
    [
      'pages',
      PAGES.map(({ id, name, ...page }) => ({
        id,
        name,
        entryPolicy: page.kind === 'concert' ? page.entryPolicy : 'single',
        createdAt: founded,
      })),
    ],
    ['products', goods.flatMap(({ products }) => products.map(({ id, name }) => ({ id, name })))],
    ['customers', makeCustomerRecords(random, customers, orders)],
    ['coupons', countUses(coupons, orders)],
    ['payments', payments],
    // Import tickets before their bookings, because importing a booking without tickets generates them.
    ['tickets', makeTickets(random, now, COUNTS.tickets, bookings)],
    ['bookings', bookings.map(({ seats, ...booking }) => booking)],
    ['subscriptions', subscriptions],
  ]
  return lists.map(([name, lines]) => [name, lines.map((line) => clampTimes(now, line))])
}

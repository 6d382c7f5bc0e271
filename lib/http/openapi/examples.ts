/** A record of each kind, as an answer may hold it; a test checks each against its schema. */
import type { ResourceName } from '../../catalog'

const EVERY = { sellerId: '651f2a90c1d4e5f60a1b2c3d', livemode: true }

const customer = {
  customerEmail: 'zoe@example.com',
  customerId: '65a4c0e1f20b3d4e5f607182',
}

const billing = {
  name: 'Zoë Haddad',
  email: 'zoe@example.com',
  address: { line1: 'Quay Street 12', city: 'Rotterdam', postalCode: '3011 AB', country: 'NL' },
}

const card = { gateway: 'gateway', method: 'card', mode: 'default', brand: 'visa', last4: '4242', exp_month: 8, exp_year: 2029 }

const payment = {
  id: '6b011f2a5a117e00020007cf',
  orderId: 'OR-101999',
  ...customer,
  ...EVERY,
  pageId: '6807a1b2c3d4e5f607182930',
  currency: 'eur',
  amount: 12800,
  amountPaid: 12800,
  amountDue: 0,
  taxAmount: 2222,
  taxBreakdown: [
    {
      taxType: 'vat',
      taxabilityReason: 'standard_rated',
      taxableAmount: 10578,
      taxAmount: 2222,
      taxRateDetails: { country: 'NL', percentageDecimal: 21, taxType: 'vat' },
    },
  ],
  billing,
  status: 'paid',
  paymentMethod: card,
  gatewayPaymentIntentId: 'pi_3Nf2',
  isAbandoned: false,
  createdAt: '2026-11-20T18:04:11.000Z',
  updatedAt: '2026-11-20T18:04:15.000Z',
  productId: '6807b0c1d2e3f40516273849',
  productPrice: 6400,
  quantity: 2,
  variants: [
    {
      name: 'Size',
      variantId: '6807b0c1d2e3f4051627384a',
      selectionType: 'single',
      selectedOptions: [{ optionId: '6807b0c1d2e3f4051627384b', optionName: 'Large', quantity: 2, additionalChargeAmount: 0 }],
    },
  ],
}

const booking = {
  id: '6b0120885a117e0002000801',
  orderId: 'BK-100799',
  ...customer,
  ...EVERY,
  pageId: '680784c0821027c4d1044cb9',
  currency: 'eur',
  amount: 7000,
  amountPaid: 7000,
  taxBreakdown: [],
  billing,
  coupon: { id: '68a1f0e2d3c4b5a697887960', label: 'Early bird', code: 'EARLY', percentOff: 10, discount: 700 },
  status: 'paid',
  paymentMethod: { ...card, method: 'ideal', brand: undefined, last4: undefined, exp_month: undefined, exp_year: undefined },
  createdAt: '2026-11-20T18:10:00.000Z',
  updatedAt: '2026-11-20T18:10:04.000Z',
  tickets: [{ name: 'Standing', ticketTypeId: '000000000000000000007102', quantity: 2, price: 3500, originalPrice: 3850 }],
}

const subscription = {
  id: '6a515339821027c4d104519a',
  orderId: 'SU-100000',
  gatewaySubscriptionId: 'sub_1Q',
  customerEmail: 'priya@example.com',
  currency: 'eur',
  amount: 900,
  interval: 'month',
  intervalCount: 1,
  fees: [{ name: 'Service fee', amount: 28, percentage: 2.9, gatewayProductId: 'prod_31' }],
  quantity: 1,
  billing: { name: 'Priya Ångström', email: 'priya@example.com' },
  ...EVERY,
  status: 'active',
  paymentStatus: 'paid',
  paymentMethod: card,
  startDate: '2026-07-10T20:16:57.707Z',
  cancelAtPeriodEnd: false,
  currentPeriodStart: '2026-11-10T20:16:57.707Z',
  currentPeriodEnd: '2026-12-10T20:16:57.707Z',
  pageId: '680ccac0821027c4d1044cbd',
  createdAt: '2026-07-10T20:16:57.707Z',
  updatedAt: '2026-11-10T20:16:59.000Z',
}

const coupon = {
  id: '68a1f0e2d3c4b5a697887960',
  label: 'Early bird',
  code: 'EARLY',
  percentOff: 10,
  duration: 'once',
  maxRedemptions: 200,
  timesRedeemed: 37,
  deleted: false,
  sellerId: EVERY.sellerId,
  pageIds: ['680784c0821027c4d1044cb9'],
  createdAt: '2026-09-01T09:00:00.000Z',
  updatedAt: '2026-11-20T18:10:04.000Z',
}

export const RECORD_EXAMPLES: Record<ResourceName, Record<string, unknown>> = {
  subscriptions: subscription,
  coupons: coupon,
  payments: payment,
  bookings: booking,
}

export const listExample = (name: ResourceName, total: number) => ({ has_more: true, total, data: [RECORD_EXAMPLES[name]] })

const entry = { method: 'QRSCAN', checkedInAt: '2026-11-21', checkedInByUserId: '6b000000c1d4e5f60a1b2c3d', status: 'CHECKEDIN' }

export const TICKET_EXAMPLE = {
  id: '6b0120895a117e0002000802',
  sellerId: EVERY.sellerId,
  chargeId: booking.id,
  pageId: booking.pageId,
  status: 'PAID',
  orderId: booking.orderId,
  customerName: 'Zoë Haddad',
  customerEmail: 'zoe@example.com',
  ticketTypeId: '000000000000000000007102',
  checkIns: [entry],
  latestCheckIn: entry,
  ticketShortId: 'HJ10000',
  checkInStatus: 'CHECKEDIN',
  originalPrice: 3850,
  currency: 'eur',
  livemode: true,
  metadata: [{ key: 'gate', value: '2', addedAt: '2026-11-21T19:30:00.000Z' }],
  createdAt: '2026-11-20T18:10:05.000Z',
  updatedAt: '2026-11-21T19:30:00.000Z',
}

export const VALIDATION_EXAMPLES = {
  admitted: { success: true, ticket: TICKET_EXAMPLE, message: 'Ticket validated and metadata updated' },
  already_checked_in: {
    success: false,
    ticket: TICKET_EXAMPLE,
    message: 'Already checked in on 21 November 2026 at 20:30 by QR scan',
    reason: 'already_checked_in',
  },
  canceled: {
    success: false,
    ticket: {
      ...TICKET_EXAMPLE,
      status: 'CANCELED',
      checkIns: [],
      latestCheckIn: undefined,
      checkInStatus: 'UNCHECKEDIN',
      canceledAt: '2026-11-21T08:00:00.000Z',
      metadata: [],
    },
    message: 'This ticket was canceled on 21 November 2026',
    reason: 'canceled',
  },
}

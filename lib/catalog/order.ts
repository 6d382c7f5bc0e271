/** Defines what payments, bookings and subscriptions share: members, statuses, columns and examples. */
import { z } from 'zod'
import type { Column } from './columns'
import {
  billing,
  currency,
  discount,
  enumeration,
  fee,
  flag,
  identity,
  instant,
  money,
  number,
  objectId,
  orderCustomField,
  paymentMethod,
  recordReference,
  shipping,
  text,
  textList,
} from './shapes'

/** The statuses of payments and bookings (docs/spec.md, "States and transitions"). */
export const orderStatus = enumeration({
  created: 'Created, with no payment received yet.',
  pending: 'The payment is being processed.',
  unpaid: 'Due, but not paid yet.',
  partially_paid: 'Paid in part.',
  paid: 'Paid in full.',
  canceled: 'Canceled.',
  failed: 'The payment failed.',
  partial_refund: 'Refunded in part.',
  refunded: 'Refunded in full.',
  draft: 'Not submitted yet.',
  draft_expired: 'Expired without being submitted.',
})

export const PARTIALLY_PAID = 'partially_paid'

/** The statuses of paid orders. Their amounts are revenue, except that only the amount received counts for a partially paid order. */
export const SOLD_STATUSES = ['paid', PARTIALLY_PAID, 'partial_refund'] as const

// Not specified: which API keys receive secret values.
/** The secret members of payments, bookings and subscriptions. */
export const ORDER_SECRETS = ['gatewayPaymentIntentClientSecret'] as const

/** The members that a search for orders matches, each with its name in the search field's placeholder. */
export const ORDER_SEARCH = { customerEmail: 'email', orderId: 'order number' } as const

/** The statuses that have a tab in the tables of payments and bookings. */
export const ORDER_TABS = ['paid', 'failed', 'refunded', 'pending', 'unpaid'] as const

/** The columns of the tables of payments and bookings. */
export const ORDER_COLUMNS = [
  { key: 'orderId', label: 'Order', kind: 'code' },
  { key: 'customerEmail', label: 'Customer', kind: 'customer', sort: 'customer', phone: 'title' },
  { key: 'pageId', label: 'Product or event', kind: 'page', phone: 'note' },
  { key: 'amount', label: 'Amount', kind: 'money', sort: 'amount', phone: 'side' },
  { key: 'status', label: 'Status', kind: 'status', phone: 'mark', shownFor: { status: 'failed', isShown: false } },
  { key: 'paymentError', label: 'Failure reason', kind: 'text', hidden: true, shownFor: { status: 'failed', isShown: true } },
  { key: 'createdAt', label: 'Created', kind: 'date', sort: 'createdAt', phone: 'note' },
  { key: 'billing.name', label: 'Name', kind: 'text', hidden: true },
  { key: 'paymentMethod.method', label: 'Method', kind: 'text', hidden: true },
  { key: 'amountDue', label: 'Due', kind: 'money', hidden: true },
  { key: 'updatedAt', label: 'Updated', kind: 'date', hidden: true },
] as const satisfies readonly Column[]

const taxRateDetails = z
  .strictObject({
    country: text.optional().describe('Country that levies the tax.'),
    percentageDecimal: number.optional().describe('Tax rate in percent.'),
    state: text.optional().describe('State or region that levies the tax.'),
    taxType: text.optional().describe('Type of tax (for example, `vat`).'),
  })
  .meta({ id: 'TaxRateDetails', description: 'A tax rate.' })

const taxBreakdown = z
  .strictObject({
    taxType: text.optional().describe('Type of tax (for example, `vat`).'),
    taxabilityReason: text.optional().describe('Reason why the tax applies or does not apply.'),
    taxableAmount: money('Amount that the tax is calculated on').optional(),
    taxAmount: money('Amount of the tax').optional(),
    taxRateDetails: taxRateDetails.optional().describe('Rate and jurisdiction of the tax.'),
  })
  .meta({ id: 'TaxBreakdown', description: 'The tax at one rate.' })

const appliedCoupon = z
  .strictObject({
    id: recordReference.optional().describe('ID of the coupon.'),
    label: text.optional().describe('Label of the coupon when it was applied.'),
    code: text.optional().describe('Code that the customer entered.'),
    amountOff: money('Amount that the coupon takes off').optional(),
    percentOff: number.optional().describe('Percentage that the coupon takes off.'),
    discount: money('Amount taken off this order').optional(),
  })
  .meta({ id: 'AppliedCoupon', description: 'A copy of a coupon, made when it was applied to an order.' })

const paymentOption = z
  .strictObject({
    type: text.optional().describe('Type of the payment option (for example, `manual`).'),
    name: text.optional().describe('Name of the payment option.'),
    description: text.optional().describe('Description shown to the customer.'),
    instructions: text.optional().describe('Payment instructions for the customer (for example, bank account details).'),
    partialAmount: money('First amount due if the order is paid in parts').optional(),
    manualType: text.optional().describe('Type of the manual payment (for example, `invoice`).'),
  })
  .meta({ id: 'PaymentOption', description: 'A payment option that the seller defined.' })

/** Members of payments and subscriptions. Bookings have only those that are also in `orderMembers`. */
export const sharedMembers = {
  orderId: text.optional().describe('Order number, as shown to the customer. Searchable.'),
  customerEmail: text.optional().describe('Email address of the customer. Searchable.'),
  customerId: recordReference.optional().describe('ID of the customer.'),
  pageId: objectId.optional().describe('ID of the product or event page where the order was placed. Filterable.'),
  productId: text.optional().describe('ID of the product.'),
  currency: currency.optional(),
  amountUsd: number.optional().describe('Amount converted to US cents.'),
  dynamicPrice: money('Dynamic price calculated for this customer').optional(),
  productPrice: money('Unit price of the product').optional(),
  discountedFromPrice: money('Original price before the reduction').optional(),
  setupFee: money('One-time setup fee').optional(),
  quantity: number.optional().describe('Quantity of the product.'),
  sku: text.optional().describe('Stock keeping unit (SKU) of the product.'),
  licenseKeyId: text.optional().describe('ID of the license key issued for the order.'),
  billing: billing.optional().describe('Billing details of the customer.'),
  shipping: shipping.optional().describe('Shipping details, if the order is shipped.'),
  paymentError: text.optional().describe('Error that the payment gateway returned when the payment failed.'),
  paymentMethod: paymentMethod.optional().describe('Payment method used for the order.'),
  canceledBy: text.optional().describe('User or system that canceled the order.'),
}

/** The members that describe the checkout. They are in the same order in payments, bookings and subscriptions. */
export const checkoutMembers = {
  locale: text.optional().describe('Language of the checkout.'),
  sessionId: text.optional().describe('ID of the checkout session.'),
  userAgent: text.optional().describe('User agent of the customer’s browser.'),
  screenWidth: number.optional().describe('Width of the customer’s screen, in pixels.'),
  visitId: text.optional().describe('ID of the visit to the page.'),
  queryParameters: z
    .record(text, text)
    .optional()
    .describe('Query parameters of the page’s URL when the customer arrived (for example, `utm_source`).'),
  gatewayPaymentIntentId: text.optional().describe('ID of the payment intent at the payment gateway.'),
  gatewayPaymentIntentClientSecret: text
    .optional()
    .describe(
      'Client secret of the payment intent. It authorizes actions on the payment, so it is only returned to keys with the scope `full` or `secrets:read`.',
    ),
}

export const upsellMembers = {
  upsell: flag.optional().describe('Whether the order is an upsell: an offer accepted after another purchase.'),
  upsellPageId: recordReference.optional().describe('ID of the page where the original purchase was made.'),
  upsellChargeId: recordReference.optional().describe('ID of the charge for the original purchase.'),
  upsellSubscriptionId: recordReference.optional().describe('ID of the subscription created by the original purchase.'),
}

export const abandonedCartMembers = {
  isAbandoned: flag.optional().describe('Whether the customer left the checkout without paying.'),
  recoveredAt: instant.optional().describe('Time at which an abandoned checkout was completed.'),
  abandonedCartEmailStatus: text.optional().describe('Status of the abandoned cart email (for example, `pending`).'),
  abandonedCartEmailSentAt: instant.optional().describe('Time at which the abandoned cart email was sent.'),
}

// Not specified: which members are always present. They are the ones without `optional()`, here and in each resource.
/** The members that payments and bookings share: `id` through `updatedAt` in the spec's Payment table. */
export const orderMembers = {
  id: identity.id,
  orderId: sharedMembers.orderId,
  orderStatus: text.optional().describe('Status of the order that the record belongs to.'),
  customerEmail: sharedMembers.customerEmail,
  customerId: sharedMembers.customerId,
  sellerId: identity.sellerId,
  pageId: sharedMembers.pageId,
  currency: sharedMembers.currency,
  amount: money('Total amount'),
  amountPaid: money('Amount paid').optional(),
  amountDue: money('Amount due').optional(),
  amountUsd: sharedMembers.amountUsd,
  amountExcludingTax: money('Total amount, excluding tax').optional(),
  taxAmount: money('Total amount of tax').optional(),
  taxBreakdown: z.array(taxBreakdown).default([]).describe('Tax by rate. Empty if no tax applies.'),
  gatewayTaxCalculationId: text.optional().describe('ID of the tax calculation at the payment gateway.'),
  gatewayTaxTransactionId: text.optional().describe('ID of the tax transaction at the payment gateway.'),
  dynamicPrice: sharedMembers.dynamicPrice,
  fees: z.array(fee).optional().describe('Fees charged in addition to the price.'),
  billing: sharedMembers.billing,
  shipping: sharedMembers.shipping,
  fields: z.array(orderCustomField).optional().describe('Custom fields of the checkout form, in order.'),
  coupon: appliedCoupon.optional().describe('Coupon applied to the order.'),
  discount: discount.optional().describe('Quantity discount applied to the order.'),
  livemode: identity.livemode,
  status: orderStatus.describe('Status of the order. Filterable.'),
  paymentError: sharedMembers.paymentError,
  paymentMethod: sharedMembers.paymentMethod,
  paymentOption: paymentOption.optional().describe('Seller-defined payment option that the customer selected, if any.'),
  ...checkoutMembers,
  gatewayChargeId: text.optional().describe('ID of the charge at the payment gateway.'),
  ...upsellMembers,
  invoiceId: text.optional().describe('ID of the invoice.'),
  transactionIds: textList.optional().describe('IDs of the transactions that paid for the order.'),
  // A plain string in the spec, unlike every other timestamp.
  canceledAt: text.optional().describe('Time at which the order was canceled. Free-form text, not necessarily a timestamp.'),
  canceledBy: sharedMembers.canceledBy,
  canceledReason: text.optional().describe('Reason for the cancellation.'),
  ...abandonedCartMembers,
  createdAt: identity.createdAt,
  updatedAt: identity.updatedAt,
}

/** Values used by several example records. */
export const EXAMPLE = {
  seller: { sellerId: '651f2a90c1d4e5f60a1b2c3d', livemode: true },
  customer: {
    customerEmail: 'zoe@example.com',
    customerId: '65a4c0e1f20b3d4e5f607182',
    billing: {
      name: 'Zoë Haddad',
      email: 'zoe@example.com',
      address: { line1: 'Quay Street 12', city: 'Rotterdam', postalCode: '3011 AB', country: 'NL' },
    },
  },
  card: { gateway: 'gateway', method: 'card', mode: 'default', brand: 'visa', last4: '4242', exp_month: 8, exp_year: 2029 },
} as const

/** The members that a payment and a booking have in common: `id` through `updatedAt` of the spec's Payment table. */
import { z } from 'zod'
import type { Column } from './columns'
import {
  billing,
  customField,
  discount,
  fee,
  flag,
  instant,
  number,
  objectId,
  paymentMethod,
  queryParameters,
  shipping,
  text,
  texts,
} from './shapes'

/** docs/spec.md, "States and transitions". */
export const ORDER_STATUSES = [
  'created',
  'pending',
  'unpaid',
  'partially_paid',
  'paid',
  'canceled',
  'failed',
  'partial_refund',
  'refunded',
  'draft',
  'draft_expired',
] as const

// Spec silent: who is given a secret-bearing value.
/** The members of a payment, a booking and a subscription that no key without `secrets:read` is given. */
export const ORDER_SECRETS = ['gatewayPaymentIntentClientSecret'] as const

/** The table of payments and of bookings. */
export const ORDER_COLUMNS = [
  { key: 'orderId', label: 'Order', kind: 'code' },
  { key: 'amount', label: 'Amount', kind: 'money' },
  { key: 'status', label: 'Status', kind: 'status' },
  { key: 'customerEmail', label: 'Customer', kind: 'email' },
  { key: 'pageId', label: 'Page', kind: 'page' },
  { key: 'createdAt', label: 'Created', kind: 'date' },
  { key: 'billing.name', label: 'Name', kind: 'text', hidden: true },
  { key: 'paymentMethod.method', label: 'Method', kind: 'text', hidden: true },
  { key: 'amountDue', label: 'Due', kind: 'money', hidden: true },
  { key: 'updatedAt', label: 'Changed', kind: 'date', hidden: true },
] as const satisfies readonly Column[]

export const taxRateDetails = z.strictObject({
  country: text.optional(),
  percentageDecimal: number.optional(),
  state: text.optional(),
  taxType: text.optional(),
})

export const taxBreakdown = z.strictObject({
  taxType: text.optional(),
  taxabilityReason: text.optional(),
  taxableAmount: number.optional(),
  taxAmount: number.optional(),
  taxRateDetails: taxRateDetails.optional(),
})

export const appliedCoupon = z.strictObject({
  id: text.optional(),
  label: text.optional(),
  code: text.optional(),
  amountOff: number.optional(),
  percentOff: number.optional(),
  discount: number.optional(),
})

export const paymentOption = z.strictObject({
  type: text.optional(),
  name: text.optional(),
  description: text.optional(),
  instructions: text.optional(),
  partialAmount: number.optional(),
  manualType: text.optional(),
})

export const orderCustomField = customField.extend({ meta: text.optional() })

// Spec silent: which members are always there. Those without `optional()`, here and in each resource.
export const orderMembers = {
  id: objectId,
  orderId: text.optional(),
  orderStatus: text.optional(),
  customerEmail: text.optional(),
  customerId: text.optional(),
  sellerId: text,
  pageId: objectId.optional(),
  currency: text.optional(),
  amount: number,
  amountPaid: number.optional(),
  amountDue: number.optional(),
  amountUsd: number.optional(),
  amountExcludingTax: number.optional(),
  taxAmount: number.optional(),
  taxBreakdown: z.array(taxBreakdown).default([]),
  gatewayTaxCalculationId: text.optional(),
  gatewayTaxTransactionId: text.optional(),
  dynamicPrice: number.optional(),
  fees: z.array(fee).optional(),
  billing: billing.optional(),
  shipping: shipping.optional(),
  fields: z.array(orderCustomField).optional(),
  coupon: appliedCoupon.optional(),
  discount: discount.optional(),
  livemode: flag.optional(),
  status: z.enum(ORDER_STATUSES),
  paymentError: text.optional(),
  paymentMethod: paymentMethod.optional(),
  paymentOption: paymentOption.optional(),
  locale: text.optional(),
  sessionId: text.optional(),
  userAgent: text.optional(),
  screenWidth: number.optional(),
  visitId: text.optional(),
  queryParameters: queryParameters.optional(),
  gatewayPaymentIntentId: text.optional(),
  gatewayPaymentIntentClientSecret: text.optional(),
  gatewayChargeId: text.optional(),
  upsell: flag.optional(),
  upsellPageId: text.optional(),
  upsellChargeId: text.optional(),
  upsellSubscriptionId: text.optional(),
  invoiceId: text.optional(),
  transactionIds: texts.optional(),
  // A plain string in the spec, unlike every other instant.
  canceledAt: text.optional(),
  canceledBy: text.optional(),
  canceledReason: text.optional(),
  isAbandoned: flag.optional(),
  recoveredAt: instant.optional(),
  abandonedCartEmailStatus: text.optional(),
  abandonedCartEmailSentAt: instant.optional(),
  createdAt: instant,
  updatedAt: instant,
}

/** What each member of a payment and of a booking means. */
import type { bookings, bookingTicketLine } from '../../../catalog/bookings'
import type * as order from '../../../catalog/order'
import type { paymentSelectedOption, payments, paymentVariant } from '../../../catalog/payments'
import { customField, EVERY_ORDER, EVERY_RECORD, type Members, variant } from './shared'

export const orderCustomField: Members<typeof order.orderCustomField> = {
  ...customField,
  meta: 'What the page’s form kept beside the answer.',
}

export const taxRateDetails: Members<typeof order.taxRateDetails> = {
  country: 'The country whose tax it is.',
  percentageDecimal: 'The rate in percent.',
  state: 'The state or region whose tax it is.',
  taxType: 'The kind of tax, such as `vat`.',
}

export const taxBreakdown: Members<typeof order.taxBreakdown> = {
  taxType: 'The kind of tax, such as `vat`.',
  taxabilityReason: 'Why this tax applies, or does not.',
  taxableAmount: 'What the tax is taken of, in minor currency units.',
  taxAmount: 'What the tax comes to, in minor currency units.',
  taxRateDetails: 'The rate, and whose it is.',
}

export const appliedCoupon: Members<typeof order.appliedCoupon> = {
  id: 'The coupon’s id.',
  label: 'What the coupon was called when it was used.',
  code: 'The code that the customer entered.',
  amountOff: 'What the coupon takes off, in minor currency units.',
  percentOff: 'What the coupon takes off, in percent.',
  discount: 'What it came to here, in minor currency units.',
}

export const paymentOption: Members<typeof order.paymentOption> = {
  type: 'The kind of option, such as `manual`.',
  name: 'What the option is called.',
  description: 'What the customer was told about it.',
  instructions: 'What the customer has to do, such as where to transfer to.',
  partialAmount: 'What is to be paid at first, in minor currency units, where that is not all.',
  manualType: 'How it is paid by hand, such as `invoice`.',
}

const orderMembers: Record<keyof typeof order.orderMembers, string> = {
  ...EVERY_RECORD,
  id: EVERY_RECORD.id,
  orderId: EVERY_ORDER.orderId,
  orderStatus: 'The state of the order that it belongs to.',
  customerEmail: EVERY_ORDER.customerEmail,
  customerId: EVERY_ORDER.customerId,
  pageId: EVERY_ORDER.pageId,
  currency: EVERY_ORDER.currency,
  amount: 'What is to be paid in all, in minor currency units: 2500 is 25.00 EUR, or ¥2500.',
  amountPaid: 'What has been paid, in minor currency units.',
  amountDue: 'What is still to be paid, in minor currency units.',
  amountUsd: 'The amount in US cents, at the rate of the day.',
  amountExcludingTax: 'The amount without tax, in minor currency units.',
  taxAmount: 'The tax in all, in minor currency units.',
  taxBreakdown: 'The tax, one entry for each rate. Empty where there is none.',
  gatewayTaxCalculationId: 'The gateway’s id of the tax calculation.',
  gatewayTaxTransactionId: 'The gateway’s id of the tax transaction.',
  dynamicPrice: EVERY_ORDER.dynamicPrice,
  fees: 'What was charged on top, one entry a fee.',
  billing: EVERY_ORDER.billing,
  shipping: EVERY_ORDER.shipping,
  fields: EVERY_ORDER.fields,
  coupon: 'The coupon that was used, as it was then.',
  discount: 'The discount for quantity that applied.',
  status: 'How far it has got. Lists can be filtered by it.',
  paymentError: EVERY_ORDER.paymentError,
  paymentMethod: EVERY_ORDER.paymentMethod,
  paymentOption: 'The way to pay that the customer chose, where it is one of the seller’s own.',
  locale: EVERY_ORDER.locale,
  sessionId: EVERY_ORDER.sessionId,
  userAgent: EVERY_ORDER.userAgent,
  screenWidth: EVERY_ORDER.screenWidth,
  visitId: EVERY_ORDER.visitId,
  queryParameters: EVERY_ORDER.queryParameters,
  gatewayPaymentIntentId: EVERY_ORDER.gatewayPaymentIntentId,
  gatewayPaymentIntentClientSecret: EVERY_ORDER.gatewayPaymentIntentClientSecret,
  gatewayChargeId: 'The gateway’s id of the charge.',
  upsell: EVERY_ORDER.upsell,
  upsellPageId: EVERY_ORDER.upsellPageId,
  upsellChargeId: EVERY_ORDER.upsellChargeId,
  upsellSubscriptionId: EVERY_ORDER.upsellSubscriptionId,
  invoiceId: 'The invoice’s id.',
  transactionIds: 'The ids of the transactions that paid it.',
  canceledAt: 'When it was canceled. Plain text here: it need not be an instant.',
  canceledBy: EVERY_ORDER.canceledBy,
  canceledReason: 'Why it was canceled.',
  isAbandoned: EVERY_ORDER.isAbandoned,
  recoveredAt: EVERY_ORDER.recoveredAt,
  abandonedCartEmailStatus: EVERY_ORDER.abandonedCartEmailStatus,
  abandonedCartEmailSentAt: EVERY_ORDER.abandonedCartEmailSentAt,
}

export const payment: Members<typeof payments.record> = {
  ...orderMembers,
  productId: EVERY_ORDER.productId,
  productPrice: EVERY_ORDER.productPrice,
  payWhatYouWantPrice: 'The price that the customer named, in minor currency units, where that was theirs to do.',
  discountedFromPrice: EVERY_ORDER.discountedFromPrice,
  setupFee: 'What was charged once, to begin with, in minor currency units.',
  quantity: EVERY_ORDER.quantity,
  sku: EVERY_ORDER.sku,
  variants: 'The variants that were chosen, such as a size and a colour.',
  licenseKeyId: EVERY_ORDER.licenseKeyId,
}

export const paymentVariantMembers: Members<typeof paymentVariant> = {
  ...variant,
  selectedOptions: 'The options that the customer chose.',
}

export const paymentOptionMembers: Members<typeof paymentSelectedOption> = {
  optionId: 'The option’s id.',
  optionName: 'What the option is called, such as `Large`.',
  sku: EVERY_ORDER.sku,
  quantity: 'How many of this option.',
  additionalChargeAmount: 'What one costs more, in minor currency units.',
  originalAdditionalChargeAmount: 'What one would cost more without the discount, in minor currency units.',
  discount: 'The discount for quantity that applied to it.',
}

export const booking: Members<typeof bookings.record> = {
  ...orderMembers,
  tickets:
    'What was booked, one line for each kind of ticket. The tickets themselves are validated one by one; a paid booking that comes without any gets one made for each seat.',
}

export const bookingLine: Members<typeof bookingTicketLine> = {
  name: 'What the kind of ticket is called.',
  ticketTypeId: 'The id of the kind of ticket.',
  capacity: 'How many of this kind there are in all.',
  reference: 'The seller’s own name for the kind.',
  ticketGroupId: 'The id of the group that the kind belongs to, such as a day.',
  ticketGroupName: 'What that group is called.',
  ticketGroupCapacity: 'How many tickets the group has in all.',
  ticketGroupReference: 'The seller’s own name for the group.',
  quantity: 'How many were booked.',
  price: 'What one costs, in minor currency units.',
  originalPrice: 'What one would cost without the discount, in minor currency units.',
  bookingFeeAmount: 'The booking fee for one, in minor currency units.',
  discount: 'The discount for quantity that applied.',
}

export const ORDER_STATUS_MEANINGS: Record<(typeof order.ORDER_STATUSES)[number], string> = {
  created: 'begun, and nothing paid yet',
  pending: 'being paid',
  unpaid: 'to be paid, and not yet paid',
  partially_paid: 'paid in part',
  paid: 'paid in full',
  canceled: 'called off',
  failed: 'the payment did not go through',
  partial_refund: 'a part was given back',
  refunded: 'all was given back',
  draft: 'not handed in yet',
  draft_expired: 'never handed in, and past its time',
}

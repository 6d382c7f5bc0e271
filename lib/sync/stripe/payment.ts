/** Maps a payment intent, its charges and its invoice to one payment record. */
import type { payments } from '../../catalog/payments'
import type { Charge, Intent, Invoice, Shipping } from './objects'
import { getMetadataIds, omitNullish, type Patch, toAddress, toBillingPatches, toIsoTimeOrNull, undefinedIfEmpty } from './patch'
import { getPaymentId, type StripeEvent } from './stripe-event'

type PaymentPatch = Patch<typeof payments.record>
type Status = NonNullable<PaymentPatch['status']>

function toStatus({ status, last_payment_error }: Intent): Status {
  switch (status) {
    case 'succeeded':
      return 'paid'
    case 'canceled':
      return 'canceled'
    case 'processing':
    case 'requires_action':
    case 'requires_capture':
      return 'pending'
    default:
      return last_payment_error ? 'failed' : 'created'
  }
}

/** Converts shipping details, or returns undefined if they are empty. */
export const toShipping = (shipping: Shipping) =>
  shipping ? undefinedIfEmpty(omitNullish({ name: shipping.name, phone: shipping.phone, address: toAddress(shipping.address) })) : undefined

/** Returns whether a charge was released without being captured. */
const isReleased = ({ captured, refunded }: Charge) => refunded && !captured

function toChargeStatus(charge: Charge): Status {
  if (charge.status !== 'succeeded') return charge.status
  if (isReleased(charge)) return 'canceled'
  return charge.captured ? 'paid' : 'pending'
}

const isCaptured = ({ status, captured }: Charge) => status === 'succeeded' && captured

/** Maps a charge to a complete payment. Events about its payment intent, if any, override these members. */
function fromChargeAlone(charge: Charge): PaymentPatch {
  const isPaid = isCaptured(charge)
  const amount = isPaid ? charge.amount_captured : charge.amount
  return {
    amount,
    amountPaid: isPaid ? amount : 0,
    amountDue: isPaid ? 0 : amount,
    currency: charge.currency,
    livemode: charge.livemode,
    status: toChargeStatus(charge),
    paymentError: charge.failure_message ?? null,
  }
}

/** Maps a payment intent. Once it has succeeded, the amount received is the amount of the sale, even if more was authorized. */
function fromIntent(intent: Intent): PaymentPatch {
  const amount = intent.status === 'succeeded' ? intent.amount_received : intent.amount
  return {
    gatewayPaymentIntentId: intent.id,
    amount,
    amountPaid: intent.amount_received,
    amountDue: amount - intent.amount_received,
    currency: intent.currency,
    livemode: intent.livemode,
    status: toStatus(intent),
    paymentError: intent.last_payment_error?.message ?? intent.last_payment_error?.code ?? null,
    canceledAt: toIsoTimeOrNull(intent.canceled_at),
    canceledReason: intent.cancellation_reason ?? null,
    ...omitNullish({
      gatewayPaymentIntentClientSecret: intent.client_secret,
      gatewayChargeId: intent.latest_charge,
      customerEmail: intent.receipt_email,
      shipping: toShipping(intent.shipping),
    }),
    ...getMetadataIds(intent.metadata),
  }
}

function toTaxes({ total_taxes: taxes, total_excluding_tax }: Invoice): PaymentPatch {
  return omitNullish({
    amountExcludingTax: total_excluding_tax,
    taxAmount: taxes?.reduce((sum, { amount }) => sum + amount, 0),
    taxBreakdown: taxes?.map(({ amount, taxable_amount, taxability_reason }) =>
      omitNullish({ taxAmount: amount, taxableAmount: taxable_amount, taxabilityReason: taxability_reason }),
    ),
  })
}

function fromInvoice(invoice: Invoice, isOnlyPayment: boolean): PaymentPatch {
  const taxes = toTaxes(invoice)
  return {
    invoiceId: invoice.id,
    ...omitNullish({ customerEmail: invoice.customer_email, billing: toBilling(invoice) }),
    // An invoice does not say which part of its taxes belongs to which of its payments.
    ...(isOnlyPayment ? taxes : Object.fromEntries(Object.keys(taxes).map((name) => [name, null]))),
  }
}

/** Maps the customer of an invoice to billing details. */
export const toBilling = (invoice: Invoice) =>
  undefinedIfEmpty(
    omitNullish({
      name: invoice.customer_name,
      email: invoice.customer_email,
      phone: invoice.customer_phone,
      address: toAddress(invoice.customer_address),
    }),
  )

/** Returns the refund status of a charge, if any. An amount that was never captured is not a refund, although Stripe counts it as one. */
function refundStatus({ amount, amount_captured, amount_refunded, captured, refunded }: Charge): Status | undefined {
  if (!captured || amount_refunded === 0) return undefined
  if (refunded || amount_refunded >= amount) return 'refunded'
  return amount_refunded === amount - amount_captured ? undefined : 'partial_refund'
}

function toPaymentMethod(charge: Charge): PaymentPatch['paymentMethod'] {
  const details = charge.payment_method_details
  if (!details) return undefined
  const { brand, last4, country, exp_month, exp_year, funding, wallet } = details.card ?? {}
  return omitNullish({ gateway: 'stripe', method: details.type, brand, last4, country, exp_month, exp_year, funding, wallet: wallet?.type })
}

/** Maps the data that a charge adds to that of its payment intent and invoice. */
function fromCharge(charge: Charge): PaymentPatch {
  const billing = charge.billing_details
  return {
    gatewayChargeId: charge.id,
    ...omitNullish({
      gatewayPaymentIntentId: charge.payment_intent,
      customerEmail: billing?.email ?? charge.receipt_email,
      billing: billing
        ? undefinedIfEmpty(
            omitNullish({ name: billing.name, email: billing.email, phone: billing.phone, address: toAddress(billing.address) }),
          )
        : undefined,
      shipping: toShipping(charge.shipping),
      paymentMethod: toPaymentMethod(charge),
    }),
    ...getMetadataIds(charge.metadata),
  }
}

/**
 * Returns the changes that events make to their payment, in increasing order of precedence: later changes override earlier ones.
 * Refunds come from charges, because the payment intent's status remains `succeeded`.
 *
 * @param events about the payment, its invoice, and the invoice's other payments, in order
 */
export function paymentPatches(events: StripeEvent[]): PaymentPatch[] {
  const objects = events.map(({ object }) => object)
  const charges = objects.filter((object) => object.object === 'charge')
  // For refunds, only the latest event of a charge counts, because a refund that an earlier event reported may have failed.
  const latest = new Map(charges.map((charge) => [charge.id, charge]))
  const intents = objects.filter((object) => object.object === 'payment_intent')
  const isFinal = ['succeeded', 'canceled'].includes(intents.at(-1)?.status ?? '')
  const invoices = objects.filter((object) => object.object === 'invoice')
  const links = [
    ...invoices.flatMap((invoice) => invoice.payments?.data ?? []),
    ...objects.filter((object) => object.object === 'invoice_payment'),
  ]
  // A canceled payment that an invoice lists has paid none of it.
  const isOnlyPayment = new Set(links.flatMap((link) => (link.status === 'canceled' ? [] : (getPaymentId(link.payment) ?? [])))).size <= 1
  return [
    ...charges.map(fromChargeAlone),
    ...intents.map(fromIntent),
    // A payment with a captured charge has succeeded, even if the event about its intent has not arrived yet.
    ...(isFinal ? [] : [...latest.values()].filter(isCaptured).map(fromChargeAlone)),
    ...toBillingPatches([...invoices, ...charges], (object) =>
      object.object === 'invoice' ? fromInvoice(object, isOnlyPayment) : fromCharge(object),
    ),
    ...[...latest.values()].map((charge) => omitNullish({ status: refundStatus(charge) })),
  ]
}

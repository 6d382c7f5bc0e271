/** A payment as Stripe tells it: the payment intent, its charges and its invoice, put together. */
import type { payments } from '../../catalog/payments'
import type { Told } from './event'
import type { Charge, Intent, Invoice, Shipping } from './objects'
import { addressOf, at, atOrNull, known, knownPart, ownIds, type Patch } from './patch'

type PaymentPatch = Patch<typeof payments.record>
type Status = NonNullable<PaymentPatch['status']>

function statusOf({ status, last_payment_error }: Intent): Status {
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

const shippingOf = (shipping: Shipping) =>
  shipping ? knownPart({ name: shipping.name, phone: shipping.phone, address: addressOf(shipping.address) }) : undefined

/** A charge that never was captured, and let go. */
const isReleased = ({ captured, refunded }: Charge) => refunded && !captured

function chargeStatusOf(charge: Charge): Status {
  if (charge.status !== 'succeeded') return charge.status
  if (isReleased(charge)) return 'canceled'
  return charge.captured ? 'paid' : 'pending'
}

/** What a charge says of the whole payment: this stands where there is no payment intent, or before it has come in. */
function chargeAlone(charge: Charge): PaymentPatch {
  const isPaid = charge.status === 'succeeded' && charge.captured
  const amount = isPaid ? charge.amount_captured : charge.amount
  return {
    amount,
    amountPaid: isPaid ? amount : 0,
    amountDue: isPaid ? 0 : amount,
    currency: charge.currency,
    livemode: charge.livemode,
    status: chargeStatusOf(charge),
    paymentError: charge.failure_message ?? null,
  }
}

/** Where less was captured than was authorized, what was captured is the sale. */
function intentSays(intent: Intent): PaymentPatch {
  const amount = intent.status === 'succeeded' ? intent.amount_received : intent.amount
  return {
    gatewayPaymentIntentId: intent.id,
    amount,
    amountPaid: intent.amount_received,
    amountDue: amount - intent.amount_received,
    currency: intent.currency,
    livemode: intent.livemode,
    status: statusOf(intent),
    paymentError: intent.last_payment_error?.message ?? intent.last_payment_error?.code ?? null,
    canceledAt: atOrNull(intent.canceled_at),
    canceledReason: intent.cancellation_reason ?? null,
    ...known({
      gatewayPaymentIntentClientSecret: intent.client_secret,
      gatewayChargeId: intent.latest_charge,
      customerEmail: intent.receipt_email,
      shipping: shippingOf(intent.shipping),
    }),
    ...ownIds(intent.metadata),
  }
}

function invoiceSays(invoice: Invoice): PaymentPatch {
  const taxes = invoice.total_taxes
  return {
    invoiceId: invoice.id,
    ...known({
      customerEmail: invoice.customer_email,
      billing: billingOf(invoice),
      amountExcludingTax: invoice.total_excluding_tax,
      taxAmount: taxes?.reduce((sum, { amount }) => sum + amount, 0),
      taxBreakdown: taxes?.map(({ amount, taxable_amount, taxability_reason }) =>
        known({ taxAmount: amount, taxableAmount: taxable_amount, taxabilityReason: taxability_reason }),
      ),
    }),
  }
}

/** Who an invoice is for. */
export const billingOf = (invoice: Invoice) =>
  knownPart({
    name: invoice.customer_name,
    email: invoice.customer_email,
    phone: invoice.customer_phone,
    address: addressOf(invoice.customer_address),
  })

/** What of a charge went back; what was never captured is no refund, whether Stripe counts it as one or not. */
function refundOf({ amount, amount_captured, amount_refunded, captured, refunded }: Charge): Status | undefined {
  if (!captured || amount_refunded === 0) return undefined
  if (refunded || amount_refunded >= amount) return 'refunded'
  return amount_refunded === amount - amount_captured ? undefined : 'partial_refund'
}

function paymentMethodOf(charge: Charge): PaymentPatch['paymentMethod'] {
  const details = charge.payment_method_details
  if (!details) return undefined
  const { brand, last4, country, exp_month, exp_year, funding, wallet } = details.card ?? {}
  return known({ gateway: 'stripe', method: details.type, brand, last4, country, exp_month, exp_year, funding, wallet: wallet?.type })
}

/** What a charge adds to what its payment intent and its invoice say. */
function chargeSays(charge: Charge): PaymentPatch {
  const billing = charge.billing_details
  return {
    gatewayChargeId: charge.id,
    ...known({
      gatewayPaymentIntentId: charge.payment_intent,
      status: refundOf(charge),
      customerEmail: billing?.email ?? charge.receipt_email,
      billing: billing
        ? knownPart({ name: billing.name, email: billing.email, phone: billing.phone, address: addressOf(billing.address) })
        : undefined,
      shipping: shippingOf(charge.shipping),
      paymentMethod: paymentMethodOf(charge),
    }),
    ...ownIds(charge.metadata),
  }
}

/**
 * What events say of their payment, in the order in which it counts: of two that say the same member the later one stands.
 * A refund is the charge's to tell, for the payment intent goes on saying that it succeeded.
 *
 * @param events in order
 */
export function paymentPatches(events: Told[]): PaymentPatch[] {
  const objects = events.map(({ object }) => object)
  const charges = objects.filter((object) => object.object === 'charge')
  return [
    ...charges.map(chargeAlone),
    ...objects.filter((object) => object.object === 'payment_intent').map(intentSays),
    ...objects.filter((object) => object.object === 'invoice').map(invoiceSays),
    ...charges.map(chargeSays),
  ]
}

export const paymentCreatedAt = (events: Told[]) =>
  at(Math.min(...events.filter(({ object }) => object.object !== 'invoice').map(({ object }) => object.created)))

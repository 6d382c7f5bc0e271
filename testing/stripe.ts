/** Creates Stripe objects, typed with the `stripe` package, and signed events about them. */
import { createHash } from 'node:crypto'
import Stripe from 'stripe'

/** The signing secret of the webhook endpoint. */
export const SECRET = 'whsec_test_0123456789abcdef'
/** Noon UTC on March 1, 2026, as a Unix timestamp in seconds. */
export const NOON = Date.UTC(2026, 2, 1, 12) / 1000
/** An hour before the test started: recent enough that the server's hourly task, which deletes old processed events, keeps these. */
export const RECENT = Math.floor(Date.now() / 1000) - 3600

export const ADDRESS: Stripe.Address = { line1: 'Rue 1', line2: null, city: 'Lyon', state: null, postal_code: '69001', country: 'FR' }

export const makeIntent = (overrides: Partial<Stripe.PaymentIntent> = {}): Stripe.PaymentIntent => ({
  id: 'pi_1',
  object: 'payment_intent',
  allowed_payment_method_types: null,
  amount: 2500,
  amount_capturable: 0,
  amount_received: 0,
  application: null,
  application_fee_amount: null,
  automatic_payment_methods: null,
  canceled_at: null,
  cancellation_reason: null,
  capture_method: 'automatic',
  client_secret: 'pi_1_secret_CANARY',
  confirmation_method: 'automatic',
  created: NOON,
  currency: 'eur',
  customer: 'cus_1',
  customer_account: null,
  description: null,
  excluded_payment_method_types: null,
  last_payment_error: null,
  latest_charge: null,
  livemode: false,
  managed_payments: null,
  metadata: {},
  next_action: null,
  on_behalf_of: null,
  payment_method: null,
  payment_method_configuration_details: null,
  payment_method_options: null,
  payment_method_types: ['card'],
  payment_record: null,
  processing: null,
  receipt_email: null,
  review: null,
  setup_future_usage: null,
  shipping: null,
  source: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  status: 'requires_payment_method',
  transfer_group: null,
  ...overrides,
})

const card: Stripe.Charge.PaymentMethodDetails.Card = {
  amount_authorized: 2500,
  authorization_code: null,
  brand: 'visa',
  checks: null,
  country: 'FR',
  electronic_commerce_indicator: null,
  exp_month: 12,
  exp_year: 2030,
  funding: 'credit',
  installments: null,
  last4: '4242',
  mandate: null,
  network: 'visa',
  network_transaction_id: null,
  regulated_status: null,
  three_d_secure: null,
  transaction_link_id: null,
  wallet: null,
}

export const makeCharge = (overrides: Partial<Stripe.Charge> = {}): Stripe.Charge => ({
  id: 'ch_1',
  object: 'charge',
  amount: 2500,
  amount_captured: 2500,
  amount_refunded: 0,
  application: null,
  application_fee: null,
  application_fee_amount: null,
  balance_transaction: null,
  billing_details: { address: ADDRESS, email: 'ada@example.com', name: 'Ada', phone: null, tax_id: null },
  calculated_statement_descriptor: null,
  captured: true,
  created: NOON + 5,
  currency: 'eur',
  customer: 'cus_1',
  description: null,
  disputed: false,
  failure_balance_transaction: null,
  failure_code: null,
  failure_message: null,
  fraud_details: null,
  livemode: false,
  metadata: {},
  on_behalf_of: null,
  outcome: null,
  paid: true,
  payment_intent: 'pi_1',
  payment_method: 'pm_1',
  payment_method_details: { type: 'card', card },
  receipt_email: null,
  receipt_number: null,
  receipt_url: null,
  refunded: false,
  review: null,
  shipping: null,
  source: null,
  source_transfer: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  status: 'succeeded',
  transfer_data: null,
  transfer_group: null,
  ...overrides,
})

export type StripeEvent = { id: string; object: 'event'; type: string; created: number; data: { object: object } }

/** Returns an event about an object. The ID is derived from the content, so that equal events have the same ID. */
export function makeEvent(type: Stripe.Event.Type, object: object, created = NOON): StripeEvent {
  const id = `evt_${createHash('sha256')
    .update(JSON.stringify([type, object, created]))
    .digest('hex')
    .slice(0, 20)}`
  return {
    id,
    object: 'event',
    type,
    created,
    data: { object },
    ...{ api_version: Stripe.API_VERSION, livemode: false, pending_webhooks: 1, request: null },
  }
}

/** Returns the body and signature header of a webhook request. @param timestamp when it was signed, in Unix seconds */
export function signed(event: object, secret = SECRET, timestamp = Math.floor(Date.now() / 1000)) {
  const payload = JSON.stringify(event)
  return { payload, header: Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }) }
}

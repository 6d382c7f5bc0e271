/** Records are linked to the same objects in Stripe's dashboard. */
import { expect, it } from 'vitest'
import { buildStripeUrl } from './stripe-link'

it('links a payment to its payment intent or, if it has none, to its charge', () => {
  const charge = { gatewayChargeId: 'ch_1' }
  expect(buildStripeUrl('payments', { ...charge, gatewayPaymentIntentId: 'pi_1' })).toBe('https://dashboard.stripe.com/payments/pi_1')
  expect(buildStripeUrl('payments', charge)).toBe('https://dashboard.stripe.com/payments/ch_1')
  expect(buildStripeUrl('bookings', { gatewayPaymentIntentId: 'cash', gatewayChargeId: 'py_1', livemode: false })).toBe(
    'https://dashboard.stripe.com/test/payments/py_1',
  )
  expect(buildStripeUrl('payments', { gatewayChargeId: '../ch_1' })).toBeUndefined()
})

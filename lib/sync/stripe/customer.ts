/** Maps Stripe's customers to customer records. */
import type { customers } from '../../catalog/customers'
import type { Customer } from './objects'
import { omitNullish, type Patch, toAddress } from './patch'
import { toShipping } from './payment'
import type { StripeEvent } from './stripe-event'

type CustomerPatch = Patch<typeof customers.record>

const fromCustomer = ({ id, email, name, phone, address, shipping }: Customer): CustomerPatch => ({
  gatewayCustomerId: id,
  ...omitNullish({ email, name, phone, address: toAddress(address), shipping: toShipping(shipping) }),
})

/**
 * Returns the changes that events make to their customer, to be applied in order. A customer that was deleted in Stripe is kept, because
 * orders refer to it.
 *
 * @param events in order
 */
export const customerPatches = (events: StripeEvent[]): CustomerPatch[] =>
  events.flatMap(({ object }) => (object.object === 'customer' ? [fromCustomer(object)] : []))

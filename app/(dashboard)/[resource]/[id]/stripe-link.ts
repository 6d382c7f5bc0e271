/** Links a record to the same object in Stripe's dashboard. */
import type { ResourceName } from '@/lib/catalog'

type Section = {
  /** The section's path in Stripe's dashboard. */
  path: string
  /** The members that can contain the Stripe ID, in order of preference, and the ID's format. */
  members: Record<string, RegExp>
}

const PAYMENTS: Section = { path: 'payments', members: { gatewayPaymentIntentId: /^pi_\w+$/, gatewayChargeId: /^(ch|py)_\w+$/ } }

const SECTIONS: Partial<Record<ResourceName, Section>> = {
  payments: PAYMENTS,
  bookings: PAYMENTS,
  subscriptions: { path: 'subscriptions', members: { gatewaySubscriptionId: /^sub_\w+$/ } },
  customers: { path: 'customers', members: { gatewayCustomerId: /^cus_\w+$/ } },
  coupons: { path: 'coupons', members: { gatewayCouponId: /^[\w-]+$/ } },
}

/** Returns the record's URL in Stripe's dashboard, or undefined if the record has no valid Stripe ID. */
export function buildStripeUrl(resource: ResourceName, record: Record<string, unknown>): string | undefined {
  const section = SECTIONS[resource]
  if (!section) return undefined
  for (const [member, format] of Object.entries(section.members)) {
    const id = record[member]
    if (typeof id === 'string' && format.test(id))
      return `https://dashboard.stripe.com/${record.livemode === false ? 'test/' : ''}${section.path}/${id}`
  }
  return undefined
}

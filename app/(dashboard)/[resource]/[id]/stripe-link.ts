/** Links a record to the same object in Stripe's dashboard. */
import type { ResourceName } from '@/lib/catalog'

/** For each resource: the member with the Stripe ID, the ID's format, and the section of Stripe's dashboard. */
const SECTIONS: Partial<Record<ResourceName, { member: string; id: RegExp; section: string }>> = {
  payments: { member: 'gatewayPaymentIntentId', id: /^pi_\w+$/, section: 'payments' },
  bookings: { member: 'gatewayPaymentIntentId', id: /^pi_\w+$/, section: 'payments' },
  subscriptions: { member: 'gatewaySubscriptionId', id: /^sub_\w+$/, section: 'subscriptions' },
  customers: { member: 'gatewayCustomerId', id: /^cus_\w+$/, section: 'customers' },
  coupons: { member: 'gatewayCouponId', id: /^[\w-]+$/, section: 'coupons' },
}

/** Returns the record's URL in Stripe's dashboard, or undefined if the record has no valid Stripe ID. */
export function buildStripeUrl(resource: ResourceName, record: Record<string, unknown>): string | undefined {
  const target = SECTIONS[resource]
  const value = target && record[target.member]
  if (typeof value !== 'string' || !target?.id.test(value)) return undefined
  return `https://dashboard.stripe.com/${record.livemode === false ? 'test/' : ''}${target.section}/${value}`
}

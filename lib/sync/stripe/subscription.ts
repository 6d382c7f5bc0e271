/** Maps a subscription and its invoices to one subscription record. */
import type { subscriptions } from '../../catalog/subscriptions'
import type { Invoice, Subscription } from './objects'
import { getMetadataIds, omitNullish, type Patch, toBillingPatches, toIsoTime, toIsoTimeOrNull } from './patch'
import { toBilling } from './payment'
import type { StripeEvent } from './stripe-event'

type SubscriptionPatch = Patch<typeof subscriptions.record>
type Item = Subscription['items']['data'][number]

/** Returns the unit price in minor units, which may be fractional; 0 for tiered prices, which do not have one. */
function unitPrice({ price }: Item): number {
  return price.unit_amount ?? Number(price.unit_amount_decimal ?? 0)
}

/**
 * Returns how many times the unit price is charged per period: 0 if the price is per use, because the usage is not known in advance. A
 * price may be per package of units, in which case the last package may be incomplete.
 */
function billedQuantity({ price, quantity }: Item): number {
  if (price.recurring?.usage_type === 'metered') return 0
  const units = quantity ?? 1
  const { divide_by: packageSize, round } = price.transform_quantity ?? { divide_by: 1, round: 'up' }
  return round === 'up' ? Math.ceil(units / packageSize) : Math.floor(units / packageSize)
}

/** The number of charges per year for each interval, as in the calculation of monthly recurring revenue. */
const PER_YEAR: Record<string, number> = { day: 365, week: 52, month: 12, year: 1 }

/** Returns how often a price is charged per year; undefined if its interval is unknown. */
function getYearlyCharges({ price: { recurring } }: Item): number | undefined {
  const yearly = PER_YEAR[recurring?.interval ?? '']
  return yearly && yearly / Math.max(recurring?.interval_count ?? 1, 1)
}

/** Returns the amount per billing period of the first item. Items may have different intervals. */
function calculateAmount(items: readonly Item[]): number {
  const period = items[0] && getYearlyCharges(items[0])
  const amounts = items.map((item) => {
    const yearly = getYearlyCharges(item)
    return unitPrice(item) * billedQuantity(item) * (period && yearly ? yearly / period : 1)
  })
  return Math.round(amounts.reduce((sum, amount) => sum + amount, 0))
}

function fromSubscription(subscription: Subscription): SubscriptionPatch {
  const items = subscription.items.data
  const [first, second] = items
  const only = second ? undefined : first
  const recurring = first?.price.recurring
  return {
    gatewaySubscriptionId: subscription.id,
    gatewayCustomerId: subscription.customer,
    currency: subscription.currency,
    livemode: subscription.livemode,
    amount: calculateAmount(items),
    interval: recurring?.interval ?? null,
    intervalCount: recurring?.interval_count ?? null,
    quantity: only?.quantity ?? null,
    // Removed if it is fractional, because amounts are whole numbers of minor units.
    productPrice: only && Number.isInteger(unitPrice(only)) ? unitPrice(only) : null,
    status: subscription.status,
    startDate: toIsoTime(subscription.start_date),
    trialStart: toIsoTimeOrNull(subscription.trial_start),
    trialEnd: toIsoTimeOrNull(subscription.trial_end),
    currentPeriodStart: toIsoTimeOrNull(first?.current_period_start),
    currentPeriodEnd: toIsoTimeOrNull(first?.current_period_end),
    cancelAt: toIsoTimeOrNull(subscription.cancel_at),
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    // Stripe's `canceled_at` may be the time of a request to cancel the subscription later.
    canceledAt: toIsoTimeOrNull(subscription.ended_at ?? (subscription.status === 'canceled' ? subscription.canceled_at : null)),
    reason: subscription.cancellation_details?.comment ?? subscription.cancellation_details?.reason ?? null,
    ...omitNullish({ gatewaySetupIntentId: subscription.pending_setup_intent }),
    ...getMetadataIds(subscription.metadata),
  }
}

const PAYMENT_STATUS = { draft: 'draft', open: 'unpaid', paid: 'paid', uncollectible: 'failed', void: 'canceled' } as const

function fromInvoice(invoice: Invoice): SubscriptionPatch {
  return omitNullish({
    customerEmail: invoice.customer_email,
    billing: toBilling(invoice),
    paymentStatus: invoice.status && PAYMENT_STATUS[invoice.status],
  })
}

/** Returns the changes that events make to their subscription; later ones override earlier ones. @param events in order */
export function subscriptionPatches(events: StripeEvent[]): SubscriptionPatch[] {
  const objects = events.map(({ object }) => object)
  return [
    ...toBillingPatches(
      objects.filter((object) => object.object === 'invoice'),
      fromInvoice,
    ),
    ...objects.filter((object) => object.object === 'subscription').map(fromSubscription),
  ]
}

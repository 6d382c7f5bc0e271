/** Maps Stripe's coupons to coupon records. */
import type { coupons } from '../../catalog/coupons'
import type { Coupon } from './objects'
import { omitNullish, type Patch, toIsoTimeOrNull } from './patch'
import type { StripeEvent } from './stripe-event'

type CouponPatch = Patch<typeof coupons.record>

function fromCoupon(coupon: Coupon, isDeleted: boolean): CouponPatch {
  return {
    gatewayCouponId: coupon.id,
    amountOff: coupon.amount_off ?? null,
    percentOff: coupon.percent_off ?? null,
    currency: coupon.currency ?? null,
    duration: coupon.duration,
    durationInMonths: coupon.duration_in_months ?? null,
    maxRedemptions: coupon.max_redemptions ?? null,
    redeemBy: toIsoTimeOrNull(coupon.redeem_by),
    timesRedeemed: coupon.times_redeemed,
    deleted: isDeleted,
    ...omitNullish({ label: coupon.name }),
  }
}

/** Returns the changes that events make to their coupon, to be applied in order. @param events in order */
export const couponPatches = (events: StripeEvent[]): CouponPatch[] =>
  events.flatMap(({ type, object }) => (object.object === 'coupon' ? [fromCoupon(object, type === 'coupon.deleted')] : []))

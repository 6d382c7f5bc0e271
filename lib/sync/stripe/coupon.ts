/** A coupon as Stripe tells it. */
import type { coupons } from '../../catalog/coupons'
import type { Told } from './event'
import type { Coupon } from './objects'
import { atOrNull, known, type Patch } from './patch'

type CouponPatch = Patch<typeof coupons.record>

function couponSays(coupon: Coupon, deleted: boolean): CouponPatch {
  return {
    gatewayCouponId: coupon.id,
    amountOff: coupon.amount_off ?? null,
    percentOff: coupon.percent_off ?? null,
    currency: coupon.currency ?? null,
    duration: coupon.duration,
    durationInMonths: coupon.duration_in_months ?? null,
    maxRedemptions: coupon.max_redemptions ?? null,
    redeemBy: atOrNull(coupon.redeem_by),
    timesRedeemed: coupon.times_redeemed,
    deleted,
    ...known({ label: coupon.name }),
  }
}

/** What events say of their coupon; the later one stands. @param events in order */
export const couponPatches = (events: Told[]): CouponPatch[] =>
  events.flatMap(({ type, object }) => (object.object === 'coupon' ? [couponSays(object, type === 'coupon.deleted')] : []))

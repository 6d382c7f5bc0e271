/** The operations that create and change coupons. */
import { createCoupon as createOperation, updateCoupon as updateOperation } from '../catalog/coupon-operations'
import { createCoupon, lockCoupon, updateCoupon } from '../sync/edit/coupons'
import { defineChangeRoute, defineCreateRoute } from './write-route'

/** `POST /v1/coupons` */
export const createCouponRoute = defineCreateRoute(createOperation, createCoupon)

/** `PATCH /v1/coupons/{id}` */
export const updateCouponRoute = defineChangeRoute(updateOperation, lockCoupon, updateCoupon)

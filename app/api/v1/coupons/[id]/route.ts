/** GET and PATCH /v1/coupons/{id} */
import { coupons } from '@/lib/catalog/coupons'
import { updateCouponRoute } from '@/lib/http/coupon-routes'
import { combineRoutes } from '@/lib/http/methods'
import { recordRoute } from '@/lib/http/record-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = combineRoutes(recordRoute(coupons), updateCouponRoute)

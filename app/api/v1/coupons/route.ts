/** GET and POST /v1/coupons */
import { coupons } from '@/lib/catalog/coupons'
import { createCouponRoute } from '@/lib/http/coupon-routes'
import { listRoute } from '@/lib/http/list-route'
import { combineRoutes } from '@/lib/http/methods'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = combineRoutes(listRoute(coupons), createCouponRoute)

/** GET /v1/coupons */

import { coupons } from '@/lib/catalog/coupons'
import { listRoute } from '@/lib/http/list-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = listRoute(coupons)

/** GET /v1/bookings */

import { resources } from '@/lib/catalog'
import { listRoute } from '@/lib/http/list-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = listRoute(resources.bookings)

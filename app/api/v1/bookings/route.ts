/** GET /v1/bookings */
import { listRoute } from '@/lib/api/list'
import { resources } from '@/lib/records'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = listRoute(resources.bookings)

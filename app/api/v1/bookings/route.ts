/** GET /v1/bookings */
import { bookings } from '@/lib/catalog/bookings'
import { listRoute } from '@/lib/http/list-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = listRoute(bookings)

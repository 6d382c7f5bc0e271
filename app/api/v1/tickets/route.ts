/** GET /v1/tickets */
import { ticketsRoute } from '@/lib/http/plain-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = ticketsRoute

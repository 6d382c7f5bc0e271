/** GET /v1/tickets */
import { ticketReadRoutes } from '@/lib/http/read-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = ticketReadRoutes.list

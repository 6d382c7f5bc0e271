/** GET /v1/tickets */
import { plainTicketRoutes } from '@/lib/http/plain-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = plainTicketRoutes.list

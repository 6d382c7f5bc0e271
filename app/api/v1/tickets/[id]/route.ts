/** GET and PATCH /v1/tickets/{id} */
import { ticketRoutes } from '@/lib/http/ticket-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = ticketRoutes

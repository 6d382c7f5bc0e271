/** POST /v1/tickets/validate/{qrCode} */
import { validateTicketRoute } from '@/lib/http/validate-ticket-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = validateTicketRoute

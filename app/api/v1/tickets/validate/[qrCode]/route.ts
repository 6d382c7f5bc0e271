/** POST /v1/tickets/validate/:qrCode */
import { validateTicketRoute } from '@/lib/api/validate-ticket'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = validateTicketRoute

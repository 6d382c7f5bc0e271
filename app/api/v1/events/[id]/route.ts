/** GET /v1/events/{id} */
import { eventRoute } from '@/lib/http/event-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = eventRoute

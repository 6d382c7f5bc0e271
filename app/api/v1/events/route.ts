/** GET /v1/events */
import { eventsRoute } from '@/lib/http/event-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = eventsRoute

/** GET /v1/webhook_endpoints/{id}/deliveries */
import { deliveriesRoute } from '@/lib/http/webhook-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = deliveriesRoute

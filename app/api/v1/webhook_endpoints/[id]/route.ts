/** GET, PATCH and DELETE /v1/webhook_endpoints/{id} */
import { webhookEndpointRoute } from '@/lib/http/webhook-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = webhookEndpointRoute

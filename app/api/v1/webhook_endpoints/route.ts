/** GET and POST /v1/webhook_endpoints */
import { webhookEndpointsRoute } from '@/lib/http/webhook-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = webhookEndpointsRoute

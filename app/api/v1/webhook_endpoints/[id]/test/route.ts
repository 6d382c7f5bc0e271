/** POST /v1/webhook_endpoints/{id}/test */
import { testEndpointRoute } from '@/lib/http/webhook-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = testEndpointRoute

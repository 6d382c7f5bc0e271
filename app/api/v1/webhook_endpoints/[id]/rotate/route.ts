/** POST /v1/webhook_endpoints/{id}/rotate */
import { rotateSecretRoute } from '@/lib/http/webhook-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = rotateSecretRoute

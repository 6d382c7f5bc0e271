/** POST /v1/webhook_endpoints/{id}/resend */
import { resendRoute } from '@/lib/http/webhook-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resendRoute

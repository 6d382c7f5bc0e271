/** GET /v1/pages/{id} */
import { pageRoute } from '@/lib/http/plain-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = pageRoute

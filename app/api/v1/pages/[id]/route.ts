/** GET /v1/pages/{id} */
import { pageRoutes } from '@/lib/http/plain-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = pageRoutes.record

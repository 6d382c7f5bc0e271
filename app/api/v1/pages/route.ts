/** GET /v1/pages */
import { pageRoutes } from '@/lib/http/plain-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = pageRoutes.list

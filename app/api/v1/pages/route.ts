/** GET /v1/pages */
import { pagesRoute } from '@/lib/http/plain-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = pagesRoute

/** GET /v1/pages */
import { pageReadRoutes } from '@/lib/http/read-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = pageReadRoutes.list

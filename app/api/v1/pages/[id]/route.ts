/** GET /v1/pages/{id} */
import { pageReadRoutes } from '@/lib/http/read-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = pageReadRoutes.record

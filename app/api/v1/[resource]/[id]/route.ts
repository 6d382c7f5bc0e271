/** GET /v1/{resource}/{id}, for resources in the catalog that do not have a route for this path in a folder of their own. */
import { recordRoutes } from '@/lib/http/record-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = recordRoutes

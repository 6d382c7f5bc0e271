/** GET /v1/{resource}/{id}, for resources in the catalog whose own folder has no route for this path. */
import { recordRoutes } from '@/lib/http/record-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = recordRoutes

/** GET /v1/{resource}/{id}, for every resource in the catalog. The folder of a resource can have a specific route instead. */
import { recordRoutes } from '@/lib/http/record-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = recordRoutes

/** GET /v1/{resource}/{id}, for every resource in the catalog that has no specific route in its own folder. */
import { recordRoutes } from '@/lib/http/record-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = recordRoutes

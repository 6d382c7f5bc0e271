/** GET /v1/subscriptions */

import { resources } from '@/lib/catalog'
import { listRoute } from '@/lib/http/list-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = listRoute(resources.subscriptions)

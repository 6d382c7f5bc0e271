/** GET /v1/subscriptions */
import { subscriptions } from '@/lib/catalog/subscriptions'
import { listRoute } from '@/lib/http/list-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = listRoute(subscriptions)

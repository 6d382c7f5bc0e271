/** GET /v1/subscriptions */
import { listRoute } from '@/lib/api/list'
import { resources } from '@/lib/records'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = listRoute(resources.subscriptions)

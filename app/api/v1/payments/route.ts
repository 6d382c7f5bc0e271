/** GET /v1/payments */
import { payments } from '@/lib/catalog/payments'
import { listRoute } from '@/lib/http/list-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = listRoute(payments)

/** GET /v1/customers */
import { customers } from '@/lib/catalog/customers'
import { listRoute } from '@/lib/http/list-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = listRoute(customers)

/** GET and PATCH /v1/customers/{id} */
import { customers } from '@/lib/catalog/customers'
import { updateCustomerRoute } from '@/lib/http/customer-routes'
import { combineRoutes } from '@/lib/http/methods'
import { recordRoute } from '@/lib/http/record-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = combineRoutes(recordRoute(customers), updateCustomerRoute)

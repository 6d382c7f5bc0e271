/** POST /v1/customers/{id}/erase */
import { eraseCustomerRoute } from '@/lib/http/customer-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = eraseCustomerRoute

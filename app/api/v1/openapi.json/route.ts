/** GET /v1/openapi.json */
import { openApiRoute } from '@/lib/http/openapi/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = openApiRoute

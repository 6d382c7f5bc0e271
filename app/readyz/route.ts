/** GET /readyz: the database answers, and its migrations are in. */
import { readyRoute } from '@/lib/http/health-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = readyRoute

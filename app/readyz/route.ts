/** GET /readyz: reports whether the database responds and has been migrated. */
import { readyRoute } from '@/lib/http/health-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = readyRoute

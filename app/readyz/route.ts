/** GET /readyz: reports whether the database responds and is migrated. */
import { readyRoute } from '@/lib/http/health-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = readyRoute

/** Returns a JSON error for every path under /v1 that has no route. */
import { notFoundRoute } from '@/lib/http/fallback-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = notFoundRoute

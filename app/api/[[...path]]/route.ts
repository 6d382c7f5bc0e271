/** Returns a JSON 404 for every path under /api and /v1 that has no route. */
import { notFoundRoute } from '@/lib/http/fallback-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = notFoundRoute

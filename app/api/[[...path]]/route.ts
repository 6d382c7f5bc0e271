/** JSON for every path under /v1 at which nothing is. */
import { notFoundRoute } from '@/lib/http/fallback-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = notFoundRoute

/** JSON for every path under /v1 at which nothing is. */
import { notFoundRoute } from '@/lib/api/fallback'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = notFoundRoute

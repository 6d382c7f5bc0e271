/** GET /healthz: the process runs. */
import { healthRoute } from '@/lib/http/health-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = healthRoute

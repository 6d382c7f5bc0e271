/** GET /healthz: reports that the process is running. */
import { healthRoute } from '@/lib/http/health-routes'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = healthRoute

/** GET /healthz: the process runs. */
import { healthRoute } from '@/lib/api/health'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = healthRoute

/** GET /metrics: for Prometheus. */
import { metricsRoute } from '@/lib/api/metrics'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = metricsRoute

/** GET /metrics: returns metrics for Prometheus. */
import { metricsRoute } from '@/lib/http/metrics-route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = metricsRoute

/** `GET /metrics`: Prometheus metrics, for clients that send the value of METRICS_TOKEN. Returns 404 if METRICS_TOKEN is not set. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { env } from '../core/env'
import { ApiError } from '../core/errors'
import { writeMetrics } from '../core/metrics'
import { CHALLENGE, readBearerToken } from './authenticate'
import type { RequestHeaders } from './exchange'
import { defineOpenRoute } from './handler'

/** Hashes a token to a fixed length, so that the comparison takes the same time for any token. */
const digest = (text: string) => createHash('sha256').update(text).digest()

function requireToken(headers: RequestHeaders, token: string): void {
  if (timingSafeEqual(digest(readBearerToken(headers) ?? ''), digest(token))) return
  const message = 'The metrics token is missing or wrong. Send the value of METRICS_TOKEN in the header `Authorization: Bearer <token>`.'
  throw new ApiError('key_invalid', message, 'Authorization', CHALLENGE)
}

export const metricsRoute = defineOpenRoute(async (request) => {
  const { METRICS_TOKEN } = env()
  if (METRICS_TOKEN === undefined) throw new ApiError('route_not_found', 'Metrics are off. Set METRICS_TOKEN to turn them on.')
  requireToken(request.headers, METRICS_TOKEN)
  const { text = '', contentType = '' } = (await writeMetrics()) ?? {}
  return { status: 200, body: text, headers: { 'Content-Type': contentType } }
})

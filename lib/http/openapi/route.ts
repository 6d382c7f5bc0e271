/** Serves the OpenAPI document to anyone, because it contains no secrets. */
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { reportLoad } from '@/db/semaphore'
import { ApiError } from '../../core/errors'
import type { ApiRequest } from '../exchange'
import { defineOpenRoute } from '../handler'
import { consume, retryIn } from '../rate-limit'
import { openApiText } from './document'

/** The maximum number of requests per minute and address. The document is so large that sending it often would delay check-in. */
const PER_MINUTE = 60
const addresses = new RateLimiterMemory({ points: PER_MINUTE, duration: 60 })
let refused = 0
reportLoad('openapi', () => ({ active: 0, waiting: 0, refused }))

/** Returns the origin that a request was sent to. Uses the Host header, because Next's router replaces the host in the URL. */
function getOrigin({ url, headers }: ApiRequest): string {
  const { protocol, origin } = new URL(url)
  const requested = `${protocol}//${headers.get('host')}`
  return URL.canParse(requested) ? new URL(requested).origin : origin
}

/** Counts a request. Next's own server passes no address, and has no limit. @throws {ApiError} `rate_limited` */
async function limitAddress(address: string | undefined): Promise<void> {
  if (address === undefined) return
  const { state, isExceeded } = await consume(addresses, address)
  if (!isExceeded) return
  refused += 1
  const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000))
  const message = `Rate limit exceeded: ${PER_MINUTE} requests for this document per minute from this address. ${retryIn(seconds)}`
  throw new ApiError('rate_limited', message, undefined, { 'Retry-After': String(seconds) })
}

/** `GET /v1/openapi.json`. */
export const openApiRoute = defineOpenRoute(async (request) => {
  await limitAddress(request.address)
  return { status: 200, body: openApiText(getOrigin(request)) }
})

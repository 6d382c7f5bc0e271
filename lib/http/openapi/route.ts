/** Serves the OpenAPI document to anyone, because it contains no secrets. */
import type { ApiRequest } from '../exchange'
import { defineOpenRoute } from '../handler'
import { openApiText } from './document'

/** Returns the origin of a request. Next's router replaces the host of the URL; the Host header has the original. */
function askedAt({ url, headers }: ApiRequest): string {
  const { protocol, origin } = new URL(url)
  const requested = `${protocol}//${headers.get('host')}`
  return URL.canParse(requested) ? new URL(requested).origin : origin
}

/** `GET /v1/openapi.json`. */
export const openApiRoute = defineOpenRoute(async (request) => ({ status: 200, body: openApiText(askedAt(request)) }))

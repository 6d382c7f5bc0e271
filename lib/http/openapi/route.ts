/** Serves the OpenAPI document to anyone, because it contains no secrets. */
import type { ApiRequest } from '../exchange'
import { defineOpenRoute } from '../handler'
import { openApiText } from './document'

/** Returns the origin that a request was sent to. Uses the Host header, because Next's router replaces the host in the URL. */
function getOrigin({ url, headers }: ApiRequest): string {
  const { protocol, origin } = new URL(url)
  const requested = `${protocol}//${headers.get('host')}`
  return URL.canParse(requested) ? new URL(requested).origin : origin
}

/** `GET /v1/openapi.json`. */
export const openApiRoute = defineOpenRoute(async (request) => ({ status: 200, body: openApiText(getOrigin(request)) }))

/** Serves the API's description to anyone: what it says is no secret. */
import { defineOpenRoute } from '../handler'
import type { ApiRequest } from '../reply'
import { openApiText } from './document'

/** Where a request was sent to. Next's router makes a host of its own of it; the header has the one that was asked. */
function askedAt({ url, headers }: ApiRequest): string {
  const { protocol, origin } = new URL(url)
  const asked = `${protocol}//${headers.get('host')}`
  return URL.canParse(asked) ? new URL(asked).origin : origin
}

/** `GET /v1/openapi.json`. */
export const openApiRoute = defineOpenRoute(async (request) => ({ status: 200, body: openApiText(askedAt(request)) }))

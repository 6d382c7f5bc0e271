/** The adapter's own Response: a text with its headers, written to the socket as it is, where the platform's goes through a stream. */
import { getRequestListener } from '@hono/node-server'

/**
 * The adapter gives it to nobody but by putting it in the platform's place. It is taken from there and the platform's put back at
 * once, for Next's own code makes requests and responses too.
 */
function takeFromAdapter(): typeof Response {
  const { Request: request, Response: response } = globalThis
  getRequestListener(() => new Response())
  const light = globalThis.Response
  Object.defineProperty(globalThis, 'Request', { value: request })
  Object.defineProperty(globalThis, 'Response', { value: response })
  return light
}

export const LightResponse = takeFromAdapter()

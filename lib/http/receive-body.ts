/** Receives the bodies of requests for pages, because Next would read them without a limit. */
import { IncomingMessage } from 'node:http'
import { readBytes } from './body'
import { toApiRequest } from './exchange'

/**
 * Returns the request with its whole body in memory, so that a page does not hold a slot during a slow upload.
 *
 * @param maxBytes the maximum size of the body
 * @throws {ApiError} `body_too_large`, or `body_invalid` if the client disconnects
 */
export async function receiveBody(incoming: IncomingMessage, maxBytes: number): Promise<IncomingMessage> {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = incoming
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return incoming
  const bytes = await readBytes(toApiRequest(incoming, '', undefined), maxBytes)
  const received = new IncomingMessage(incoming.socket)
  const { 'transfer-encoding': _, ...rest } = headers
  const length = { 'content-length': String(bytes.byteLength) }
  Object.assign(received, {
    method,
    url,
    headers: { ...rest, ...length },
    rawHeaders,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    complete: true,
  })
  received.push(bytes)
  received.push(null)
  return received
}

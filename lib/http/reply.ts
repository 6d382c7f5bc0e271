/** A request and a response of the API, reduced to what its handlers need; both `server.ts` and Next produce and send them. */

export type RequestHeaders = Pick<Headers, 'get' | 'has'>

/** The platform's `Request` satisfies it; `server.ts` builds a cheaper one from Node's request. */
export type ApiRequest = {
  method: string
  url: string
  headers: RequestHeaders
  /** The client's IPv4 address or IPv6 network; absent under Next's own server. */
  address?: string
  body: AsyncIterable<Uint8Array> | null
}

export type Reply = {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | null
}

/** Converts a reply for Next. */
export const toResponse = ({ status, headers, body }: Reply): Response => new Response(body, { status, headers })

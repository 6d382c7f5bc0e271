/** A request and a response of the API, as plain as its handlers need them: `server.ts` and Next both produce and send them. */

export type RequestHeaders = Pick<Headers, 'get' | 'has'>

/** The platform's `Request` is one; `server.ts` makes a cheaper one from Node's request. */
export type ApiRequest = {
  method: string
  url: string
  headers: RequestHeaders
  body: AsyncIterable<Uint8Array> | null
}

export type Reply = {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | null
}

/** Converts a reply for Next. */
export const toResponse = ({ status, headers, body }: Reply): Response => new Response(body, { status, headers })

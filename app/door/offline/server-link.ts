/** Sends requests to the server, and tracks whether it responds. */
import { pageSellerHeader } from '../page-seller'

type ServerRequest = {
  /** The timeout in milliseconds. */
  ms: number
  /** Sent as JSON in a POST request. Without a body, the request is a GET. */
  body?: unknown
  /** Whether a guest is waiting for the response. */
  isScan?: boolean
}

export type ServerLink = {
  /** Sends a request. Returns undefined if the complete response does not arrive in time or is a 5xx error. */
  request(path: string, request: ServerRequest): Promise<Response | undefined>
  /** Sends a request. Returns whether there is a response in time, even if it is a 5xx error. */
  probe(path: string, request: ServerRequest): Promise<boolean>
  /**
   * Returns whether the most recently completed request got no response or, if it was a scan, a 5xx error. Ignores 5xx errors of other
   * requests, and failures of requests that are older than one to which the server has responded.
   */
  isOffline(): boolean
}

/** Returns whether a response comes from this server. A proxy or a captive portal responds with its own page, even with a 401. */
const isFromServer = ({ headers }: Response) => headers.get('Content-Type')?.startsWith('application/json') === true

/** @param send sends a request to the check-in routes */
export function createServerLink(send: (path: string, request: RequestInit) => Promise<Response>): ServerLink {
  let isOffline = false
  /** The number of requests so far, which is the number of the newest one. */
  let requests = 0
  /** The number of the newest request to which the server has responded. */
  let newestResponse = 0

  /** Ignores a failure if the server has responded to a newer request, so that the next ticket is checked by the server. */
  function setOffline(hasFailed: boolean, number: number): void {
    if (hasFailed && number < newestResponse) return
    if (!hasFailed) newestResponse = Math.max(newestResponse, number)
    isOffline = hasFailed
  }

  /** Sends a request. Returns undefined if there is no response in time, or no complete one. The body of a 5xx error is not read. */
  async function exchange(path: string, { ms, body, isScan = false }: ServerRequest): Promise<Response | undefined> {
    requests += 1
    const number = requests
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), ms)
    try {
      const seller = pageSellerHeader()
      const init =
        body === undefined
          ? { headers: seller }
          : { method: 'POST', headers: { 'Content-Type': 'application/json', ...seller }, body: JSON.stringify(body) }
      const response = await send(path, { ...init, signal: abort.signal })
      const isOutage = response.status >= 500
      if (!isOutage && !isFromServer(response)) throw new TypeError('another server responded')
      // A busy server rejects requests that load the list or report offline scans before it rejects the scans of waiting guests.
      if (isScan || !isOutage) setOffline(isOutage, number)
      if (isOutage) return response
      // The body is read before the timer is cleared, so that the time limit also applies to a response that stalls.
      const content = await response.arrayBuffer()
      return new Response(content.byteLength === 0 ? null : content, response)
    } catch {
      setOffline(true, number)
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async request(path, request) {
      const response = await exchange(path, request)
      return response && response.status >= 500 ? undefined : response
    },
    probe: async (path, request) => (await exchange(path, request)) !== undefined,
    isOffline: () => isOffline,
  }
}

/** Prevents Next.js from resending a change whose response was lost, and from replacing the page during an outage or after a sign-out. */
import { errorCopy } from './copy/errors'
import { shellCopy } from './copy/shell'

/** Statuses that the server or a proxy returns during an outage. The change may have been made. A failed action returns 500. */
const OUTAGE_STATUSES = new Set([502, 503, 504])

/**
 * Returns a `fetch` that rejects a server action with an `AbortError` if the connection fails after the action might have arrived, if the
 * server is unavailable, or if the user has been signed out. After a network error, Next.js's `useOffline` option would wait for the
 * connection and send the action again, because it assumes that the server never received it. An action that starts offline is still sent
 * again, because it cannot have arrived. The message of the `AbortError` can be shown to the user.
 */
export function sendOnce(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (!new Headers(init?.headers).has('next-action')) return send(input, init)
    const wasOnline = navigator.onLine
    const response = await send(input, init).catch((error: unknown) => {
      throw wasOnline ? new DOMException(shellCopy.lost, 'AbortError') : error
    })
    if (response.status === 401) throw new DOMException(errorCopy.signedOut, 'AbortError')
    if (OUTAGE_STATUSES.has(response.status)) throw new DOMException(shellCopy.unavailable, 'AbortError')
    return response
  }
}

/** Prevents Next.js from repeating a change after its response was lost, and from replacing the page in an outage or after a sign-out. */
import { errorCopy } from './copy/errors'
import { shellCopy } from './copy/shell'

/** Statuses that the server or a proxy in front of it returns in an outage. The change may have been made. A failed action returns 500. */
const OUTAGE_STATUSES = new Set([502, 503, 504])

/**
 * Returns a `fetch` that rejects a server action with an `AbortError` if the connection fails after the action might have arrived, in an
 * outage, or if the user has been signed out. After any other error, Next.js's `useOffline` waits for the connection and repeats the
 * request, because it assumes that the server never received it. An action that starts offline is still repeated, because it cannot have
 * arrived. The message of the `AbortError` can be shown to the user.
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

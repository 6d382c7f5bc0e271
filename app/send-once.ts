/** Prevents Next.js from repeating a change whose response was lost. */

/**
 * Returns a `fetch` that rejects a server action with an `AbortError` if the connection fails after the action might have arrived. After
 * any other error, Next.js's `useOffline` waits for the connection and repeats the request, because it assumes that the server never
 * received it. An action that starts offline is still repeated, because it cannot have arrived.
 *
 * @param onLost called once for each such action
 */
export function sendOnce(send: typeof fetch, onLost: () => void): typeof fetch {
  return async (input, init) => {
    const mightArrive = navigator.onLine && new Headers(init?.headers).has('next-action')
    if (!mightArrive) return send(input, init)
    try {
      return await send(input, init)
    } catch {
      onLost()
      throw new DOMException('The connection was lost before the server responded.', 'AbortError')
    }
  }
}

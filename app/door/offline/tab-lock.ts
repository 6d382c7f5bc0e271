/** The lock that keeps two tabs of one device from sending scans and updating the list at the same time. */

const NAME = 'checkout-desk-door-transfer'
/** How long to wait for another tab that holds the lock, in milliseconds. */
const TIMEOUT_MS = 60_000

/**
 * Runs a callback while no other tab holds the lock. A suspended tab may hold it forever, so after a minute this tab takes it. That is
 * safe for transfers: scans are recorded once per ID, and a page of the list is stored only if it continues the stored list.
 */
export function inOneTab<T>(callback: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator && navigator.locks)) return callback()
  let working: Promise<T> | undefined
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS)
  const request = (options: LockOptions) =>
    navigator.locks.request(NAME, options, () => {
      clearTimeout(timer)
      working = callback()
      return working
    })
  // If another tab takes the lock, the request fails, but the callback continues.
  return request({ signal: abort.signal })
    .catch(() => working ?? request({ steal: true }))
    .catch((error) => working ?? Promise.reject(error))
}

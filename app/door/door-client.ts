/** Sends the check-in page's requests. Retries changes, and distinguishes a rejected request from a lost connection. */
import { doorCopy } from '../copy/door'

export type DoorResult<T> = { outcome: 'ok'; data: T } | { outcome: 'offline' } | { outcome: 'refused'; message: string }

export type ChangePath = '/door/scan' | '/door/admit' | '/door/undo' | '/door/metadata'

/** Attempts are limited in number and time, so that a guest does not wait long. */
const MAX_ATTEMPTS = 3
const TIMEOUT_MS = 3_000
const PAUSES_MS = [300, 900]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends one request. Returns undefined if a retry might succeed: no connection, an outage, too many requests. */
async function attempt<T>(path: string, request: RequestInit): Promise<DoorResult<T> | undefined> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS)
  request.signal?.addEventListener('abort', () => abort.abort())
  try {
    const response = await fetch(path, { ...request, signal: abort.signal })
    if (response.ok) return { outcome: 'ok', data: (await response.json()) as T }
    if (response.status === 401) {
      window.location.assign('/sign-in?callbackUrl=/door')
      return { outcome: 'refused', message: doorCopy.signedOut }
    }
    if (response.status === 429 || response.status >= 500) return undefined
    return { outcome: 'refused', message: ((await response.json()) as { message: string }).message }
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** Returns a random idempotency key. Does not use `randomUUID`, which browsers expose only in secure contexts. */
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The idempotency keys of changes that got no response, by request, so that repeating a request reuses its key. */
const pendingKeys = new Map<string, string>()

/** Sends a change. All attempts have the same idempotency key, so the change is made at most once. */
export async function sendChange<T>(path: ChangePath, fields: Record<string, unknown>): Promise<DoorResult<T>> {
  const request = JSON.stringify([path, fields])
  const key = pendingKeys.get(request) ?? newKey()
  pendingKeys.set(request, key)
  const body = JSON.stringify({ ...fields, key })
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const result = await attempt<T>(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    if (result) {
      pendingKeys.delete(request)
      return result
    }
    await pause(PAUSES_MS[attempts] ?? 0)
  }
  return { outcome: 'offline' }
}

/** Sends a GET request without retries: the next keystroke or tap repeats it. */
export async function fetchDoor<T>(path: string, params: Record<string, string>, signal: AbortSignal): Promise<DoorResult<T>> {
  const given = Object.entries(params).filter(([, value]) => value !== '')
  return (await attempt<T>(`${path}?${new URLSearchParams(given)}`, { signal })) ?? { outcome: 'offline' }
}

/** Sends what the door does until it is answered, or says that there is no connection; never takes the one for a refusal. */
import { doorWords } from '../copy/door'

export type Sent<T> = { outcome: 'answered'; answer: T } | { outcome: 'offline' } | { outcome: 'refused'; message: string }

export type ChangePath = '/door/scan' | '/door/admit' | '/door/undo' | '/door/metadata'

/** A door can't wait longer for one guest. */
const TRIES = 3
const TRY_MS = 3_000
const PAUSES_MS = [300, 900]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Undefined where it is worth another try: no line, an outage, too many requests. */
async function tryOnce<T>(path: string, request: RequestInit): Promise<Sent<T> | undefined> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), TRY_MS)
  request.signal?.addEventListener('abort', () => stop.abort())
  try {
    const response = await fetch(path, { ...request, signal: stop.signal })
    if (response.ok) return { outcome: 'answered', answer: (await response.json()) as T }
    if (response.status === 401) {
      window.location.assign('/sign-in?callbackUrl=/door')
      return { outcome: 'refused', message: doorWords.signedOut }
    }
    if (response.status === 429 || response.status >= 500) return undefined
    return { outcome: 'refused', message: ((await response.json()) as { message: string }).message }
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** A key for one change: random, and to be had without TLS too, as in a venue's own network. */
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** A change that found no connection keeps its key: asked for again, it is the same change. */
const unanswered = new Map<string, string>()

/** Each try carries the same idempotency key: an answer that was lost on the way is given again, and nothing is done twice. */
export async function sendChange<T>(path: ChangePath, what: Record<string, unknown>): Promise<Sent<T>> {
  const same = JSON.stringify([path, what])
  const key = unanswered.get(same) ?? newKey()
  unanswered.set(same, key)
  const body = JSON.stringify({ ...what, key })
  for (let tries = 0; tries < TRIES; tries += 1) {
    const sent = await tryOnce<T>(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    if (sent) {
      unanswered.delete(same)
      return sent
    }
    await pause(PAUSES_MS[tries] ?? 0)
  }
  return { outcome: 'offline' }
}

/** Reads, once: what is typed next or a tap asks again. */
export async function readDoor<T>(path: string, params: Record<string, string>, signal: AbortSignal): Promise<Sent<T>> {
  const given = Object.entries(params).filter(([, value]) => value !== '')
  return (await tryOnce<T>(`${path}?${new URLSearchParams(given)}`, { signal })) ?? { outcome: 'offline' }
}

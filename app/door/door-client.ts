/** Sends the check-in page's requests. Retries changes, and distinguishes a rejected request from a lost connection. */
import { MAX_OTHERS } from '@/lib/catalog/limits'
import { pageSellerHeader } from './page-seller'
import type { ScanResponse } from './responses'

/** `offline`: there was no response, or only 5xx errors. `refused`: the server rejected the request. `message` is shown to the user. */
export type DoorResult<T> = { outcome: 'ok'; data: T } | { outcome: 'offline' } | { outcome: 'refused'; message: string }

export type ChangePath = '/door/scan' | '/door/admit' | '/door/undo' | '/door/metadata'

/** The number of attempts and the time for each are limited, so that a guest does not wait long. */
const MAX_ATTEMPTS = 3
const TIMEOUT_MS = 3_000
const PAUSES_MS = [300, 900]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Returns the URL-encoded path to open after signing in again. The dashboard's ticket and booking pages also send check-ins. */
const pathAfterSignIn = ({ pathname, search }: Location) =>
  /^\/door(\/|$)/.test(pathname) ? '/door' : encodeURIComponent(pathname + search)

/** Reads a response with a status below 500. If authentication failed, opens the check-in page of an ended device or the sign-in page. */
export async function readResponse<T>(response: Response): Promise<DoorResult<T>> {
  if (response.ok) return { outcome: 'ok', data: (await response.json()) as T }
  const { message, code } = (await response.json()) as { message: string; code: string }
  // On a device that was revoked or has expired, the check-in page deletes the ticket list, sends the scans, and links to the setup.
  if (response.status === 401) {
    window.location.assign(code === 'key_invalid' ? '/door' : `/sign-in?callbackUrl=${pathAfterSignIn(window.location)}`)
  }
  return { outcome: 'refused', message }
}

type AttemptInit = RequestInit & { headers?: Record<string, string> }

/** Sends a request once. Returns undefined if a retry might succeed, because there was no complete response in time or a 5xx error. */
async function attempt<T>(path: string, request: AttemptInit): Promise<DoorResult<T> | undefined> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS)
  request.signal?.addEventListener('abort', () => abort.abort())
  try {
    const response = await fetch(path, { ...request, headers: { ...request.headers, ...pageSellerHeader() }, signal: abort.signal })
    return response.status >= 500 ? undefined : await readResponse<T>(response)
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** Returns a random idempotency key. Does not use `randomUUID`, which browsers expose only in secure contexts. */
export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** How long a change without a response keeps its key, in milliseconds. After that, the same code may be scanned for a different guest. */
const REPEAT_MS = 60_000

/** A manual check-in that got no response, although the server may have let the guest in, with its idempotency key. */
export type UnansweredCheckIn = { key: string; ticketId: string }

/** The changes without a response, and when they were first sent. The map's keys are returned by `toPendingKey`. */
const pending = new Map<string, Pick<Change, 'path' | 'fields' | 'key' | 'unanswered'> & { since: number }>()

type UnansweredScan = { path: ChangePath; body: string }

/** Scans without a response that a new scan of the same ticket has replaced. They are sent again after later changes. */
let unansweredScans: UnansweredScan[] = []

const isScan = (path: ChangePath) => path === '/door/scan' || path === '/door/admit'

const post = <T>(path: ChangePath, body: string) =>
  attempt<T>(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })

/** Sends the replaced scans, and keeps those that still get no response. Call it after other changes: no guest waits for these scans. */
export async function sendUnansweredScans(): Promise<void> {
  const sending = unansweredScans
  unansweredScans = []
  for (const scan of sending) if (!(await post(scan.path, scan.body))) unansweredScans.push(scan)
}

/**
 * A change with its idempotency key. `firstSentAt` is set if the change repeats one that got no response. `unanswered` is set for an entry
 * by code, of which only the server may know the ticket: if it belongs to one of these check-ins, the scan repeats the check-in instead.
 */
export type Change = {
  path: ChangePath
  fields: Record<string, unknown>
  key: string
  firstSentAt: Date | undefined
  unanswered: readonly UnansweredCheckIn[] | undefined
}

/** The result of a change, and when the change was first sent, if it was repeated. */
export type ChangeResult<T> = DoorResult<T> & Pick<Partial<Change>, 'firstSentAt'>

/** Returns a change's key in `pending`. Omits the source, so that typing a code that the camera has already read is the same change. */
const toPendingKey = ({ path, fields }: Pick<Change, 'path' | 'fields'>) => JSON.stringify([path, { ...fields, source: undefined }])

/** Returns whether a change was first sent within the last minute. If that is far in the future, the clock has been set back since. */
const isRecent = ({ since }: { since: number }) => Math.abs(Date.now() - since) < REPEAT_MS

/** Returns the manual check-ins, with the event and the device name of a scan, that got no response within the last minute. */
function findUnanswered({ path, fields }: Pick<Change, 'path' | 'fields'>): UnansweredCheckIn[] | undefined {
  if (path !== '/door/scan' || !fields.checkIn || fields.direction === 'out') return undefined
  const found = [...pending.values()].filter(
    (change) =>
      change.path === '/door/admit' && change.fields.pageId === fields.pageId && change.fields.device === fields.device && isRecent(change),
  )
  return found.length === 0
    ? undefined
    : found.slice(-MAX_OTHERS).map((change) => ({ key: change.key, ticketId: String(change.fields.ticketId) }))
}

/**
 * Returns a change to send. If it repeats a change that got no response within the last minute, it has the same key, so that the change is
 * made at most once.
 */
export function beginChange(path: ChangePath, fields: Record<string, unknown>): Change {
  const request = toPendingKey({ path, fields })
  const before = pending.get(request)
  const isRepeat = before !== undefined && isRecent(before)
  if (before && !isRepeat && isScan(path)) unansweredScans.push({ path, body: JSON.stringify({ ...fields, key: before.key, late: true }) })
  // A repetition has the same `unanswered`: the server may already have repeated one of these check-ins instead of recording the scan.
  const { key, since, unanswered } = isRepeat ? before : { key: newKey(), since: Date.now(), unanswered: findUnanswered({ path, fields }) }
  pending.set(request, { path, fields, key, since, unanswered })
  return { path, fields, key, firstSentAt: isRepeat ? new Date(since) : undefined, unanswered }
}

/** Forgets a change that was made or rejected, so that repeating it is a new change. */
export function endChange({ key }: Pick<Change, 'key'>): void {
  for (const [request, change] of pending) if (change.key === key) pending.delete(request)
}

/** Forgets the manual check-ins of a ticket that got no response. Call it after an undo or an exit: the guest's next entry is a new one. */
export function endCheckIns(ticketId: string): void {
  for (const [request, { path, fields }] of pending) if (path === '/door/admit' && fields.ticketId === ticketId) pending.delete(request)
}

/** Forgets a change that got a response, and the manual check-ins that it has repeated or reverted. */
export function endAnswered(change: Change, result: DoorResult<unknown>): void {
  endChange(change)
  if (result.outcome !== 'ok') return
  const { path, fields, unanswered } = change
  if (path === '/door/undo') endCheckIns(String(fields.ticketId))
  const { kind, ticket } = result.data as Partial<ScanResponse>
  const id = ticket?.guest.id
  if (id !== undefined && (kind === 'checked_out' || unanswered?.some(({ ticketId }) => ticketId === id))) endCheckIns(id)
}

/** The changes that are being sent, by key, with the `firstSentAt` of the first request. */
const sending = new Map<string, Date | undefined>()

/** Sends a change, up to three times with the same idempotency key. */
export async function sendChange<T>(change: Change): Promise<ChangeResult<T>> {
  const { path, fields, key, unanswered } = change
  const body = JSON.stringify({ ...fields, key, unanswered })
  // Some scanners read a code twice. The second scan gets the same result as the first, because no response has been lost.
  const firstSentAt = sending.has(key) ? sending.get(key) : change.firstSentAt
  sending.set(key, firstSentAt)
  try {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const result = await post<T>(path, body)
      if (result) {
        endAnswered(change, result)
        void sendUnansweredScans()
        return { ...result, firstSentAt }
      }
      await pause(PAUSES_MS[attempts] ?? 0)
    }
    return { outcome: 'offline' }
  } finally {
    sending.delete(key)
  }
}

/** Sends a GET request without retries: the next keystroke or tap repeats it. Omits empty parameters. */
export async function fetchDoor<T>(path: string, params: Record<string, string>, signal: AbortSignal): Promise<DoorResult<T>> {
  const nonEmpty = Object.entries(params).filter(([, value]) => value !== '')
  return (await attempt<T>(`${path}?${new URLSearchParams(nonEmpty)}`, { signal })) ?? { outcome: 'offline' }
}

/** Signs the user out. Returns false if the server may not have received the request. */
export async function signOut(): Promise<boolean> {
  const result = await attempt<{ done: true }>('/door/sign-out', { method: 'POST' })
  return result?.outcome === 'ok' && result.data.done
}

/** Sends this device's unsent scans, and updates its list. */
import type { DeviceConflict } from '@/lib/admission/conflicts'
import { DOOR_PROTOCOL, type TicketListPage } from '@/lib/admission/sealed-ticket'
import { getPageSellerId } from '../page-seller'
import { type NamedEntry, openNames } from './find-names'
import type { ServerLink } from './server-link'
import type { DoorStore, ListState, QueuedScan } from './store'
import { fromBase64, toKey } from './unseal'

/** The timeout for a request that loads a page of the list or sends scans, in milliseconds. */
const TRANSFER_MS = 15_000
/** The timeout for the request that checks whether an unreachable server responds again, in milliseconds. */
const PROBE_MS = 5_000

/** The maximum number of scans in a request, and of characters in their JSON. A request body is limited to 64 KiB. */
const MAX_SCANS = 100
const MAX_CHARACTERS = 48 * 1024
/** The maximum size of a scan's JSON in addition to its sealed text, in characters. */
const SCAN_OVERHEAD = 160

/** Returns as many of the first scans as fit in a request, but at least one. @param scans at most `MAX_SCANS` */
function fitBatch(scans: readonly QueuedScan[]): QueuedScan[] {
  let characters = 0
  return scans.filter(({ sealed }, index) => {
    characters += sealed.length + SCAN_OVERHEAD
    return index === 0 || characters <= MAX_CHARACTERS
  })
}

/** Returns whether the server rejected the request's content, and would reject it again. */
const isRejection = ({ status }: Response) => status === 400 || status === 413 || status === 422

/**
 * Returns how far this device's clock is ahead of the server's, in milliseconds. The offset has bounds, because the server read its clock
 * between the request and the response. The last offset is kept if it is within these bounds, and otherwise replaced by the nearest one.
 *
 * @param last the last measured offset; undefined if this is the first measurement
 */
function measureOffset(requestedAt: number, respondedAt: number, serverNow: number, last: number | undefined): number {
  const [least, most] = [requestedAt - serverNow, respondedAt - serverNow]
  return last === undefined ? (least + most) / 2 : Math.min(Math.max(last, least), most)
}

/**
 * `stopped` if the list is not up to date although the server responded: the server rejected the request (for example, because the device
 * was revoked), this version of the page is outdated, or the list was deleted in the meantime. `offline` if there was no response.
 */
type ListUpdate = 'updated' | 'stopped' | 'offline'

export type Transfer = {
  /** Sends unsent scans and updates the list. Resolves with the result of the update. */
  run(): Promise<ListUpdate>
  /**
   * Sends the unsent scans. Resolves with `sent` once only rejected scans remain, `busy` if the rate limit was reached, `refused` if the
   * server accepts no scans from this browser (for example, because its device no longer exists), or `offline` if there was no response.
   */
  sendQueue(): Promise<'sent' | 'busy' | 'refused' | 'offline'>
  /** Deletes the list, but not the unsent scans. */
  wipe(): Promise<void>
  /** Returns the number of tickets on this device, as of the last change to the list. */
  countTickets(): Promise<number>
  /** Returns the names on the list, or undefined if this page has no key for them: it was reloaded offline, or the server sent none. */
  names(): Promise<NamedEntry[]> | undefined
  /** Returns this device's conflicts, as of the last complete update. */
  conflicts(): readonly DeviceConflict[]
  /** Returns whether this device was revoked or has expired. */
  isEnded(): boolean
  /** Returns whether the server uses a newer protocol version. */
  isOutdated(): boolean
}

/** @param now returns milliseconds since 1970 on this device's clock */
export function createTransfer(store: DoorStore, { request, probe, isOffline }: ServerLink, now: () => number): Transfer {
  let isEnded = false
  let isOutdated = false
  /** Counting a long list takes as long as checking a ticket, so the number is kept until the list is updated. */
  let counted: Promise<number> | undefined
  let searchKey: CryptoKey | undefined
  let conflicts: readonly DeviceConflict[] = []
  /** The decrypted names, until the list changes. */
  let names: Promise<NamedEntry[]> | undefined
  /** The cursor of the last page that this tab has stored. */
  let storedCursor: string | undefined

  async function wipe(): Promise<void> {
    counted = undefined
    searchKey = undefined
    names = undefined
    conflicts = []
    await store.wipeList()
  }

  /** Deletes the list of a device that was revoked or has expired. */
  async function end(): Promise<void> {
    isEnded = true
    await wipe()
  }

  /**
   * Sends the unsent scans, oldest first, and deletes those that the server has recorded. Halves a rejected batch, so that a scan that the
   * server does not accept cannot block the others; such a scan stays on this device. Doubles the batch size after each success.
   */
  async function sendQueue(): Promise<'sent' | 'busy' | 'refused' | 'offline'> {
    let size = MAX_SCANS
    let kept = 0
    for (;;) {
      const scans = fitBatch(await store.queued(size, kept))
      if (scans.length === 0) return 'sent'
      const body = { protocol: DOOR_PROTOCOL, scans: scans.map(({ id, sealed, signedDeviceId }) => ({ id, sealed, signedDeviceId })) }
      const response = await request('/door/scans', { ms: TRANSFER_MS, body })
      if (!response) return 'offline'
      if (isRejection(response)) {
        if (scans.length === 1) {
          kept += 1
          // The next scan may be rejected, too.
          size = 2
        } else size = Math.ceil(scans.length / 2)
        continue
      }
      if (!response.ok) return response.status === 429 ? 'busy' : 'refused'
      const { recorded, wipe } = (await response.json()) as { recorded: string[]; wipe: boolean }
      await store.removeQueued(recorded)
      size = Math.min(size * 2, MAX_SCANS)
      if (wipe) await end()
      if (recorded.length === 0) return 'sent'
    }
  }

  /**
   * Returns whether the server can be expected to respond. While it is unreachable, sends it a report without scans first, so that neither
   * a long timeout delays the next attempt nor a short one keeps many scans from being sent over a slow connection.
   */
  const isReachable = async () =>
    !isOffline() || (await probe('/door/scans', { ms: PROBE_MS, body: { protocol: DOOR_PROTOCOL, scans: [] } }))

  /** Loads all changes to the list. */
  async function updateList(): Promise<ListUpdate> {
    let before = await store.state()
    // Another tab has updated the list.
    if (before?.cursor !== storedCursor) names = undefined
    const unsent = await store.countQueue()
    for (let isFirst = true; ; isFirst = false) {
      const report: Record<string, string> = isFirst ? { unsent: String(unsent), offset: String(Math.round(before?.clockOffset ?? 0)) } : {}
      const start = now()
      const query = new URLSearchParams({ ...(before ? { cursor: before.cursor } : {}), ...report })
      const response = await request(`/door/tickets?${query}`, { ms: TRANSFER_MS })
      if (!response) return 'offline'
      if (response.status === 401) await end()
      if (!response.ok) return 'stopped'
      const page = (await response.json()) as TicketListPage
      isOutdated = page.protocol > DOOR_PROTOCOL
      if (isOutdated) return 'stopped'
      const serverNow = Date.parse(page.now)
      const { cursor, indexKey, scanKey, signedDeviceId, timeZone, events, hasMore } = page
      const isComplete = !hasMore || (before?.isComplete === true && !page.reset)
      const updatedAt = hasMore ? (before?.updatedAt ?? 0) : serverNow
      // If an earlier page of this update lacked a ticket, only the next update is sure to include it, even if its key is derived by now.
      const waiting = Math.max(page.waiting ?? 0, before?.hasMore ? (before.waiting ?? 0) : 0)
      const sellerId = getPageSellerId()
      const state: ListState = {
        ...(sellerId && { sellerId }),
        cursor,
        indexKey,
        scanKey,
        ...(signedDeviceId && { signedDeviceId }),
        timeZone,
        events,
        isComplete,
        waiting,
        hasMore,
        updatedAt,
        clockOffset: measureOffset(start, now(), serverNow, before?.clockOffset),
      }
      if (!(await store.savePage(page, state, before?.cursor))) return 'stopped'
      storedCursor = cursor
      counted = undefined
      conflicts = page.conflicts ?? conflicts
      before = state
      searchKey = page.searchKey === undefined ? undefined : await toKey(fromBase64(page.searchKey))
      if (page.reset || page.entries.length > 0 || !searchKey) names = undefined
      if (!hasMore) return 'updated'
    }
  }

  return {
    async run() {
      counted = undefined
      if (!(await isReachable())) return 'offline'
      const sent = await sendQueue()
      // Even if the server cannot record scans, it may be able to send the list.
      if (!(await isReachable())) return 'offline'
      // Read before the update, so that the updated list includes them.
      const recorded = await store.recorded()
      // The pages that were loaded before an interruption do not include them.
      const isResumed = (await store.state())?.hasMore === true
      const result = await updateList()
      if (sent === 'offline' && result === 'updated') await sendQueue()
      if (result === 'updated' && !isResumed) {
        const missing = await store.findMissing(recorded.map(({ index }) => index))
        await store.forgetEntered(recorded.filter(({ index }) => !missing.has(index)))
      }
      return result
    },
    sendQueue,
    wipe,
    countTickets() {
      counted ??= store.countTickets()
      return counted
    },
    names() {
      if (!searchKey) return undefined
      names ??= openNames(store, searchKey).catch((error) => {
        names = undefined
        throw error
      })
      return names
    },
    conflicts: () => conflicts,
    isEnded: () => isEnded,
    isOutdated: () => isOutdated,
  }
}

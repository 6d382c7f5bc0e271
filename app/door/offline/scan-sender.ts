/** Sends scans to the server, except those of guests whom this device has let in or out but not reported yet. */
import { newKey } from '../door-client'
import type { ScanResponse } from '../responses'
import type { ScanRequest } from './scan-request'
import type { ServerLink } from './server-link'
import type { DoorStore, ListState } from './store'
import { type CodeKey, deriveRef, fromBase64 } from './unseal'

/** Returns a ticket's entry in the list, or undefined if there is none. */
export const findListed = async (store: DoorStore, list: ListState, ticketId: string) =>
  store.findByRef(await deriveRef(fromBase64(list.indexKey), ticketId))

/** @param timeoutMs how long to wait for the server, in milliseconds */
export function createScanSender(store: DoorStore, link: ServerLink, timeoutMs: number) {
  /**
   * Returns whether this device has let the ticket's guest in or out and not reported this yet, even if the list no longer has the ticket.
   */
  async function isUnsent({ indexKey }: ListState, ticketId: string): Promise<boolean> {
    const ref = await deriveRef(fromBase64(indexKey), ticketId)
    const [listed, { indexes, refs }] = await Promise.all([store.findByRef(ref), store.unsent()])
    return refs.has(ref) || (listed !== undefined && indexes.has(listed.index))
  }

  /** Returns whether a code may be another form of a listed code. False for exits, which count even if the entry is reported later. */
  const mayBeAlias = async (scan: ScanRequest, { index }: CodeKey) =>
    'code' in scan && scan.direction !== 'out' && !(await store.find(index))

  /** Sends a scan to the server. Returns undefined if the server does not respond in time. */
  function sendToServer(scan: ScanRequest): Promise<Response | undefined> {
    const { id, checkIn, direction, pageId, device } = scan
    const common = { key: id, ...(pageId === undefined ? {} : { pageId }), ...(device ? { device } : {}) }
    const timing = { ms: timeoutMs, isScan: true }
    if (!('code' in scan)) return link.request('/door/admit', { ...timing, body: { ...common, ticketId: scan.ticketId } })
    const { code, source, unanswered } = scan
    return link.request('/door/scan', {
      ...timing,
      body: { ...common, code, source, checkIn, ...(direction === 'out' && { direction }), unanswered },
    })
  }

  /**
   * Sends a scan to the server, unless this device has let the ticket's guest in or out and not reported this yet, because the server would
   * then admit someone with a copy of the ticket.
   *
   * @returns the response; undefined if there is none in time, or if it is a 429 and the ticket can be checked with the list; `notSent` if
   *   the scan was not sent and the ticket has to be checked locally; `unsentAlias` if it cannot be checked locally either, because this
   *   device cannot look up this form of the code, such as a short ID
   */
  async function askServer(
    scan: ScanRequest,
    list: ListState | undefined,
    deriving: Promise<CodeKey> | undefined,
  ): Promise<Response | 'notSent' | 'unsentAlias' | undefined> {
    if (!list || !deriving) return sendToServer(scan)
    const send = async () => {
      const response = await sendToServer(scan)
      if (response?.status !== 429 || !list.isComplete) return response
      // Other forms of a code, such as a short ID, cannot be looked up in the list.
      return (await mayBeAlias(scan, await deriving)) ? response : undefined
    }
    // If the browser's storage is unavailable, the server is still asked.
    const unsent = await store.unsent().then(
      ({ indexes }) => indexes,
      () => new Set<string>(),
    )
    // Usually, there are no unsent scans, so the server is asked while the key is derived.
    if (unsent.size === 0) return send()
    const codeKey = await deriving
    if (unsent.has(codeKey.index)) return 'notSent'
    if (!(await mayBeAlias(scan, codeKey))) return send()
    // Only the server knows which ticket has this code. A preview returns it without checking the guest in.
    const preview = await sendToServer({ ...scan, id: newKey(), checkIn: false })
    if (!preview) return 'notSent'
    const { kind, ticket } = preview.ok ? ((await preview.clone().json()) as Partial<ScanResponse>) : {}
    if (ticket && (await isUnsent(list, ticket.guest.id))) return 'unsentAlias'
    // A refusal is final, and must not be recorded twice. A repeated scan is sent, because its first attempt may have checked the guest in.
    const isRefused = kind !== undefined && kind !== 'previewed' && !scan.isRepeated
    return isRefused ? preview : send()
  }

  return { askServer, isUnsent, mayBeAlias }
}

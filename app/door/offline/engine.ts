/** The engine of offline check-in: checks tickets locally if the server does not respond, and stores the scans until they are sent. */
import { isStrongCode } from '@/lib/admission/code-strength'
import type { DeviceConflict } from '@/lib/admission/conflicts'
import { HOLD_SECONDS, MAX_CODE } from '@/lib/catalog/limits'
import { endChange, newKey } from '../door-client'
import type { ScanResponse } from '../responses'
import { createCountChangeTracker } from './count-change-tracker'
import { type CountChange, toCountChange } from './count-changes'
import { decideLocally, type LocalDecision } from './decide-locally'
import { matchNames } from './find-names'
import { createManualCheckIns } from './manual-check-ins'
import {
  type CodeScan,
  type EngineScan,
  type FoundGuest,
  type FoundGuests,
  type GuestScan,
  getSource,
  type ScanRequest,
} from './scan-request'
import { createScanSender, findListed } from './scan-sender'
import { sealScan } from './seal-scan'
import { createServerLink } from './server-link'
import { shareScans } from './share-scans'
import type { DoorStore, EnteredTicket, ListState } from './store'
import { inOneTab } from './tab-lock'
import { createTransfer } from './transfer'
import { type CodeKey, deriveCodeKey, deriveRef, fromBase64, readNonce, skipUnreadable, toKey } from './unseal'

/** How long to wait for the server before a ticket is checked locally, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 1_200
/** How long a refusal is held back, in milliseconds. Meanwhile, repeating the scan or overriding the refusal reuses the scan's ID. */
const HOLD_MS = HOLD_SECONDS * 1_000
/** The maximum time for which a local decision waits for the server's earlier decisions to be stored, in milliseconds. */
const REMEMBER_MS = 3_000
/** The maximum number of guests in a search result. */
const MAX_FOUND = 20

export type EngineStatus = {
  /** Whether the server is unreachable. */
  isOffline: boolean
  /** The number of tickets on this device. */
  tickets: number
  /** Whether the whole list is on this device, apart from the `waiting` tickets. */
  isComplete: boolean
  /** The number of tickets that the server has not been able to send yet, because the keys of their codes have not been derived. */
  waiting: number
  /** When the list was last up to date, in milliseconds since 1970 on this device's clock; undefined before the first complete update. */
  updatedAt: number | undefined
  /** The number of scans that the server has not recorded. */
  unsent: number
  /** How the unsent scans change the counts. */
  countChanges: readonly CountChange[]
  /** How the scans that have been sent since the last call to `forgetDelivered` change the counts. */
  delivered: readonly CountChange[]
  /** Whether the counts that the server sends now may already include some of `countChanges`. */
  isCountUncertain: boolean
  /** This device's scans that became conflicts, newest first. Not stored, so empty after the page is reloaded offline. */
  conflicts: readonly DeviceConflict[]
  /** Whether the device was revoked or has expired. If so, its list is deleted. */
  isEnded: boolean
  /** Whether the server uses a newer protocol version. If so, the list is not updated until the page is reloaded; scans are still sent. */
  isOutdated: boolean
}

export type Engine = {
  /**
   * Checks a ticket with the server. If the server does not respond in time, responds with a 429, or does not know yet that this device has
   * let the guest in or out, checks it with this device's list if possible. If the same scan is already being checked, returns its result.
   */
  scan(request: ScanRequest): Promise<EngineScan>
  /**
   * Prepares a manual check-in or an undo. If a check-in gets no response, the next scan of the ticket repeats it.
   *
   * @returns false if the change must not be sent yet, because the server does not know that this device has let the guest in or out
   */
  prepareChange(ticketId: string): Promise<boolean>
  /**
   * Lets in a guest whose code is not on the list. The scan is recorded as an override.
   *
   * @param request the scan for which the code was not found
   * @returns the ID under which the override is reported; undefined if there is no list
   */
  override(request: CodeScan): Promise<string | undefined>
  /** Stores an undo or a manual check-in that the server has recorded, so that this device uses it even before its list is updated. */
  remember(ticketId: string, entry: Pick<EnteredTicket, 'hasLeft' | 'source'>): void
  /**
   * Finds guests by name on this device's list. Returns undefined if the list is incomplete or has no searchable names, or the page was
   * reloaded offline.
   */
  findGuests(term: string, pageId: string | undefined): Promise<FoundGuests | undefined>
  /**
   * Sends unsent scans and updates the list. Resolves with whether the server responded.
   *
   * @param onSending called before scans that change the counts are sent; sending starts once it has resolved
   */
  synchronize(onSending?: () => unknown): Promise<boolean>
  /**
   * Sends the unsent scans before the browser is set up as a different device. If this succeeds, later scans do not contain this device's
   * signed ID.
   *
   * @returns the number of unsent scans that could still be sent later as the current device
   */
  report(): Promise<number>
  status(): Promise<EngineStatus>
  /** Clears `delivered`. Call it after receiving counts that were requested after the scans were sent, because those include the scans. */
  forgetDelivered(): void
  /** Deletes the list, but not the unsent scans. */
  wipe(): Promise<void>
}

export type EngineOptions = {
  store: DoorStore
  /** Sends a request to the check-in routes. */
  send: (path: string, request: RequestInit) => Promise<Response>
  /** Returns milliseconds since 1970 on this device's clock. */
  now?: () => number
  /** Runs a callback that sends scans or updates the list, in only one tab of this device at a time. All tabs check tickets. */
  exclusively?: <T>(callback: () => Promise<T>) => Promise<T>
  /** How long to wait for the server's response to a scan, in milliseconds. */
  timeoutMs?: number
}

/**
 * Returns the code to report. Replaces characters that the server cannot store; no ticket's code contains any. Truncates a code that is too
 * long for a ticket to the server's maximum length, including an ellipsis.
 */
function toStorableCode(code: string): string {
  const characters = [...code.replaceAll('\u0000', '\ufffd').replace(/\p{Surrogate}/gu, '\ufffd')]
  return characters.length <= MAX_CODE ? characters.join('') : `${characters.slice(0, MAX_CODE - 1).join('')}…`
}

export function createEngine({
  store,
  send,
  now = Date.now,
  exclusively = inOneTab,
  timeoutMs = RESPONSE_TIMEOUT_MS,
}: EngineOptions): Engine {
  const link = createServerLink(send)
  const transfer = createTransfer(store, link, now)
  const countChanges = createCountChangeTracker(store)
  const { askServer, isUnsent, mayBeAlias } = createScanSender(store, link, timeoutMs)
  const manualCheckIns = createManualCheckIns(store, now)
  /** Resolves once this device has stored the entries and exits that the server has recorded. */
  let remembering: Promise<unknown> = Promise.resolve()
  /** The code indexes of the tickets that the server has refused as canceled, until the list includes this. */
  const canceled = new Set<string>()
  /** The time of each code's last local decision since the last list update, by index: milliseconds since 1970 on the server's clock. */
  const decidedAt = new Map<string, number>()

  const synchronize = (onSending?: () => unknown) =>
    exclusively(async () => {
      // If `heldSince` is far in the future, the clock has been set back since. Such scans are sent, too.
      await store.releaseHeld((heldSince) => Math.abs(now() - heldSince) >= HOLD_MS)
      await countChanges.begin()
      const known = [...canceled]
      const updating = async () => {
        if (countChanges.isSending()) await onSending?.()
        return transfer.run()
      }
      const result = await updating().finally(countChanges.finish)
      if (result === 'updated') {
        const missing = await store.findMissing(known)
        for (const index of known) if (!missing.has(index)) canceled.delete(index)
        decidedAt.clear()
      }
      return result !== 'offline'
    })

  const decide = (list: ListState, scan: Omit<Parameters<typeof decideLocally>[2], 'now' | 'isCanceled'>) =>
    decideLocally(store, list, { ...scan, now: new Date(now() - list.clockOffset), isCanceled: canceled.has(scan.codeKey.index) })

  /**
   * Queues a scan with this device's decision, and stores the guest's entry or exit.
   *
   * @param how `hold` to hold the scan back; `override` to let in a guest with an unlisted code; `overrideHeld` to do so only if the scan
   *   is held back
   * @returns false, and stores nothing, if the scan is not held back (`overrideHeld`), or if another tab has let the guest in or out since
   *   the decision
   */
  async function storeDecision(
    scan: ScanRequest,
    list: ListState,
    { kind, index, ref, lastEnteredAt, nonce, ticket: listed }: Omit<LocalDecision, 'message'>,
    how?: 'hold' | 'override' | 'overrideHeld',
  ): Promise<boolean> {
    const { id, checkIn, direction = 'in', pageId } = scan
    const isOverride = how === 'override' || how === 'overrideHeld'
    const outcome = isOverride ? 'admitted' : kind
    // Previews are not recorded.
    if (!checkIn || outcome === 'previewed') return true
    const { signedDeviceId } = list
    const clockOffset = Math.round(list.clockOffset)
    // Even if the clock has been set back, the scan must be later than the list and than the ticket's earlier scans.
    const knownAt = Math.max(list.updatedAt, lastEnteredAt ?? 0, decidedAt.get(index) ?? 0, Date.parse(listed?.last?.at ?? '') || 0)
    // A whole number, because the keys of the queue are sorted as text.
    const at = Math.max(now() - clockOffset, Math.floor(knownAt) + 1)
    decidedAt.set(index, at)
    const time = { claimedAt: new Date(at + clockOffset).toISOString(), clockOffset }
    const event = pageId === undefined ? {} : { pageId }
    const ticket = 'code' in scan ? { code: toStorableCode(scan.code) } : { ticketId: scan.ticketId }
    const source = getSource(scan)
    const content = { ...ticket, ...(source && { source }), ...time, direction, ...event, decision: outcome, isOverride }
    // A refused check-out leaves the ticket unchanged, as it does online.
    const didEnterOrLeave = outcome === 'admitted' || outcome === 'checked_out'
    const entered: EnteredTicket | undefined = didEnterOrLeave ? { index, ref, at, nonce, hasLeft: direction === 'out', source } : undefined
    const move = didEnterOrLeave ? toCountChange(listed, direction, pageId) : undefined
    const sealed = await sealScan(list.scanKey, id, content)
    const held = how === 'hold' && { heldSince: now() }
    const queued = { id, sealed, at, ...(signedDeviceId && { signedDeviceId }), ...(move && { move }), ...held }
    const condition = how === undefined ? { lastEnteredAt } : how === 'overrideHeld' ? 'held' : undefined
    if (!(await store.saveEntry(entered, queued, condition))) return false
    if (move) countChanges.add(id, move)
    return true
  }

  /**
   * Checks a ticket with this device's list. Stores the decision before it is shown, so that nothing is lost if the page is killed. Holds
   * back the refusal of an entry if the server may have let the guest in with the same scan.
   *
   * @param mayBeRecorded whether the scan was sent under its own ID, so that the server may have recorded it
   * @param unanswered a manual check-in of this ticket that got no response; if the guest is admitted, the scan reuses its ID
   */
  async function scanLocally(
    scan: ScanRequest,
    list: ListState | undefined,
    codeKey: CodeKey | undefined,
    mayBeRecorded: boolean,
    unanswered: GuestScan | undefined,
  ): Promise<EngineScan> {
    if (!list?.isComplete || !codeKey) return { decidedBy: 'none' }
    const { pageId } = scan
    // An event that is not on the list is not one of this device's events, or was added after the list was updated.
    if (pageId !== undefined && !list.events.some(({ id, offlineAdmission }) => id === pageId && offlineAdmission))
      return { decidedBy: 'none' }
    await Promise.race([remembering, new Promise((resolve) => setTimeout(resolve, REMEMBER_MS))])
    const isEntry = 'code' in scan && scan.direction !== 'out'
    const waiting = isEntry && !isStrongCode(scan.code) ? (list.waiting ?? 0) : 0
    const localScan = { ...scan, codeKey }
    // A refusal keeps the scan's own ID. With the ID of the manual check-in, it would undo that check-in.
    const withId = ({ kind }: LocalDecision) => (unanswered && kind === 'admitted' ? { ...scan, id: unanswered.id } : scan)
    let decision = await decide(list, localScan)
    // Tickets for events that require a connection are not on the list, so an unknown code may belong to one of them.
    const mayBeUnlisted = pageId === undefined && list.events.some(({ offlineAdmission }) => !offlineAdmission)
    if (mayBeUnlisted && decision.kind === 'unknown') return { decidedBy: 'none' }
    const isUncertain = decision.kind === 'unknown' && waiting > 0
    // Scanning the ticket again uses the same ID. For a guest who was found by name, a manual check-in would use it, too.
    const isHeld = ({ kind }: LocalDecision) => mayBeRecorded && isEntry && scan.checkIn && kind !== 'admitted'
    const keep = () => storeDecision(withId(decision), list, decision, isHeld(decision) ? 'hold' : undefined)
    // If another tab has let the guest in or out since the decision, the ticket is checked again.
    if (!isUncertain || isHeld(decision)) while (!(await keep())) decision = await decide(list, localScan)
    if (unanswered && decision.kind === 'admitted') endChange({ key: unanswered.id })
    if (decision.kind === 'checked_out' && decision.ticket) manualCheckIns.end(decision.ticket.id)
    const listUpdatedAt = list.updatedAt + list.clockOffset
    const result = { decision, scanId: withId(decision).id, listUpdatedAt, isHeld: isHeld(decision) }
    return { decidedBy: 'device', ...result, ...(isUncertain && { waiting }) }
  }

  /**
   * Remembers the guest's last entry or exit, even at another door, or that the ticket is canceled, as reported in the server's response to
   * a scan, so that this device takes it into account while the server is unreachable.
   */
  async function rememberEntry(scan: ScanRequest, list: ListState, deriving: Promise<CodeKey>, response: Response): Promise<void> {
    const at = now() - list.clockOffset
    const [{ index }, { kind, ticket }] = await Promise.all([deriving, response.json() as Promise<Partial<ScanResponse>>])
    if (kind === 'checked_out' && ticket) manualCheckIns.end(ticket.guest.id)
    // The typed text may be the code with different capitalization, or the short ID.
    const listed = ticket && (await findListed(store, list, ticket.guest.id))
    const indexes = new Set([index, listed?.index ?? index])
    if (kind === 'canceled') for (const codeIndex of indexes) canceled.add(codeIndex)
    const last = ticket?.history.at(-1)
    const hasEntry = kind === 'admitted' || kind === 'checked_out'
    let entry: Omit<EnteredTicket, 'index' | 'ref'>
    if (last?.at && (hasEntry || kind === 'already_checked_in')) {
      const { at: lastAt, status, method, source } = last
      entry = { at: Date.parse(lastAt), hasLeft: status === 'UNCHECKEDIN', method, source }
    } else if (hasEntry) {
      // A guest who was let in without a ticket for the event has left. If there is a ticket with the code, it can still be used.
      if (kind === 'checked_out' && (await store.find(index))) return
      entry = { at, hasLeft: kind === 'checked_out', source: getSource(scan) }
    } else return
    const ref = ticket && (await deriveRef(fromBase64(list.indexKey), ticket.guest.id))
    for (const codeIndex of indexes) await store.saveEntry({ index: codeIndex, ref, ...entry }, undefined)
  }

  return {
    synchronize,
    report: () =>
      exclusively(async () => {
        await store.releaseHeld(() => true)
        const result = await transfer.sendQueue()
        if (result === 'offline' || result === 'busy') return store.countQueue()
        // The list is kept: after being set up as a different device, the browser uses it until the new device's list has loaded.
        await store.forgetDevice()
        return 0
      }),
    scan: shareScans(async (scan) => {
      // If the browser's storage is unavailable, the server is still asked.
      const list = await store.state().catch(() => undefined)
      // The key is derived while waiting for the server, because this takes about 100 ms on a phone for a weak code.
      const deriving = 'codeKey' in scan ? Promise.resolve(scan.codeKey) : list && deriveCodeKey(fromBase64(list.indexKey), scan.code)
      const unanswered = list && deriving && (await manualCheckIns.find(scan, list, deriving).catch(() => undefined))
      const scanToSend = unanswered ?? scan
      const response = link.isOffline() && list ? 'notSent' : await askServer(scanToSend, list, deriving)
      if (response === 'unsentAlias') return { decidedBy: 'none', isUnsent: true }
      if (response && response !== 'notSent') {
        if (unanswered) endChange({ key: unanswered.id })
        // As during an update. Awaited, because the page then leaves, and the page that opens may be the one for signing in.
        if (response.status === 401) await transfer.wipe().catch(() => {})
        // The guest does not wait for this. If storage is full, the server's decision is still shown; the next update reports the error.
        if (list && deriving && response.ok) {
          const entry = rememberEntry(scanToSend, list, deriving, response.clone())
          remembering = Promise.allSettled([remembering, entry, store.dropHeld(scan.id)])
        }
        return { decidedBy: 'server', response }
      }
      const codeKey = await deriving
      const mayBeRecorded = scan.isRepeated === true || (response === undefined && !unanswered)
      const decided = await scanLocally(scan, list, codeKey, mayBeRecorded, unanswered)
      if (decided.decidedBy !== 'none' || !codeKey) return decided
      const { indexes: unsent } = await store.unsent()
      const isUnsentAlias = unsent.size > 0 && !scan.isRepeated && (await mayBeAlias(scan, codeKey))
      return isUnsentAlias || unsent.has(codeKey.index) ? { decidedBy: 'none', isUnsent: true } : decided
    }),
    async prepareChange(ticketId) {
      manualCheckIns.begin(ticketId)
      const list = await store.state()
      return list === undefined || !(await isUnsent(list, ticketId))
    },
    async override(scan) {
      const list = await store.state()
      if (!list) return undefined
      const { index } = await deriveCodeKey(fromBase64(list.indexKey), scan.code)
      const decision = { kind: 'unknown', index } as const
      // The server may have let the guest in with this scan. Reusing the ID ensures that the guest is counted only once.
      if (await storeDecision(scan, list, decision, 'overrideHeld')) return scan.id
      // Otherwise, the override is a separate scan, because the refused one may be queued under its own ID, or even have been sent.
      const id = newKey()
      await storeDecision({ ...scan, id }, list, decision, 'override')
      return id
    },
    remember(ticketId, entry) {
      manualCheckIns.end(ticketId)
      const keep = async () => {
        const list = await store.state()
        if (!list) return
        const ref = await deriveRef(fromBase64(list.indexKey), ticketId)
        const [listed, recorded] = await Promise.all([store.findByRef(ref), store.recorded()])
        // The list may still lack a ticket that this device has scanned.
        const scanned = recorded.flatMap((entered) => (entered.ref === ref ? entered.index : []))
        const indexes = new Set([...scanned, ...(listed ? [listed.index] : [])])
        const at = now() - list.clockOffset
        const nonce = listed && readNonce(listed.sealed)
        for (const index of indexes) await store.saveEntry({ index, ref, at, nonce, method: 'MANUAL', ...entry }, undefined)
      }
      remembering = Promise.allSettled([remembering, keep()])
    },
    async findGuests(term, pageId) {
      const list = await store.state()
      const names = list?.isComplete ? transfer.names() : undefined
      if (!list || !names) return undefined
      const found = matchNames(await names, term, pageId)
      const guests = found.slice(0, MAX_FOUND).map(async ({ index, key, name, order, shortId }): Promise<FoundGuest[]> => {
        const codeKey = { index, key: await toKey(fromBase64(key)) }
        const decision = await decide(list, { codeKey, checkIn: false, pageId }).catch(skipUnreadable)
        return decision?.ticket ? [{ name, order, shortId, ticketId: decision.ticket.id, codeKey, decision }] : []
      })
      return { guests: (await Promise.all(guests)).flat(), hasMore: found.length > MAX_FOUND }
    },
    wipe: transfer.wipe,
    async status() {
      const [list, tickets, unsent, changes] = await Promise.all([
        store.state(),
        transfer.countTickets(),
        store.countQueue(),
        countChanges.read(),
      ])
      const isOffline = link.isOffline()
      const updatedAt = list && list.updatedAt > 0 ? list.updatedAt + list.clockOffset : undefined
      return {
        isOffline,
        tickets: list ? tickets : 0,
        isComplete: list?.isComplete ?? false,
        waiting: list?.waiting ?? 0,
        updatedAt,
        unsent,
        countChanges: [...changes.values()],
        delivered: countChanges.delivered(),
        isCountUncertain: changes.size > 0 && (isOffline || countChanges.isSending()),
        conflicts: transfer.conflicts(),
        isEnded: transfer.isEnded(),
        isOutdated: transfer.isOutdated(),
      }
    },
    forgetDelivered: countChanges.forgetDelivered,
  }
}

/** Checks tickets without the server, but by the server's rules, using the sealed list on this device. */
import { decideValidation, type ValidationContext } from '@/lib/admission/decide'
import type { SealedTicket } from '@/lib/admission/sealed-ticket'
import { dayIn } from '@/lib/core/time'
import type { ScanKind } from '../responses'
import type { DoorStore, EnteredTicket, ListState } from './store'
import { type CodeKey, openEntry, readNonce } from './unseal'

export type LocalDecision = {
  kind: ScanKind
  message: string | undefined
  /** The index of the code in the list. */
  index: string
  /** The ticket's reference in the list, even if it is no longer on the list; undefined if it never was. */
  ref?: string | undefined
  /** The time of the last entry or exit that this device has stored, in milliseconds since 1970 on the server's clock. */
  lastEnteredAt?: number | undefined
  /** The nonce of the ticket's entry in the list. */
  nonce?: string | undefined
  /** The ticket; absent if the code is not on the list. */
  ticket?: SealedTicket
}

type LocalScan = {
  /** The index and the key of the scanned code. */
  codeKey: CodeKey
  checkIn: boolean
  direction?: 'in' | 'out' | undefined
  /** The event for which guests are checked in or out; undefined for all of the device's events. */
  pageId: string | undefined
  /** The time on the server's clock. */
  now: Date
  /** Whether the server has refused the ticket as canceled, which the list may not include yet. */
  isCanceled: boolean
}

/** Converts a sealed ticket to the members of a ticket that a decision depends on. */
const toTicket = ({ pageId, isCanceled, canceledAt, checkInStatus, last }: SealedTicket): ValidationContext['ticket'] => ({
  ...(pageId === null ? {} : { pageId }),
  status: isCanceled ? 'CANCELED' : 'PAID',
  ...(canceledAt === null ? {} : { canceledAt }),
  checkInStatus,
  ...(last ? { latestCheckIn: { method: last.method, checkedInAt: last.day, status: last.status } } : {}),
  metadata: [],
})

/** Returns the ticket with the entry or exit that this device has stored, if it is newer than the ticket's latest one on the list. */
function withOwnEntry(ticket: SealedTicket, nonce: string, entered: EnteredTicket | undefined, timeZone: string): SealedTicket {
  const listedAt = ticket.last?.at
  // Times are compared only if the list has changed since, because the device's clock may have been set back.
  if (!entered || (listedAt && entered.nonce !== nonce && Date.parse(listedAt) >= entered.at)) return ticket
  const at = new Date(entered.at)
  const status = entered.hasLeft ? 'UNCHECKEDIN' : 'CHECKEDIN'
  return {
    ...ticket,
    checkInStatus: status,
    last: {
      method: entered.method ?? 'QRSCAN',
      status,
      day: dayIn(timeZone, at),
      at: at.toISOString(),
      gate: null,
      source: entered.source,
    },
  }
}

/**
 * Checks a ticket with the list on this device. A code that is not on the list is unknown, unless the server has refused its ticket as
 * canceled, or a guest whom this device has let in with it is still inside. Such a guest is checked out (unless this is a preview) or
 * already checked in, depending on the direction.
 */
export async function decideLocally(
  store: DoorStore,
  list: ListState,
  { codeKey, checkIn, direction, pageId, now, isCanceled }: LocalScan,
): Promise<LocalDecision> {
  const { index, key } = codeKey
  const [entry, entered] = await Promise.all([store.find(index), store.entered(index)])
  const lastEnteredAt = entered?.at
  const ref = entry?.ref ?? entered?.ref
  const isInside = entered !== undefined && !entered.hasLeft
  if (!entry) {
    const exitKind = checkIn ? 'checked_out' : 'previewed'
    const kindInside = direction === 'out' ? exitKind : 'already_checked_in'
    const kind = isInside ? kindInside : 'unknown'
    return { kind: isCanceled && direction !== 'out' ? 'canceled' : kind, message: undefined, index, ref, lastEnteredAt }
  }
  const { timeZone } = list
  const listed = await openEntry(key, entry.ref, entry.sealed)
  const nonce = readNonce(entry.sealed)
  const ticket = withOwnEntry({ ...listed, isCanceled: listed.isCanceled || isCanceled }, nonce, entered, timeZone)
  const event = list.events.find(({ id }) => id === ticket.pageId)
  const context = {
    ticket: toTicket(ticket),
    lastAt: ticket.last?.at ? new Date(ticket.last.at) : undefined,
    lastSource: ticket.last?.source,
    entryPolicy: event?.entryPolicy ?? 'single',
    // With `multiple`, this device cannot know how many people are inside, so it lets everyone leave.
    extraInside: 1,
    pageName: event?.name,
    timeZone,
    now,
  }
  const { outcome, message } = decideValidation(context, { checkIn, direction, metadata: [], actorId: '', onlyPageId: pageId })
  return { kind: outcome, message, index, ref, lastEnteredAt, nonce, ticket }
}

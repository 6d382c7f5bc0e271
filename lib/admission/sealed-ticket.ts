/** The content of an entry of a device's ticket list. Encoded on the server, decoded in the browser once the code has opened the entry. */
import type { EntryPolicy } from '../catalog/pages'
import type { CheckIn, CheckInStatus } from '../catalog/ticket'
import type { DeviceConflict } from './conflicts'
import type { ScanSource } from './scan-source'

/** The version of the protocol between the check-in page and the server. The server supports every version that it has ever had. */
export const DOOR_PROTOCOL = 1

/** The iterations of PBKDF2 for weak codes: about 30 ms on a server, 100 ms on a phone. */
export const WEAK_ITERATIONS = 100_000
/** The sizes in bytes of an entry's reference, of its index, and of the key that its code yields. */
export const REF_BYTES = 8
export const INDEX_BYTES = 16
export const KEY_BYTES = 32
/** Recommended for GCM by NIST SP 800-38D, 8.2. */
export const NONCE_BYTES = 12
export const TAG_BYTES = 16
/** An uncompressed point on P-256. */
export const PUBLIC_KEY_BYTES = 65

export type SealedTicket = {
  id: string
  shortId: string | null
  pageId: string | null
  isCanceled: boolean
  /** ISO 8601; null if the time is unknown. */
  canceledAt: string | null
  checkInStatus: CheckInStatus
  /** The latest entry of its history, and the device that made it. */
  last: {
    status: CheckInStatus
    method: CheckIn['method']
    day: string
    at: string | null
    gate: string | null
    source?: ScanSource | null | undefined
  } | null
  /** The name of the ticket's type. */
  type: string | null
  /** Null if the device's list has no names, or the code is weak. */
  name: string | null
  /** The number of other tickets in the order. */
  others: number
}

/** Encodes a ticket without the names of its members, which would double its size. */
export const encodeTicket = (ticket: SealedTicket): string => {
  const { id, shortId, pageId, isCanceled, canceledAt, checkInStatus, last, type, name, others } = ticket
  const isIn = checkInStatus === 'CHECKEDIN'
  const entry = last && [last.status === 'CHECKEDIN' ? 1 : 0, last.method === 'QRSCAN' ? 1 : 0, last.day, last.at, last.gate]
  if (last?.source) entry?.push(last.source)
  return JSON.stringify([id, shortId, pageId, isCanceled ? 1 : 0, canceledAt, isIn ? 1 : 0, entry, type, name, others])
}

type EncodedEntry = [
  id: string,
  shortId: string | null,
  pageId: string | null,
  isCanceled: 0 | 1,
  canceledAt: string | null,
  isIn: 0 | 1,
  last: [isIn: 0 | 1, isScan: 0 | 1, day: string, at: string | null, gate: string | null, source?: ScanSource] | null,
  type: string | null,
  name: string | null,
  others: number,
]

export function decodeTicket(text: string): SealedTicket {
  const [id, shortId, pageId, isCanceled, canceledAt, isIn, last, type, name, others] = JSON.parse(text) as EncodedEntry
  const toStatus = (flag: 0 | 1) => (flag === 1 ? 'CHECKEDIN' : 'UNCHECKEDIN')
  return {
    id,
    shortId,
    pageId,
    isCanceled: isCanceled === 1,
    canceledAt,
    checkInStatus: toStatus(isIn),
    last: last && {
      status: toStatus(last[0]),
      method: last[1] === 1 ? 'QRSCAN' : 'MANUAL',
      day: last[2],
      at: last[3],
      gate: last[4],
      source: last[5],
    },
    type,
    name,
    others,
  }
}

/** A guest's searchable text, sealed under the device's search key. `key` opens the entry, in base64url. */
export type SealedName = { name: string; order: string | null; shortId: string | null; pageId: string | null; key: string }

export const encodeName = ({ name, order, shortId, pageId, key }: SealedName): string => JSON.stringify([name, order, shortId, pageId, key])

export function decodeName(text: string): SealedName {
  const [name, order, shortId, pageId, key] = JSON.parse(text) as [string, string | null, string | null, string | null, string]
  return { name, order, shortId, pageId, key }
}

/**
 * An entry as sent: its reference, its index, the sealed ticket and, if guests can be found by name, the sealed name, in base64url; the
 * reference only if the ticket left the list.
 */
export type ListEntry = [ref: string, index: string, sealed: string, name?: string] | [ref: string]

/** A page of the list. */
export type TicketListPage = {
  /** The protocol version of the server. A check-in page of an earlier version does not read the rest. */
  protocol: number
  /** True if the device has to discard its list first. */
  reset: boolean
  entries: ListEntry[]
  cursor: string
  /** Whether another page follows immediately. */
  more: boolean
  /** The key of the indexes, in base64url. It opens no entry. */
  indexKey: string
  /** The public key to which the device encrypts its scans, in base64url. */
  scanKey: string
  /** The key that opens the names, in base64url. The check-in page keeps it only in memory. Absent if the device cannot search for guests offline. */
  searchKey?: string
  /**
   * The number of tickets that are not on the list yet, because the keys of their codes have not been derived. It can be too high, but not too low.
   * Absent from earlier servers.
   */
  waiting?: number
  /** The device's scans that became conflicts. Only with the last page, and absent from earlier servers. */
  conflicts?: DeviceConflict[]
  /** The time on the server's clock. */
  now: string
  timeZone: string
  /** The events of the device. */
  events: { id: string; name: string; entryPolicy: EntryPolicy; offlineAdmission: boolean }[]
}

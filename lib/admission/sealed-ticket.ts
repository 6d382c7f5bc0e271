/**
 * The content of an entry in a device's ticket list. The server encodes it, and the browser decodes it after opening the entry with the
 * ticket's code.
 */
import type { EntryPolicy } from '../catalog/pages'
import type { CheckIn, CheckInStatus } from '../catalog/ticket'
import type { DeviceConflict } from './conflicts'
import type { ScanSource } from './scan-source'

/** The version of the protocol between the check-in page and the server. The server also supports all earlier versions. */
export const DOOR_PROTOCOL = 1

/** The number of PBKDF2 iterations for weak codes. They take about 30 ms on a server and 100 ms on a phone. */
export const WEAK_ITERATIONS = 100_000
/** The sizes, in bytes, of an entry's reference, its index, and the key derived from its code. */
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
  /** The latest entry of the ticket's history; null if there is none. `gate` is the name of the device that made it, if a device did. */
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
  /** Null if the name is unknown, the settings of the device or the event do not allow it on the list, or the code is weak. */
  name: string | null
  /** The number of other tickets with the same order ID. `MAX_OTHERS + 1` means that there are more than `MAX_OTHERS`. */
  others: number
}

/** Encodes a ticket as a JSON array, because member names would double its size. */
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

/** Decodes the result of `encodeTicket`. */
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

/** A guest's searchable data, sealed under the device's search key. `key`, in base64url, opens the ticket's entry. */
export type SealedName = { name: string; order: string | null; shortId: string | null; pageId: string | null; key: string }

export const encodeName = ({ name, order, shortId, pageId, key }: SealedName): string => JSON.stringify([name, order, shortId, pageId, key])

export function decodeName(text: string): SealedName {
  const [name, order, shortId, pageId, key] = JSON.parse(text) as [string, string | null, string | null, string | null, string]
  return { name, order, shortId, pageId, key }
}

/**
 * An entry as sent to the device, in base64url: its reference, its index, the sealed ticket and, if guests can be found by name, the sealed
 * name. Contains only the reference if the ticket is no longer on the list, or if its code's key has not been derived yet.
 */
export type ListEntry = [ref: string, index: string, sealed: string, name?: string] | [ref: string]

/** A page of the list. */
export type TicketListPage = {
  /** The protocol version of the server. A check-in page with an earlier version ignores the rest. */
  protocol: number
  /** Whether the device has to discard its list first. */
  reset: boolean
  entries: ListEntry[]
  /** Sent with the request for the next page or update. */
  cursor: string
  /** Whether another page follows immediately. */
  hasMore: boolean
  /** The key for deriving indexes, in base64url. It opens no entry. */
  indexKey: string
  /** The public key that the device encrypts its scans with, in base64url. */
  scanKey: string
  /** The device's signed ID, which is reported with its scans. Absent in responses from older servers. */
  signedDeviceId?: string
  /**
   * The key that opens the names, in base64url. The check-in page keeps it only in memory. Absent if the device cannot search for guests
   * offline.
   */
  searchKey?: string
  /**
   * The number of tickets that are not on the list yet, because the keys for their codes have not been derived. It may be too high, but
   * never too low. Absent in responses from older servers.
   */
  waiting?: number
  /** The device's scans that became conflicts. Present only on the last page, and absent in responses from older servers. */
  conflicts?: DeviceConflict[]
  /** The time on the server's clock, in ISO 8601. */
  now: string
  timeZone: string
  /** The events whose guests the device checks in. */
  events: { id: string; name: string; entryPolicy: EntryPolicy; offlineAdmission: boolean }[]
}

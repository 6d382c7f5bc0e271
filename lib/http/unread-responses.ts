/** Limits unread responses: the bytes of lists, which stay in memory until they are read, and how long a client can go without reading. */
import type { ServerResponse } from 'node:http'
import { reportLoad } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'

/** The maximum number of unread bytes, in total and per seller. Clients that read their responses reach it only with several huge lists. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_BYTES_OF_SELLER = 16 * 1024 * 1024
/** The maximum time that a client can go without reading any of a waiting response. */
const STALL_MS = 30_000

let total = 0
let responses = 0
let refused = 0
const sellers = new Map<string, number>()
let closed = 0

reportLoad('unread_responses', () => ({ active: responses, waiting: 0, refused }))
reportLoad('stalled_responses', () => ({ active: 0, waiting: 0, refused: closed }))

/** Checks the limits on unread bytes. @throws {UnavailableError} `queue_full` if too many are unread, for this seller or in total */
export function assertFewUnread(sellerId: string): void {
  if (total < MAX_BYTES && (sellers.get(sellerId) ?? 0) < MAX_BYTES_OF_SELLER) return
  refused += 1
  throw new UnavailableError('Too many responses have not been read by their clients.', { code: 'queue_full' })
}

/** Counts a response as unread. @returns a function to call (once) when it has been read, or its connection is closed */
export function countUnread(sellerId: string, bytes: number): () => void {
  total += bytes
  responses += 1
  sellers.set(sellerId, (sellers.get(sellerId) ?? 0) + bytes)
  return () => {
    total -= bytes
    responses -= 1
    const left = (sellers.get(sellerId) ?? 0) - bytes
    if (left > 0) sellers.set(sellerId, left)
    else sellers.delete(sellerId)
  }
}

/**
 * Closes the connection of a response if its client reads nothing for `stallMs`, so that stalled exports do not hold their slots. The time
 * that the server takes does not count.
 *
 * @param stallMs in milliseconds
 */
export function limitStall(response: ServerResponse, stallMs = STALL_MS): void {
  // Node restarts the timeout whenever the client reads some of the written data.
  response.setTimeout(stallMs, () => {
    const { socket } = response
    if (!socket) return
    if (socket.writableLength === 0) {
      socket.setTimeout(stallMs)
      return
    }
    closed += 1
    socket.destroy()
  })
}

/** Limits the bytes of lists that clients have not read yet, because they stay in memory until then. */
import { reportLoad } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'

/** The limits, which a client that reads reaches only with several very large lists at once. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_BYTES_OF_SELLER = 16 * 1024 * 1024

let total = 0
let responses = 0
let refused = 0
const sellers = new Map<string, number>()

reportLoad('unread_responses', () => ({ active: responses, waiting: 0, refused }))

/** @throws {UnavailableError} `queue_full` if too much of what this seller or all of them asked for is unread */
export function assertRead(sellerId: string): void {
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

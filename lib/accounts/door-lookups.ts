/** Limits concurrent lookups of sessions and devices at check-in, so that one that floods the server does not block the others. */
import { LRUCache } from 'lru-cache'
import { type Connection, database } from '@/db/client'
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'

/**
 * The limits, in total and per seller. They keep the queue for connections short, because lookups of API keys wait there too. An owner is a
 * device or a session. It can have 50 streams of counts, whose access is checked at the same time.
 */
const lookups = createSharedSemaphore({
  name: 'lookups at check-in',
  limit: 16,
  waitMs: 750,
  perSeller: { limit: 8, queue: 500, queuePerOwner: 50 },
})
reportLoad('door_lookups', lookups.load)

/** The seller of each owner that has been found. Owners that have not been found are limited as if they belonged to one seller. */
const sellers = new LRUCache<string, string>({ max: 10_000 })

/**
 * Looks up a session or a check-in device on the connections reserved for check-in. Sellers take turns, and so do the owners of one seller.
 *
 * @param owner the session ID or the device's token
 * @param find runs the query
 * @returns the result of `find`
 * @throws {UnavailableError} if too many of the owner's or the seller's lookups are waiting, or the wait takes too long
 */
export async function lookUpAtDoor<T extends { sellerId: string }>(
  owner: string,
  find: (connection: Connection) => Promise<T | undefined>,
): Promise<T | undefined> {
  const release = await lookups.acquire(sellers.get(owner) ?? '', owner)
  try {
    const found = await database('doorAuth').use(find)
    if (found) sellers.set(owner, found.sellerId)
    return found
  } finally {
    release()
  }
}

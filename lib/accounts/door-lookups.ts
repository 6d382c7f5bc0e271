/** Limits the concurrent lookups of sessions and check-in devices at check-in, so that one device that floods the server closes no door. */
import { LRUCache } from 'lru-cache'
import { type Connection, database } from '@/db/client'
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'

/**
 * The limits, in total and per seller. They keep the queue for the connections short, because the lookups of API keys wait there too. An
 * owner is a device or a session; it can have 50 streams of counts, whose access is checked regularly.
 */
const lookups = createSharedSemaphore({
  name: 'lookups at check-in',
  limit: 16,
  waitMs: 750,
  perSeller: { limit: 8, queue: 500, queuePerOwner: 50 },
})
reportLoad('door_lookups', lookups.load)

/** The sellers of the owners that were found, by owner. Owners that were never found share a turn. */
const sellers = new LRUCache<string, string>({ max: 10_000 })

/**
 * Looks up a session or a check-in device on the connections reserved for check-in. Sellers take turns, and so do the owners of one seller.
 *
 * @param owner the session ID or the device's token
 * @param find returns what was found with its seller, or undefined
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

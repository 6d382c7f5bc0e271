/** Retries failed events. */
import { database } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { type Actor, writeAudit } from '../../accounts/audit'
import { type EventFilter, eventCondition, listEvents, type StoredEvent } from './events'
import { processEvents } from './process-events'

/** Returns the IDs of events by seller. Appends in place: a shop can have tens of thousands of failed events after a fault. */
export function groupIds(events: readonly Pick<StoredEvent, 'sellerId' | 'id'>[]): Map<string, string[]> {
  const sellers = new Map<string, string[]>()
  for (const { sellerId, id } of events) {
    const ids = sellers.get(sellerId)
    if (ids) ids.push(id)
    else sellers.set(sellerId, [id])
  }
  return sellers
}

/** Marks failed events as waiting. @returns their IDs by seller */
function reopen(filter: Omit<EventFilter, 'state'>, by: Actor | undefined): Promise<Map<string, string[]>> {
  return database().transaction(async (connection) => {
    const { sellerId, id } = stripeEvents
    const reopened = await connection.orm
      .update(stripeEvents)
      .set({ state: 'waiting' })
      .where(eventCondition({ ...filter, state: 'failed' }))
      .returning({ sellerId, id })
    const sellers = groupIds(reopened)
    for (const [seller, after] of sellers) {
      await writeAudit(connection, {
        sellerId: seller,
        by,
        action: 'stripe.events_retried',
        subject: 'Stripe',
        changes: { events: { after } },
      })
    }
    return sellers
  })
}

/**
 * Processes failed events again.
 *
 * @returns the events after the retry, some of which might have failed again
 * @throws {UnavailableError} if the database becomes unavailable; events that have not been retried by then remain waiting
 */
export async function retryEvents(filter: Omit<EventFilter, 'state'>, by: Actor | undefined): Promise<StoredEvent[]> {
  const tried: StoredEvent[][] = []
  for (const [seller, ids] of await reopen(filter, by)) {
    await processEvents(seller)
    tried.push(await listEvents({ seller, ids }, ids.length))
  }
  return tried.flat()
}

/** Tries events that failed once more, for whoever has put right what stood in their way. */
import { database } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { type Actor, writeAudit } from '../../accounts/audit'
import { type EventFilter, type KeptEvent, listEvents, matches } from './events'
import { workOff } from './work'

/** Lets failed events wait again. @returns their ids, by seller */
function reopen(filter: Omit<EventFilter, 'state'>, by: Actor): Promise<Map<string, string[]>> {
  return database().transaction(async (connection) => {
    const { sellerId, id } = stripeEvents
    const again = await connection.orm
      .update(stripeEvents)
      .set({ state: 'waiting' })
      .where(matches({ ...filter, state: 'failed' }))
      .returning({ sellerId, id })
    const sellers = new Map<string, string[]>()
    for (const row of again) sellers.set(row.sellerId, [...(sellers.get(row.sellerId) ?? []), row.id])
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
 * Works failed events off once more.
 *
 * @returns them as they are now: some may have failed again. Throws `Unavailable`; they wait then.
 */
export async function retryEvents(filter: Omit<EventFilter, 'state'>, by: Actor): Promise<KeptEvent[]> {
  const tried: KeptEvent[] = []
  for (const [seller, ids] of await reopen(filter, by)) {
    await workOff(seller)
    tried.push(...(await listEvents({ seller, ids }, ids.length)))
  }
  return tried
}

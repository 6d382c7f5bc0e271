/** Reads a seller's events and creates test events. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { eventData } from '@/lib/events/event-data'
import { createEndpoint } from '@/lib/webhooks/endpoints'
import { sendTestEvent } from '@/lib/webhooks/resend-events'

/**
 * Returns the types and JSON data of a seller's events, oldest first. Unlike the API, this does not hold back events that a running
 * transaction might still precede.
 */
export const readEvents = (seller: string): Promise<{ type: string; data: string }[]> =>
  database().use(({ rows }) =>
    rows<{ type: string; data: string }>(
      sql`select type, ${eventData('events')}::text as data from events where seller_id = ${seller} order by transaction_id, sequence`,
    ),
  )

/** Creates a webhook endpoint and sends it a test event. @returns the endpoint's ID */
export const makeTestEvent = (seller: string): Promise<string> =>
  database().transaction(async (connection) => {
    const endpoint = await createEndpoint(connection, seller, undefined, { url: 'https://shop.example.com/hook', events: ['payment.paid'] })
    await sendTestEvent(connection, seller, endpoint)
    return (JSON.parse(endpoint) as { id: string }).id
  })

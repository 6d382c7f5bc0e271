/** Deletes old deliveries and attempts. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { webhookAttempts, webhookDeliveries, webhookEndpoints } from '@/db/schema'
import { EVENT_LIFETIME } from '../events/purge-events'

const BATCH = 5_000

async function purgeAttempts(): Promise<number> {
  const gone = await database('jobs').use(({ rows }) =>
    rows(sql`
      delete from ${webhookAttempts} where (seller_id, endpoint_id, event_id, id) in (
        select seller_id, endpoint_id, event_id, id from ${webhookAttempts} where at <= now() - ${EVENT_LIFETIME} order by at limit ${BATCH})
      returning 1`),
  )
  return gone.length
}

async function purgeFinished(): Promise<number> {
  const gone = await database('jobs').use(({ rows }) =>
    rows(sql`
      delete from ${webhookDeliveries} where (seller_id, endpoint_id, event_id) in (
        select old.seller_id, old.endpoint_id, old.event_id from ${webhookEndpoints} as endpoint cross join lateral (
          select * from ${webhookDeliveries} as delivery where delivery.seller_id = endpoint.seller_id and delivery.endpoint_id = endpoint.id
            and delivery.created_at <= now() - ${EVENT_LIFETIME} order by delivery.created_at, delivery.event_id limit ${BATCH}) as old
        limit ${BATCH})
      returning 1`),
  )
  return gone.length
}

/** Deletes the deliveries of expired events, and expired attempts, a limited number per statement. */
export async function purgeDeliveries(): Promise<void> {
  while ((await purgeAttempts()) === BATCH);
  while ((await purgeFinished()) === BATCH);
}

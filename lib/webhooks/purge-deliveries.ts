/** Deletes old deliveries and attempts. */
import { sql } from 'drizzle-orm'
import { webhookAttempts, webhookDeliveries, webhookEndpoints } from '@/db/schema'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'
import { EVENT_LIFETIME } from '../events/purge-events'

const ATTEMPTS = sql`
  delete from ${webhookAttempts} where (seller_id, endpoint_id, event_id, id) in (
    select seller_id, endpoint_id, event_id, id from ${webhookAttempts} where at <= now() - ${EVENT_LIFETIME} order by at limit ${PURGE_BATCH})
  returning 1`

const DELIVERIES = sql`
  delete from ${webhookDeliveries} where (seller_id, endpoint_id, event_id) in (
    select old.seller_id, old.endpoint_id, old.event_id from ${webhookEndpoints} as endpoint cross join lateral (
      select * from ${webhookDeliveries} as delivery where delivery.seller_id = endpoint.seller_id and delivery.endpoint_id = endpoint.id
        and delivery.created_at <= now() - ${EVENT_LIFETIME} order by delivery.created_at, delivery.event_id limit ${PURGE_BATCH}) as old
    limit ${PURGE_BATCH})
  returning 1`

/** Deletes the deliveries of expired events, and expired attempts. */
export async function purgeDeliveries(): Promise<void> {
  await purgeInBatches(ATTEMPTS, 'jobs')
  await purgeInBatches(DELIVERIES, 'jobs')
}

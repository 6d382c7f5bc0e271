/** Deletes old deliveries and attempts, and the deliveries of deleted endpoints. */
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

/**
 * Deletes the deliveries of endpoints that no longer exist. They remain if there were too many for the transaction that deleted the
 * endpoint, or if a concurrent transaction added some. Finds each endpoint with one index lookup, because reading all deliveries could
 * exceed the statement timeout.
 */
const ORPHANS = sql`
  with recursive known as (
    (select seller_id, endpoint_id from ${webhookDeliveries} order by seller_id, endpoint_id limit 1)
    union all
    select following.* from known cross join lateral (
      select seller_id, endpoint_id from ${webhookDeliveries} as delivery
      where (delivery.seller_id, delivery.endpoint_id) > (known.seller_id, known.endpoint_id)
      order by delivery.seller_id, delivery.endpoint_id limit 1) as following
  )
  delete from ${webhookDeliveries} where (seller_id, endpoint_id, event_id) in (
    select old.seller_id, old.endpoint_id, old.event_id from known cross join lateral (
      select * from ${webhookDeliveries} as delivery
      where delivery.seller_id = known.seller_id and delivery.endpoint_id = known.endpoint_id limit ${PURGE_BATCH}) as old
    where not exists (select from ${webhookEndpoints} as endpoint where endpoint.seller_id = known.seller_id and endpoint.id = known.endpoint_id)
    limit ${PURGE_BATCH})
  returning 1`

/** Deletes expired attempts and deliveries, and the deliveries of deleted endpoints. */
export async function purgeDeliveries(): Promise<void> {
  await purgeInBatches(ATTEMPTS, 'jobs')
  await purgeInBatches(DELIVERIES, 'jobs')
  await purgeInBatches(ORPHANS, 'jobs')
}

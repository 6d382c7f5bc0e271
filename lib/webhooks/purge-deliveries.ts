/** Deletes expired deliveries and attempts, and the deliveries of deleted endpoints. */
import { sql } from 'drizzle-orm'
import { webhookAttempts, webhookDeliveries, webhookEndpoints } from '@/db/schema'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'
import { runAll } from '../core/run-all'
import { EVENT_LIFETIME } from '../events/purge-events'

/** Skips rows that other transactions have locked, because waiting for these rows could end in a deadlock. A later purge deletes them. */
const BATCH = sql`limit ${PURGE_BATCH} for update skip locked`

const ATTEMPTS = sql`
  delete from ${webhookAttempts} where ctid = any(array(
    select ctid from ${webhookAttempts} where at <= now() - ${EVENT_LIFETIME} order by at ${BATCH}))
  returning 1`

const DELIVERIES = sql`
  delete from ${webhookDeliveries} where ctid = any(array(
    select old.* from ${webhookEndpoints} as endpoint cross join lateral (
      select delivery.ctid from ${webhookDeliveries} as delivery where delivery.seller_id = endpoint.seller_id and delivery.endpoint_id = endpoint.id
        and delivery.created_at <= now() - ${EVENT_LIFETIME} order by delivery.created_at, delivery.event_id ${BATCH}) as old
    limit ${PURGE_BATCH}))
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
  ), deleted as materialized (
    select * from known
    where not exists (select from ${webhookEndpoints} as endpoint where endpoint.seller_id = known.seller_id and endpoint.id = known.endpoint_id)
  )
  delete from ${webhookDeliveries} where ctid = any(array(
    select old.* from deleted cross join lateral (
      select delivery.ctid from ${webhookDeliveries} as delivery
      where delivery.seller_id = deleted.seller_id and delivery.endpoint_id = deleted.endpoint_id ${BATCH}) as old
    limit ${PURGE_BATCH}))
  returning 1`

/** Deletes attempts and deliveries that are as old as expired events, and the deliveries of deleted endpoints. */
export async function purgeDeliveries(): Promise<void> {
  await runAll([ATTEMPTS, DELIVERIES, ORPHANS].map((purge) => () => purgeInBatches(purge, 'jobs')))
}

/** Sends test events to an endpoint, and resends stored events. */
import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Connection } from '@/db/client'
import { events, webhookDeliveries } from '@/db/schema'
import { TEST_EVENT } from '../catalog/event-types'
import type { WebhookDelivery } from '../catalog/webhook-delivery'
import type { WebhookEndpoint } from '../catalog/webhook-endpoint'
import type { resendBody } from '../catalog/webhook-operations'
import { ApiError } from '../core/errors'
import { PURGE_BATCH } from '../core/purge'
import { instantText } from '../core/sql'

/** Returns the ID of an endpoint. @throws {ApiError} `endpoint_disabled` if it is disabled */
function requireEnabled(current: string): string {
  const { id, enabled } = JSON.parse(current) as WebhookEndpoint
  if (enabled) return id
  throw new ApiError('endpoint_disabled', 'The webhook endpoint is disabled. Enable it with PATCH and {"enabled": true}, then try again.')
}

/** Assignments that make a delivery due now, with all of its attempts left. */
const DUE = sql`state = 'pending', attempts = 0, next_at = now()`

/**
 * Sends a test event to a locked endpoint, and to no other.
 *
 * @returns the delivery
 * @throws {ApiError} `endpoint_disabled`
 */
export async function sendTestEvent({ rows }: Connection, sellerId: string, current: string): Promise<WebhookDelivery> {
  const endpointId = requireEnabled(current)
  const data = JSON.stringify({ message: 'This is a test event.', endpointId })
  const [event] = await rows<{ id: string }>(
    sql`insert into ${events} (seller_id, type, data) values (${sellerId}, ${TEST_EVENT}, ${data}::text::json) returning id`,
  )
  const id = event?.id ?? ''
  // The trigger has also created deliveries to the seller's other endpoints that receive all types.
  await rows(sql`delete from ${webhookDeliveries} where seller_id = ${sellerId} and event_id = ${id} and endpoint_id <> ${endpointId}`)
  const [delivery] = await rows<{ createdAt: string; nextAttemptAt: string }>(sql`
    insert into ${webhookDeliveries} (seller_id, endpoint_id, event_id) values (${sellerId}, ${endpointId}, ${id})
    on conflict (seller_id, endpoint_id, event_id) do update set ${DUE}
    returning ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`next_at`)} as "nextAttemptAt"`)
  const { createdAt = '', nextAttemptAt = '' } = delivery ?? {}
  return { eventId: id, type: TEST_EVENT, status: 'pending', attempts: 0, createdAt, nextAttemptAt }
}

/**
 * Makes deliveries to a locked endpoint due again: the delivery of one event, or all failed deliveries that were created since a time.
 *
 * @returns the number of these deliveries
 * @throws {ApiError} `body_invalid` if the seller has no such event, or `endpoint_disabled`
 */
export async function resendEvents(
  { rows }: Connection,
  sellerId: string,
  current: string,
  { eventId, failedSince }: z.output<typeof resendBody>,
): Promise<number> {
  const endpointId = requireEnabled(current)
  if (eventId === undefined) {
    const isFailed = sql`seller_id = ${sellerId} and endpoint_id = ${endpointId} and state = 'failed' and created_at >= ${failedSince}::text::timestamptz`
    // Updates in batches, because the statement timeout applies to each batch separately.
    const batch = sql`
      update ${webhookDeliveries} set ${DUE}
      where event_id = any(array(select event_id from ${webhookDeliveries} where ${isFailed} limit ${PURGE_BATCH})) and ${isFailed} returning 1`
    let sent = 0
    let size: number
    do {
      size = (await rows(batch)).length
      sent += size
    } while (size > 0)
    return sent
  }
  const sent = await rows(sql`
    insert into ${webhookDeliveries} (seller_id, endpoint_id, event_id)
    select seller_id, ${endpointId}, id from ${events} where ${events.sellerId} = ${sellerId} and ${events.id} = ${eventId.toLowerCase()}
    on conflict (seller_id, endpoint_id, event_id) do update set ${DUE} returning 1`)
  if (sent.length === 0)
    throw new ApiError('body_invalid', 'eventId is not the id of one of your events. Events are kept for 30 days.', 'eventId')
  return sent.length
}

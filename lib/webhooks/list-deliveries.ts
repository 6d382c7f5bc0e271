/** Lists the deliveries of an endpoint, and shows one with its attempts. */
import { and, eq, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { events, webhookAttempts, webhookDeliveries, webhookEndpoints } from '@/db/schema'
import { instantText } from '../core/sql'
import { keyset } from '../listing/keyset'

export const DELIVERY_STATES = ['pending', 'succeeded', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export type DeliveryAttempt = {
  /** ISO 8601. */
  at: string
  /** The HTTP status; null if there was no response. */
  status: number | null
  /** Why there was no response. */
  error: string | null
  ms: number
  responseBody: string | null
}

export type Delivery = {
  eventId: string
  /** The type of the event; null if the event has been deleted. */
  type: string | null
  createdAt: string
  state: DeliveryState
  attempts: number
  /** The time of the next attempt, if the delivery is pending. */
  nextAt: string
  last: Pick<DeliveryAttempt, 'status' | 'error'> | null
}

export type DeliveryFilter = { state?: DeliveryState | undefined; after?: string | undefined }

const COLUMNS = sql`delivery.event_id as "eventId", event.type, ${instantText(sql`delivery.created_at`)} as "createdAt", delivery.state,
  delivery.attempts, ${instantText(sql`delivery.next_at`)} as "nextAt"`
const EVENT = sql`left join ${events} as event on event.seller_id = delivery.seller_id and event.id = delivery.event_id`

/** Returns an endpoint's deliveries, newest first, and whether there are older ones. @param filter `after` is the ID of an event */
export async function listDeliveries(
  sellerId: string,
  endpointId: string,
  { state, after }: DeliveryFilter,
  limit = 50,
): Promise<{ deliveries: Delivery[]; hasOlder: boolean }> {
  const mine = sql`seller_id = ${sellerId} and endpoint_id = ${endpointId}`
  const found = await database().use(({ rows }) =>
    rows<Omit<Delivery, 'last'> & { last: string | null }>(sql`
      select ${COLUMNS}, (
        select json_build_object('status', attempt.status, 'error', attempt.error)::text from ${webhookAttempts} as attempt
        where attempt.seller_id = delivery.seller_id and attempt.endpoint_id = delivery.endpoint_id and attempt.event_id = delivery.event_id
        order by attempt.id desc limit 1) as last
      from (
        select * ${keyset({
          from: webhookDeliveries,
          order: [webhookDeliveries.createdAt, webhookDeliveries.eventId],
          where: sql`${and(mine, state === undefined ? undefined : eq(webhookDeliveries.state, state))}`,
          cursor:
            after === undefined
              ? undefined
              : sql`(select created_at, event_id from ${webhookDeliveries} where ${mine} and event_id = ${after})`,
          direction: 'older',
          limit: limit + 1,
        })}) as delivery
      ${EVENT}
      order by delivery.created_at desc, delivery.event_id desc`),
  )
  const deliveries = found
    .slice(0, limit)
    .map(({ last, ...row }) => ({ ...row, last: last === null ? null : (JSON.parse(last) as Delivery['last']) }))
  return { deliveries, hasOlder: found.length > limit }
}

export type DeliveryDetails = Omit<Delivery, 'last'> & { /** JSON. */ payload: string | null; attemptList: DeliveryAttempt[] }

/** Returns a delivery with its payload and its attempts, newest first; undefined if the endpoint has no such delivery. */
export async function findDelivery(sellerId: string, endpointId: string, eventId: string): Promise<DeliveryDetails | undefined> {
  return database().use(async ({ rows }) => {
    const [delivery] = await rows<Omit<DeliveryDetails, 'attemptList'>>(sql`
      select ${COLUMNS}, event.data::text as payload from ${webhookDeliveries} as delivery ${EVENT}
      where delivery.seller_id = ${sellerId} and delivery.endpoint_id = ${endpointId} and delivery.event_id = ${eventId}`)
    if (!delivery) return undefined
    const attemptList = await rows<DeliveryAttempt>(sql`
      select ${instantText(sql`at`)} as at, status, error, ms, answer as "responseBody" from ${webhookAttempts}
      where seller_id = ${sellerId} and endpoint_id = ${endpointId} and event_id = ${eventId} order by id desc limit 100`)
    return { ...delivery, attemptList }
  })
}

export type TroubledEndpoint = { url: string; isDisabled: boolean }

/** Returns the endpoints that the server disabled, or that have failed for at least an hour. */
export const listTroubledEndpoints = (sellerId: string): Promise<TroubledEndpoint[]> =>
  database().use(({ rows }) =>
    rows<TroubledEndpoint>(sql`
      select url, disabled_reason is not null as "isDisabled" from ${webhookEndpoints}
      where seller_id = ${sellerId} and (disabled_reason is not null or (enabled and failing_since <= now() - interval '1 hour')) order by created_at`),
  )

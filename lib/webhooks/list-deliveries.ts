/** Reads an endpoint's deliveries and their attempts, and lists the endpoints that need attention. */
import { and, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { events, webhookAttempts, webhookDeliveries, webhookEndpoints } from '@/db/schema'
import type { DeliveryParams, DeliveryState } from '../catalog/webhook-delivery'
import { ApiError } from '../core/errors'
import { instantText } from '../core/sql'
import { eventData } from '../events/event-data'
import { createdCondition, requireOrderedBounds, toCreatedRange } from '../listing/created-range'
import { keyset, orderBy, type Page, readCursor, toPage } from '../listing/keyset'
import { toBody } from './sign'

export type DeliveryAttempt = {
  /** The time, in ISO 8601 format. */
  at: string
  /** The HTTP status; null if there was no response. */
  status: number | null
  /** A code such as `timeout` if there was no response; otherwise null. */
  error: string | null
  /** The duration in milliseconds. */
  ms: number
  /** The start of the response body; null if there was no response, or the response was erased or not stored. */
  responseBody: string | null
}

export type Delivery = {
  eventId: string
  /** The type of the event; null if the event has been deleted. */
  type: string | null
  /** In ISO 8601 format. */
  createdAt: string
  state: DeliveryState
  /** The number of attempts since the delivery was created or last resent. */
  attempts: number
  /** The time of the next attempt, in ISO 8601 format. Meaningful only if the delivery is pending. */
  nextAt: string
  /** The last attempt; null before the first one. */
  last: DeliveryAttempt | null
}

const COLUMNS = sql`delivery.event_id as "eventId", event.type, ${instantText(sql`delivery.created_at`)} as "createdAt", delivery.state,
  delivery.attempts, ${instantText(sql`delivery.next_at`)} as "nextAt"`
const EVENT = sql`left join ${events} as event on event.seller_id = delivery.seller_id and event.id = delivery.event_id`

/**
 * Returns a page of an endpoint's deliveries, newest first. The cursors are event IDs.
 *
 * @throws {ApiError} `resource_missing` if the endpoint has no delivery of the cursor's event; `parameter_invalid` if the range is reversed
 */
export async function listDeliveries(sellerId: string, endpointId: string, params: DeliveryParams): Promise<Page<Delivery>> {
  const { limit, status } = params
  const { cursor, direction } = readCursor(params)
  const isOwn = sql`seller_id = ${sellerId} and endpoint_id = ${endpointId}`
  const position = sql`(select created_at, event_id from ${webhookDeliveries} where ${isOwn} and event_id = ${cursor ?? ''})`
  const range = { sellerId, created: toCreatedRange(params) }
  // The status is a literal instead of a parameter, so that generic plans can use the partial index on failed deliveries.
  const statusCondition = status === undefined ? undefined : sql.raw(`state = '${status}'`)
  const found = await database().use(async (connection) => {
    const listed = await connection.rows<Omit<Delivery, 'last'> & { last: string | null }>(sql`
      select ${COLUMNS}, (
        select json_build_object('at', ${instantText(sql`attempt.at`)}, 'status', attempt.status, 'error', attempt.error, 'ms', attempt.ms,
          'responseBody', attempt.response)::text from ${webhookAttempts} as attempt
        where attempt.seller_id = delivery.seller_id and attempt.endpoint_id = delivery.endpoint_id and attempt.event_id = delivery.event_id
        order by attempt.id desc limit 1) as last
      from (
        select * ${keyset({
          from: webhookDeliveries,
          order: [webhookDeliveries.createdAt, webhookDeliveries.eventId],
          where: sql`${and(isOwn, createdCondition(webhookDeliveries.createdAt, range), statusCondition)}`,
          cursor: cursor === undefined ? undefined : position,
          direction,
          limit: limit + 1,
        })}) as delivery
      ${EVENT}
      order by ${orderBy([sql`delivery.created_at`, sql`delivery.event_id`], direction)}`)
    if (listed.length === 0) await requireOrderedBounds(connection, range)
    return listed
  })
  if (found.length === 0 && cursor !== undefined && !(await findDelivery(sellerId, endpointId, cursor))) {
    const message = `No delivery for an event with id '${cursor}'. Use the eventId of the first or last delivery of a previous response.`
    throw new ApiError('resource_missing', message, params.ending_before === undefined ? 'starting_after' : 'ending_before')
  }
  const page = toPage(found, { cursor, direction, limit })
  return {
    ...page,
    rows: page.rows.map(({ last, ...row }) => ({ ...row, last: last === null ? null : (JSON.parse(last) as DeliveryAttempt) })),
  }
}

type DeliveryDetails = Omit<Delivery, 'last'> & {
  /** The request body, as JSON; null if the event has been deleted. */
  payload: string | null
  attemptList: DeliveryAttempt[]
}

/** Returns a delivery with its payload and its last 100 attempts, newest first; undefined if the endpoint has no such delivery. */
export async function findDelivery(sellerId: string, endpointId: string, eventId: string): Promise<DeliveryDetails | undefined> {
  return database().use(async ({ rows }) => {
    const [found] = await rows<Omit<DeliveryDetails, 'payload' | 'attemptList'> & { eventAt: string; data: string | null }>(sql`
      select ${COLUMNS}, ${instantText(sql`event.created_at`)} as "eventAt", ${eventData('event')}::text as data
      from ${webhookDeliveries} as delivery ${EVENT}
      where delivery.seller_id = ${sellerId} and delivery.endpoint_id = ${endpointId} and delivery.event_id = ${eventId}`)
    if (!found) return undefined
    const { eventAt, data, ...delivery } = found
    const attemptList = await rows<DeliveryAttempt>(sql`
      select ${instantText(sql`at`)} as at, status, error, ms, response as "responseBody" from ${webhookAttempts}
      where seller_id = ${sellerId} and endpoint_id = ${endpointId} and event_id = ${eventId} order by id desc limit 100`)
    const payload = delivery.type === null || data === null ? null : toBody({ type: delivery.type, createdAt: eventAt, data })
    return { ...delivery, payload, attemptList }
  })
}

/** An endpoint that is failing, or that the server has disabled (`isDisabled`). */
type UnhealthyEndpoint = { id: string; url: string; isDisabled: boolean }

/** Returns the endpoints that the server has disabled, or that have been failing for at least an hour. */
export const listUnhealthyEndpoints = (sellerId: string): Promise<UnhealthyEndpoint[]> =>
  database().query<UnhealthyEndpoint>(sql`
    select id, url, disabled_reason is not null as "isDisabled" from ${webhookEndpoints}
    where seller_id = ${sellerId} and (disabled_reason is not null or (enabled and failing_since <= now() - interval '1 hour')) order by created_at`)

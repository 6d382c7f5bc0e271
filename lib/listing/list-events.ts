/** Lists a seller's events, newest first. */
import { and, eq, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { events } from '@/db/schema'
import { instantText } from '../core/sql'
import type { EventParams } from '../events/event'
import { eventData } from '../events/event-data'
import { EVENT_LIFETIME } from '../events/purge-events'
import { createdCondition, toCreatedRange } from './created-range'
import { keyset, type Page, readCursor, requireValidPage, toPage } from './keyset'

/** An event. `createdAt` is in ISO 8601, and `data` is JSON. */
export type StoredEvent = { id: string; type: string; createdAt: string; data: string }

const COLUMNS = sql`${events.id} as id, ${events.type} as type, ${instantText(events.createdAt)} as "createdAt", ${eventData('events')}::text as data`

/** Returns the condition for a seller's events that have not expired. */
const whereRetained = (sellerId: string) => sql`${events.sellerId} = ${sellerId} and ${events.createdAt} > now() - ${EVENT_LIFETIME}`

/** Serializes an event to JSON without parsing its data. */
export const eventJson = ({ id, type, createdAt, data }: StoredEvent): string =>
  `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"createdAt":${JSON.stringify(createdAt)},"data":${data}}`

/**
 * Returns a page of events in transaction order, newest first. Omits the events of transactions that started after the oldest running
 * transaction, because that transaction might still insert events before them. A client that follows the cursor therefore misses no events.
 * The list has no total, because counting the events would read all of them.
 *
 * @throws {ApiError} `resource_missing` if the cursor is not an event of this seller; `parameter_invalid` if the date range is reversed
 */
export async function listEvents(sellerId: string, params: EventParams): Promise<Page<StoredEvent>> {
  const { limit, type } = params
  const { cursor, direction } = readCursor(params)
  const range = { sellerId, created: toCreatedRange(params) }
  const stored = sql`from ${events} where ${events.sellerId} = ${sellerId} and ${events.id} = ${cursor}`
  return database().use(async (connection) => {
    const found = await connection.rows<StoredEvent>(sql`
      select ${COLUMNS}
      ${keyset({
        from: events,
        order: [events.transactionId, events.sequence],
        where: sql`${and(
          whereRetained(sellerId),
          sql`${events.transactionId} < pg_snapshot_xmin(pg_current_snapshot())`,
          type === undefined ? undefined : eq(events.type, type),
          createdCondition(events.createdAt, range),
        )}`,
        cursor: cursor === undefined ? undefined : sql`(select ${events.transactionId}, ${events.sequence} ${stored})`,
        direction,
        limit: limit + 1,
      })}`)
    if (found.length === 0)
      await requireValidPage(connection, { ...range, cursor, direction }, 'event', stored, ' Events are kept for 30 days.')
    return toPage(found, { cursor, direction, limit })
  })
}

/** Returns an event, or undefined if the seller has no event with this ID or the event has expired. */
export async function findEvent(sellerId: string, id: string): Promise<StoredEvent | undefined> {
  const [found] = await database().query<StoredEvent>(
    sql`select ${COLUMNS} from ${events} where ${whereRetained(sellerId)} and ${events.id} = ${id}`,
  )
  return found
}

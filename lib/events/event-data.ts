/** Selects event data. It is stored immediately for ticket and test events, and for other events when the record changes again. */
import { type SQL, sql } from 'drizzle-orm'
import { resources } from '../catalog'
import { eventPrefix } from '../catalog/resource'

/**
 * Returns a SQL expression for an event's data as JSON. If an event has no stored data, its data is the current record, which has not
 * changed since: any statement that changes or deletes a record first stores the data of its events (`desk_keep_event_data`).
 *
 * @param alias the name or alias of the table of events in the query
 */
export function eventData(alias: string): SQL {
  const event = sql.identifier(alias)
  const records = Object.values(resources).map(
    (resource) => sql`when ${eventPrefix(resource)} then (
      select stored.record from ${resource.table} as stored where stored.seller_id = ${event}.seller_id and stored.id = ${event}.record_id)`,
  )
  return sql`coalesce(${event}.data, case split_part(${event}.type, '.', 1) ${sql.join(records, sql` `)} end)`
}

/** The data of events, which is stored only when the record changes again. */
import { type SQL, sql } from 'drizzle-orm'
import { resources } from '../catalog'
import { eventPrefix } from '../catalog/resource'

/**
 * Returns the SQL expression of an event's data, as JSON. The data of an event without stored data is its record, which has not changed since: the
 * statement that changes or deletes the record stores it first (`desk_keep_event_data`).
 *
 * @param alias the alias of the events table in the query
 */
export function eventData(alias: string): SQL {
  const event = sql.identifier(alias)
  const records = Object.values(resources).map(
    (resource) => sql`when ${eventPrefix(resource)} then (
      select stored.record from ${resource.table} as stored where stored.seller_id = ${event}.seller_id and stored.id = ${event}.record_id)`,
  )
  return sql`coalesce(${event}.data, case split_part(${event}.type, '.', 1) ${sql.join(records, sql` `)} end)`
}

/** Reads the dashboard's ticket table: pages with the exact total, the counts of its tabs, and all of its tickets for an export. */
import { and, type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { bookings, checkIns, ticketCounts, tickets } from '@/db/schema'
import { bookingIdOf, ticketTypeName } from '../catalog/booking-id'
import { getPeriodDays } from '../catalog/table-params'
import type { Ticket } from '../catalog/ticket'
import type { TicketTableParams } from '../catalog/ticket-table'
import { ApiError } from '../core/errors'
import { instantText, textArray } from '../core/sql'
import { dayIn } from '../core/time'
import { type CreatedRange, createdCondition, requireOrderedBounds } from './created-range'
import { type Direction, readCursor, toPage } from './keyset'
import { type CountedFilters, isOneOf, storedTotal } from './list-tickets'
import { namePattern, splitWords } from './search-matches'
import { countUpTo, findCursor, type Neighbors, neighborIds, pageIds, readIds, rowPosition, type SortedRows } from './sorted-rows'
import { toTableRange } from './table-query'

/** The first and the last day, inclusive, as `YYYY-MM-DD`. */
type Days = { from?: string | undefined; to?: string | undefined }

export type TicketQuery = CountedFilters & {
  sellerId: string
  created?: CreatedRange | undefined
  /** Only tickets that were checked in on at least one of these days are included. */
  checkedIn?: Days | undefined
  search?: string | undefined
  ids?: readonly string[] | undefined
  sort: 'createdAt' | 'customer'
  isAscending: boolean
  cursor?: string | undefined
  direction: Direction
  limit: number
}

/** A ticket as the table shows it. */
export type ListedTicket = Ticket & {
  /** The name of the ticket type, or its ID if the name is unknown. */
  type?: string
  /** The time of the latest check-in in ISO 8601 or, if it is unknown, the day as `YYYY-MM-DD`. Present even after a check-out. */
  checkedIn?: string
}

/**
 * Builds the table's query from parsed parameters.
 *
 * @param timeZone the shop's time zone, which determines the days of a period
 * @throws {ApiError} `parameters_exclusive` for a period with dates; `parameter_invalid` if the last check-in day is before the first
 */
export function toTicketQuery(sellerId: string, params: TicketTableParams, timeZone: string): TicketQuery {
  const { limit, search, checkedIn, sort = '-createdAt', ids } = params
  const bounds = { from: params['checkedIn[gte]'], to: params['checkedIn[lte]'] }
  const hasBounds = bounds.from !== undefined || bounds.to !== undefined
  const today = dayIn(timeZone, new Date())
  const created = toTableRange(params, today)
  if (checkedIn && hasBounds) throw new ApiError('parameters_exclusive', 'Send either a period or dates, not both.', 'checkedIn')
  if (bounds.from !== undefined && bounds.to !== undefined && bounds.from > bounds.to) {
    const message = 'checkedIn[lte] is before checkedIn[gte]. Send a later date in checkedIn[lte], or an earlier one in checkedIn[gte].'
    throw new ApiError('parameter_invalid', message, 'checkedIn[lte]')
  }
  return {
    sellerId,
    statuses: params.status ?? [],
    checkInStatuses: params.checkInStatus ?? [],
    pageIds: params.pageId ?? [],
    // Empty IDs are ignored: `t1,` has the same effect as `t1`.
    typeIds: (params.ticketTypeId ?? []).filter((id) => id !== ''),
    created,
    checkedIn: checkedIn ? getPeriodDays(checkedIn, today) : hasBounds ? bounds : undefined,
    search,
    ids,
    sort: sort.endsWith('customer') ? 'customer' : 'createdAt',
    isAscending: !sort.startsWith('-'),
    ...readCursor(params),
    limit,
  }
}

const isOwnedBy = (sellerId: string) => sql`text.seller_id = ${sellerId}`

/** Returns the condition that a row of `tickets`, aliased `text`, belongs to the seller and matches the filters. */
export function ticketConditions(query: TicketQuery): SQL {
  const { sellerId, statuses, checkInStatuses, pageIds: pages, typeIds, checkedIn, search, ids } = query
  const type = sql`text.record ->> 'ticketTypeId'`
  const words = search === undefined ? [] : splitWords(search)
  return sql`${and(
    isOwnedBy(sellerId),
    isOneOf(sql`text.status`, statuses),
    isOneOf(sql`text.check_in_status`, checkInStatuses),
    isOneOf(sql`text.page_id`, pages),
    // The index is on a digest, because an imported ID can be longer than an index entry.
    typeIds.length > 0
      ? sql`md5(${type}) = any(select md5(id) from unnest(${textArray(typeIds)}) as id) and ${isOneOf(sql`(${type})`, typeIds)}`
      : undefined,
    ids && sql`text.id = any(${textArray(ids)})`,
    checkedIn &&
      sql`exists (select from ${checkIns} as entry where ${and(
        sql`entry.seller_id = text.seller_id and entry.ticket_id = text.id and entry.status = 'CHECKEDIN'`,
        checkedIn.from === undefined ? undefined : sql`entry.day >= ${checkedIn.from}::text::date`,
        checkedIn.to === undefined ? undefined : sql`entry.day <= ${checkedIn.to}::text::date`,
      )})`,
    // A word that consists only of accents matches every ticket.
    ...words.map((word) => sql`text.plain like coalesce(${namePattern(word)}, '%')`),
    createdCondition(sql`text.created_at`, query),
  )}`
}

const FROM = sql`${tickets} as text`

const sortedRows = (query: TicketQuery): SortedRows => ({
  from: FROM,
  isOwn: isOwnedBy(query.sellerId),
  where: ticketConditions(query),
  value: query.sort === 'customer' ? sql`desk_guest_key(text.record) collate "C"` : undefined,
  isAscending: query.isAscending,
  isRecord: (id) => sql`text.id = ${id}`,
  hasByteIds: false,
  recordName: 'ticket',
})

/** Returns whether the total can be read from the stored counts. Otherwise, tickets are counted. */
const hasStoredTotal = ({ search, created, checkedIn, ids }: TicketQuery) =>
  [search, created, checkedIn, ids].every((filter) => filter === undefined)

/** Returns a SQL expression for the number of tickets that match the filters. */
export function ticketTotal(query: TicketQuery): SQL {
  const where = ticketConditions(query)
  if (hasStoredTotal(query)) return storedTotal(query.sellerId, query, { table: FROM, status: sql`text.status`, where })
  return sql`(select count(*)::int from ${FROM} where ${where})`
}

/** Selects a ticket as JSON, with the members of `ListedTicket`. @param row an expression of the table's row type */
const listedTicket = (row: SQL) => sql`
  (desk_ticket(${row})::jsonb || jsonb_strip_nulls(jsonb_build_object(
    'type', coalesce(${ticketTypeName(row)}, (${row}).record ->> 'ticketTypeId'),
    'checkedIn', (
      select coalesce(${instantText(sql`entry.at`)}, to_char(entry.day, 'YYYY-MM-DD')) from ${checkIns} as entry
      where entry.seller_id = (${row}).seller_id and entry.ticket_id = (${row}).id and entry.status = 'CHECKEDIN'
      order by entry.sequence desc limit 1))))::text as record`

/** Returns a page of the table and its total, from one snapshot. @throws the same errors as `listAssembled` */
export function listTicketTable(query: TicketQuery) {
  const rows = sortedRows(query)
  return database().use(async (connection) => {
    const { cursor } = query
    const position = cursor === undefined ? undefined : await findCursor(connection, rows, { ...query, cursor })
    // Even if the page is empty, there is one row with the total.
    const read = await connection.rows<{ total: number; record: string | null }>(sql`
      select counted.total, listed.record from (select ${ticketTotal(query)} as total) as counted left join lateral (
        select wanted.nth, ${listedTicket(sql`found`)} from (${pageIds(rows, query, position)}) as wanted
        join ${tickets} as found on found.seller_id = ${query.sellerId} and found.id = wanted.id
      ) as listed on true order by listed.nth`)
    const found = read.flatMap(({ record }) => (record ? [JSON.parse(record) as ListedTicket] : []))
    if (found.length === 0) await requireOrderedBounds(connection, query)
    return { ...toPage(found, query), total: read[0]?.total ?? 0 }
  })
}

/** Returns the first rows of the table, without the total, for suggestions as the user types. */
export async function firstTickets(query: TicketQuery): Promise<ListedTicket[]> {
  const read = await database().query<{ record: string }>(sql`
    select ${listedTicket(sql`found`)} from (${pageIds(sortedRows(query), query, undefined)}) as wanted
    join ${tickets} as found on found.seller_id = ${query.sellerId} and found.id = wanted.id order by wanted.nth`)
  return read.slice(0, query.limit).map(({ record }) => JSON.parse(record) as ListedTicket)
}

/** The filters of the table's tabs. */
export const TICKET_TABS = {
  all: {},
  checkedIn: { statuses: ['PAID'], checkInStatuses: ['CHECKEDIN'] },
  expected: { statuses: ['PAID'], checkInStatuses: ['UNCHECKEDIN'] },
  canceled: { statuses: ['CANCELED'] },
} as const satisfies Record<string, Partial<CountedFilters>>
export type TicketTab = keyof typeof TICKET_TABS

/** Returns the number of tickets in each tab, with all filters applied except those on the status and the check-in status. */
export async function countTicketTabs(query: TicketQuery): Promise<Record<TicketTab, number>> {
  const others = { ...query, statuses: [], checkInStatuses: [] }
  const isStored = hasStoredTotal(query)
  const counts = Object.entries(TICKET_TABS).map(([tab, filters]: [string, Partial<CountedFilters>]) => {
    const { statuses = [], checkInStatuses = [] } = filters
    const isInTab = and(sql`true`, isOneOf(sql`text.status`, statuses), isOneOf(sql`text.check_in_status`, checkInStatuses))
    const total = isStored ? ticketTotal({ ...others, ...filters }) : sql`count(*) filter (where ${isInTab})::int`
    return sql`${total} as ${sql.identifier(tab)}`
  })
  // Tickets are read once for all tabs.
  const from = isStored ? sql`` : sql`from ${FROM} where ${ticketConditions(others)}`
  const [row] = await database().query<Record<TicketTab, number>>(sql`select ${sql.join(counts, sql`, `)} ${from}`)
  if (!row) throw new Error('The query for the counts returned no row.')
  return row
}

/** Returns the position of a ticket in the table, counted from 1, or undefined if the seller has no such ticket. */
export const ticketPosition = (query: TicketQuery, id: string): Promise<number | undefined> =>
  database().use((connection) => rowPosition(connection, sortedRows(query), id))

/** Counts the tickets before the query's cursor, up to `max`. @throws {ApiError} like `countUpTo` */
export const countPrecedingTickets = (query: TicketQuery & { cursor: string }, max: number): Promise<number> =>
  database().use((connection) => countUpTo(connection, sortedRows(query), query.cursor, max))

/** Returns the IDs of the tickets before and after a ticket in the table's order. */
export const findTicketNeighbors = (query: TicketQuery, id: string): Promise<Neighbors> =>
  database().use((connection) => neighborIds(connection, sortedRows(query), id))

/** Returns the IDs of all tickets in the table, as 12 bytes each, in the table's order. */
export const readTicketIds = (query: TicketQuery): Promise<Buffer> => database().use((connection) => readIds(connection, sortedRows(query)))

/** Returns tickets (`ListedTicket`) as JSON, in the order of the given IDs. Omits tickets that no longer exist. */
export async function readTickets({ rows }: Connection, sellerId: string, ids: readonly string[]): Promise<string[]> {
  const found = await rows<{ record: string }>(sql`
    select ${listedTicket(sql`found`)} from unnest(${textArray(ids)}) with ordinality as wanted (id, nth)
    join ${tickets} as found on found.seller_id = ${sellerId} and found.id = wanted.id order by wanted.nth`)
  return found.map(({ record }) => record)
}

/** The maximum number of tickets per type whose bookings are searched for the type's name. */
const SAMPLES = 10
/** The maximum number of ticket types returned. */
const MAX_TYPES = 100

/** A ticket type with its number of paid tickets. The label is the type's name, or its ID if the name is unknown. */
type TicketType = { value: string; label: string; count: number }

/** Returns the types of the paid tickets for the query's events (for all events if it has none), those with the most tickets first. */
export const listTicketTypes = ({ sellerId, pageIds: pages }: TicketQuery): Promise<TicketType[]> =>
  readTicketTypes(sellerId, isOneOf(sql`page_id`, pages))

/** Returns the types that the query filters by. Omits those without paid tickets. */
export const findTicketTypes = async ({ sellerId, typeIds }: TicketQuery): Promise<TicketType[]> =>
  typeIds.length > 0 ? readTicketTypes(sellerId, isOneOf(sql`ticket_type_id`, typeIds)) : []

function readTicketTypes(sellerId: string, condition: SQL | undefined): Promise<TicketType[]> {
  const counts = and(sql`seller_id = ${sellerId}`, condition, sql`ticket_type_id <> ''`)
  return database().query(sql`
    with counts as materialized (
      select ticket_type_id as id, sum(sold)::int as sold, (array_agg(distinct ticket_id))[1:${sql.raw(String(SAMPLES))}] as samples
      from ${ticketCounts} where ${counts} group by 1 having sum(sold) > 0 order by sold desc, 1 limit ${sql.raw(String(MAX_TYPES))}
    )
    select counts.id as value, sold as count, coalesce((
      select line ->> 'name' from ${tickets} as sample
      join ${bookings} as booking on booking.seller_id = sample.seller_id and booking.id = ${bookingIdOf(sql`sample`)},
      json_array_elements(booking.record -> 'tickets') as line
      where sample.seller_id = ${sellerId} and sample.id = any(counts.samples) and line ->> 'ticketTypeId' = counts.id limit 1), counts.id) as label
    from counts order by sold desc, id`)
}

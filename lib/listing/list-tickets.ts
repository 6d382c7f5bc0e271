/** Defines the list of tickets. The SQL function `desk_ticket` assembles a ticket from its record and check-ins, as in events. */
import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { tickets as table, ticketCounts } from '@/db/schema'
import type { Ticket } from '../catalog/ticket'
import type { TicketParams } from '../catalog/ticket-operations'
import { escapeLike, textArray } from '../core/sql'
import type { AssembledList } from './assembled-list'

type Filters = Pick<TicketParams, 'search' | 'status' | 'checkInStatus' | 'pageId' | 'ticketTypeId'>

/** The filters that ticket counts are stored for. An empty filter matches all tickets. */
export type CountedFilters = {
  statuses: readonly Ticket['status'][]
  checkInStatuses: readonly Ticket['checkInStatus'][]
  pageIds: readonly string[]
  typeIds: readonly string[]
}

/**
 * Returns the condition that a column has one of the values, or undefined if there are none. A single value is compared with `=`, so that
 * an index scan keeps its order.
 */
export function isOneOf(column: SQLWrapper, [first, ...others]: readonly string[]): SQL | undefined {
  if (first === undefined) return undefined
  return others.length === 0 ? sql`${column} = ${first}` : sql`${column} = any(${textArray([first, ...others])})`
}

/**
 * Returns a SQL expression for the exact number of tickets that match the filters. For paid tickets, the stored counts are summed; canceled
 * tickets are few, so they are counted directly.
 *
 * @param from the table of tickets, its status column, and the conditions for the listed tickets
 */
export function storedTotal(
  sellerId: string,
  filters: CountedFilters,
  from: { table: SQLWrapper; status: SQLWrapper; where: SQL | undefined },
) {
  const { statuses, checkInStatuses, pageIds, typeIds } = filters
  const [checkIn] = new Set(checkInStatuses).size === 1 ? checkInStatuses : []
  const counted = checkIn === undefined ? sql`sold` : checkIn === 'CHECKEDIN' ? sql`inside` : sql`sold - inside`
  const counts = and(
    eq(ticketCounts.sellerId, sellerId),
    isOneOf(ticketCounts.pageId, pageIds),
    isOneOf(ticketCounts.ticketTypeId, typeIds),
  )
  const paid = sql`(select coalesce(sum(${counted}), 0)::int from ${ticketCounts} where ${counts})`
  const canceled = sql`(select count(*)::int from ${from.table} where ${and(from.where, sql`${from.status} = 'CANCELED'`)})`
  const includes = (status: Ticket['status']) => statuses.length === 0 || statuses.includes(status)
  return sql.join([...(includes('PAID') ? [paid] : []), ...(includes('CANCELED') ? [canceled] : [])], sql` + `)
}

/**
 * Returns the definition of the list of a seller's tickets.
 *
 * @param withCodes whether to include the QR codes
 */
export function ticketList(sellerId: string, filters: Filters, withCodes: boolean): AssembledList {
  const { search, status, checkInStatus, pageId, ticketTypeId } = filters
  const conditions: (SQL | undefined)[] = [
    status === undefined ? undefined : eq(table.status, status),
    pageId === undefined ? undefined : eq(table.pageId, pageId),
    checkInStatus === undefined ? undefined : eq(table.checkInStatus, checkInStatus),
    // The index is on a digest, because an imported ID can be longer than an index entry.
    ticketTypeId === undefined
      ? undefined
      : sql`md5(${table.record} ->> 'ticketTypeId') = md5(${ticketTypeId}) and ${table.record} ->> 'ticketTypeId' = ${ticketTypeId}`,
    search === undefined ? undefined : sql`${table.search} like (select '%' || desk_search_text(${escapeLike(search)}::text) || '%')`,
  ]
  const where = and(...conditions)
  const toList = <Value>(value: Value | undefined) => (value === undefined ? [] : [value])
  const counted = {
    statuses: toList(status),
    checkInStatuses: toList(checkInStatus),
    pageIds: toList(pageId),
    typeIds: toList(ticketTypeId),
  }
  return {
    table,
    recordName: 'ticket',
    columns: (row) =>
      sql`desk_ticket(${row})::text as record, ${withCodes ? sql`json_build_object('qrCode', (${row}).qr_code)::text` : sql`null`} as secrets`,
    where,
    total:
      // The stored counts of the empty type ID include tickets without a type.
      search === undefined && ticketTypeId !== ''
        ? storedTotal(sellerId, counted, { table, status: table.status, where: and(eq(table.sellerId, sellerId), where) })
        : undefined,
  }
}

/** The list of a seller's tickets. Each is assembled from its record and its check-ins by the SQL function desk_ticket, like the data of events. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { tickets as table, ticketCounts } from '@/db/schema'
import type { TicketParams } from '../catalog/ticket-operations'
import { escapeLike } from '../core/sql'
import type { PlainList } from './plain-list'

type Filters = Pick<TicketParams, 'search' | 'status' | 'checkInStatus' | 'pageId' | 'ticketTypeId'>

/**
 * Returns a scalar subquery: the number of tickets that match the filters except a search, exactly. Those that are paid are in the stored
 * counts; the canceled ones are few, and counted.
 *
 * @param where the conditions of the filters
 */
function storedTotal(sellerId: string, { status, checkInStatus, pageId, ticketTypeId }: Filters, where: SQL | undefined): SQL {
  const counted = checkInStatus === undefined ? sql`sold` : checkInStatus === 'CHECKEDIN' ? sql`inside` : sql`sold - inside`
  const counts = and(
    eq(ticketCounts.sellerId, sellerId),
    pageId === undefined ? undefined : eq(ticketCounts.pageId, pageId),
    ticketTypeId === undefined ? undefined : eq(ticketCounts.ticketTypeId, ticketTypeId),
  )
  const paid = sql`(select coalesce(sum(${counted}), 0)::int from ${ticketCounts} where ${counts})`
  const canceled = sql`(select count(*)::int from ${table} where ${and(eq(table.sellerId, sellerId), eq(table.status, 'CANCELED'), where)})`
  return sql.join([...(status === 'CANCELED' ? [] : [paid]), ...(status === 'PAID' ? [] : [canceled])], sql` + `)
}

/**
 * Returns the list of a seller's tickets.
 *
 * @param withCodes whether to include the QR codes
 */
export function ticketList(sellerId: string, filters: Filters, withCodes: boolean): PlainList {
  const { search, status, checkInStatus, pageId, ticketTypeId } = filters
  const conditions: (SQL | undefined)[] = [
    status === undefined ? undefined : eq(table.status, status),
    pageId === undefined ? undefined : eq(table.pageId, pageId),
    checkInStatus === undefined ? undefined : eq(table.checkInStatus, checkInStatus),
    // The index is on a digest, because an imported ID can be longer than an index entry.
    ticketTypeId === undefined
      ? undefined
      : sql`md5(${table.record} ->> 'ticketTypeId') = md5(${ticketTypeId}) and ${table.record} ->> 'ticketTypeId' = ${ticketTypeId}`,
    search === undefined ? undefined : sql`${table.search} like (select '%' || desk_fold(${escapeLike(search)}::text) || '%')`,
  ]
  const where = and(...conditions)
  return {
    table,
    one: 'ticket',
    columns: (row) =>
      sql`desk_ticket(${row})::text as record, ${withCodes ? sql`json_build_object('qrCode', (${row}).qr_code)::text` : sql`null`} as secrets`,
    where,
    total: search === undefined ? storedTotal(sellerId, filters, where) : undefined,
  }
}

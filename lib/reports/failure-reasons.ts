/** Counts failed payments and bookings by reason, for a period or for a dashboard table. */
import { and, type SQL, sql } from 'drizzle-orm'
import { bookings, payments } from '@/db/schema'
import { resources } from '../catalog'
import { textArray } from '../core/sql'
import { createdCondition } from '../listing/created-range'
import type { TableFilters } from '../listing/table-query'
import { type DateRange, getBounds } from './date-range'
import { createReportReader } from './report-throttle'

/** The maximum number of reasons that are returned. */
const MAX_REASONS = 5

export type FailureReasons = {
  /** The numbers of failed payments and failed bookings in the period, without test orders. */
  payments: number
  bookings: number
  /** At most five reasons, most frequent first. An unknown reason is undefined. */
  reasons: { reason: string | undefined; count: number }[]
}

/**
 * Counts the failed payments and bookings in the current period of a date range, by reason.
 *
 * @throws {UnavailableError} if too many reports are waiting, or this one takes too long
 */
export async function countFailureReasons(seller: string, range: DateRange): Promise<FailureReasons> {
  const { begin, end } = getBounds(range)
  const selectFailed = ({ sellerId, createdAt, failure, livemode }: typeof payments | typeof bookings, isBooking: boolean) => sql`
    select ${failure} as failure, ${isBooking} as is_booking, count(*) as orders from ${isBooking ? bookings : payments}
    where ${sellerId} = ${seller} and ${failure} is not null and ${livemode} is distinct from false
      and ${createdAt} >= ${begin}::timestamptz and ${createdAt} < ${end}::timestamptz group by 1`
  const { read } = await createReportReader([resources.payments, resources.bookings], seller)
  const rows = await read<{ failure: string; count: number; payments: number; bookings: number }>(sql`
    select failure, sum(orders)::int as count, (sum(sum(orders) filter (where not is_booking)) over ())::int as payments,
      (sum(sum(orders) filter (where is_booking)) over ())::int as bookings
    from (${selectFailed(payments, false)} union all ${selectFailed(bookings, true)}) as failed
    group by failure order by 2 desc, failure limit ${MAX_REASONS}`)
  return {
    payments: rows[0]?.payments ?? 0,
    bookings: rows[0]?.bookings ?? 0,
    reasons: rows.map(({ failure, count }) => ({ reason: failure || undefined, count })),
  }
}

/** Returns whether a table lists only failed orders, without a filter that would require reading each order. */
export function isFailedOrdersTable({ resource, statuses, methods, currency, amountFrom, amountTo, search, ids }: TableFilters): boolean {
  const isOrderTable = resource.name === 'payments' || resource.name === 'bookings'
  const others = [methods[0], currency, amountFrom, amountTo, search, ids]
  return isOrderTable && statuses.join() === 'failed' && others.every((filter) => filter === undefined)
}

/**
 * Counts a table's orders in total and by failure reason: at most five reasons, most frequent first.
 *
 * @param query a table that passes `isFailedOrdersTable`
 * @throws {UnavailableError} if too many reports are waiting, or this one takes too long
 */
export async function countTableFailureReasons(query: TableFilters): Promise<{ total: number; reasons: FailureReasons['reasons'] }> {
  const { resource, sellerId, pageIds, livemode } = query
  const table = resource.name === 'payments' ? payments : bookings
  const conditions: (SQL | undefined)[] = [
    sql`${table.sellerId} = ${sellerId} and ${table.failure} is not null`,
    pageIds.length > 0 ? sql`${table.pageId} = any(${textArray(pageIds)})` : undefined,
    livemode === undefined ? undefined : livemode ? sql`${table.livemode} is distinct from false` : sql`not ${table.livemode}`,
    createdCondition(table.createdAt, query),
  ]
  const { read } = await createReportReader([resource], sellerId)
  const rows = await read<{ failure: string; count: number; total: number }>(sql`
    select ${table.failure} as failure, count(*)::int as count, (sum(count(*)) over ())::int as total from ${table}
    where ${and(...conditions)} group by 1 order by 2 desc, 1 limit ${MAX_REASONS}`)
  return { total: rows[0]?.total ?? 0, reasons: rows.map(({ failure, count }) => ({ reason: failure || undefined, count })) }
}

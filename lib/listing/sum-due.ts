/** Sums the unpaid part of a table's amounts, so that the table agrees with the revenue on the overview. */
import { sql } from 'drizzle-orm'
import { PARTIALLY_PAID, SOLD_STATUSES } from '../catalog/order'
import { hasRevenue } from '../catalog/resource'
import { pickPool } from './record-counts'
import { getPartition, readSellerNumber } from './search-matches'
import type { Sum } from './table-facets'
import { type TableFilters, tableConditions } from './table-query'
import { withinTime } from './within-time'

/** The time limit, in milliseconds. The dashboard shows the sum of a table's amounts only after this function returns. */
const MAX_MS = 300

/**
 * Sums the amounts that are still due for a table's partially paid orders, by currency. Test orders count only if the table lists only test
 * orders.
 *
 * @returns the sums; undefined if that takes longer than 0.3 s, if the records are not one-time orders, or if the status filter does not
 *   include `partially_paid` or includes a status that is not in `SOLD_STATUSES`: the amount of a failed order, for example, was not
 *   received either
 */
export async function sumDue(query: TableFilters): Promise<Sum[] | undefined> {
  const { resource, sellerId, statuses, livemode } = query
  const { table } = resource
  const isSold = statuses.includes(PARTIALLY_PAID) && statuses.every((status) => SOLD_STATUSES.some((sold) => sold === status))
  if (!isSold || !hasRevenue(resource)) return undefined
  const pool = await pickPool([resource], sellerId)
  const number = await readSellerNumber(pool, sellerId)
  const isCounted = livemode === false ? sql`true` : sql`text.livemode is distinct from false`
  // The status and the date are compared too, so that the revenue is read from the index by status, not from the records.
  return withinTime(pool, MAX_MS, ({ rows }) =>
    rows<Sum>(sql`
      select coalesce(text.currency, '') as currency, sum(coalesce(text.amount, 0) - partial.revenue)::float8 as amount
      from ${getPartition(resource, number)} as text join ${table} as partial
        on partial.seller_id = ${sellerId} and partial.status = ${PARTIALLY_PAID} and partial.created_at = text.created_at and partial.id = encode(text.id, 'hex')
      where ${tableConditions({ ...query, statuses: [PARTIALLY_PAID] }, number)} and ${isCounted} group by 1`),
  )
}

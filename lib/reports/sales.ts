/** Computes sales: daily revenue, orders and refunds per currency, compared with the previous span. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import { readPool } from '@/db/client'
import { bookings, payments } from '@/db/schema'
import { resources } from '../catalog'
import { textArray } from '../core/sql'
import { replicationState } from '../listing/record-counts'
import { type DateRange, getBounds } from './date-range'
import { runReport } from './report-throttle'

/** Amounts in minor units of the currency. */
type Sum = { revenue: number; orders: number; refunds: number }

export type CurrencySales = {
  /** The ISO 4217 code in uppercase; undefined for orders without a currency. */
  currency: string | undefined
  current: Sum
  previous: Sum
  /** Revenue of each day of the span, and of the previous one. */
  days: number[]
  daysBefore: number[]
  /** The five checkout pages with the highest revenue in the span; `list` is the resource that contributed most of it. */
  pages: { id: string; list: 'payments' | 'bookings'; revenue: number; orders: number }[]
}

/** The statuses of orders with revenue. A partially refunded order counts in full, because its record does not say how much was refunded. */
const SOLD = ['paid', 'partially_paid', 'partial_refund'] as const
const REFUNDED = ['partial_refund', 'refunded'] as const
const TOP_PAGES = 5

/** Selects the paid and refunded orders of a period, without test orders. The table's `_status` index contains all of these columns. */
export const soldOrders = (table: typeof payments | typeof bookings, seller: string, from: string, until: string) => sql`
  select ${getTableName(table)}::text as list, currency, page_id, status, revenue, created_at from ${table}
  where ${table.sellerId} = ${seller} and ${table.status} = any(${textArray([...new Set([...SOLD, ...REFUNDED])])})
    and ${table.livemode} is not false and ${table.createdAt} >= ${from}::timestamptz and ${table.createdAt} < ${until}::timestamptz`

const sums = sql`coalesce(sum(revenue), 0)::float8 as revenue,
  count(*) filter (where status = any(${textArray(SOLD)}))::int as orders, count(*) filter (where status = any(${textArray(REFUNDED)}))::int as refunds`

/** The sum of a day, or of a page in the current span. */
type PartialSum = Sum & { currency: string | null; list: 'payments' | 'bookings' } & (
    | { day: number; pageId: null }
    | { day: null; pageId: string }
  )

/** Sums up a table by day and by page. Reads the index once, which takes most of the time. */
const sumOrders = (sold: SQL, { starts, span }: DateRange) => {
  const totals = sql`sum(revenue)::float8 as revenue, sum(orders)::int as orders, sum(refunds)::int as refunds`
  // A binary search in the days' start times takes a third of the time of computing the day of each row.
  const day = sql`width_bucket(created_at, ${`{${starts.join(',')}}`}::timestamptz[])`
  return sql`
    with part as materialized (select list, currency, ${day} as day, page_id, ${sums} from (${sold}) as sold group by 1, 2, 3, 4)
    select list, upper(currency) as currency, day, null as "pageId", ${totals} from part group by 1, 2, 3
    union all
    select list, upper(currency), null, page_id, ${totals} from part where page_id is not null and day > ${span} group by 1, 2, 4`
}

const zero = (): Sum => ({ revenue: 0, orders: 0, refunds: 0 })

function add(to: Sum, { revenue, orders, refunds }: Sum): void {
  to.revenue += revenue
  to.orders += orders
  to.refunds += refunds
}

/** Returns the sales of each currency, the one with the most orders first. */
export async function loadSales(seller: string, days: DateRange): Promise<CurrencySales[]> {
  const { before, end } = getBounds(days)
  const pool = await readPool(() => replicationState([resources.payments, resources.bookings], seller))
  const sums = await Promise.all(
    [payments, bookings].map((table) =>
      runReport(() => pool.use(({ rows }) => rows<PartialSum>(sumOrders(soldOrders(table, seller, before, end), days)))),
    ),
  )

  const found = new Map<string | undefined, CurrencySales>()
  const findOrAdd = (currencyOrNull: string | null) => {
    const currency = currencyOrNull ?? undefined
    const known = found.get(currency)
    if (known) return known
    const zeros = () => Array.from({ length: days.span }, () => 0)
    const sales = { currency, current: zero(), previous: zero(), days: zeros(), daysBefore: zeros(), pages: [] }
    found.set(currency, sales)
    return sales
  }
  for (const row of sums.flat().sort((a, b) => b.revenue - a.revenue)) {
    const sales = findOrAdd(row.currency)
    if (row.day === null) {
      const { pageId, list, revenue, orders } = row
      const existing = sales.pages.find(({ id }) => id === pageId)
      if (existing) Object.assign(existing, { revenue: existing.revenue + revenue, orders: existing.orders + orders })
      else sales.pages.push({ id: pageId, list, revenue, orders })
      continue
    }
    const at = row.day - 1
    const [sum, series] = at >= days.span ? [sales.current, sales.days] : [sales.previous, sales.daysBefore]
    add(sum, row)
    series[at % days.span] = (series[at % days.span] ?? 0) + row.revenue
  }
  for (const sales of found.values()) {
    sales.pages = sales.pages
      .filter(({ orders }) => orders > 0)
      .sort((a, b) => b.revenue - a.revenue || a.id.localeCompare(b.id))
      .slice(0, TOP_PAGES)
  }
  return [...found.values()].sort((a, b) => b.current.orders - a.current.orders || b.previous.orders - a.previous.orders)
}

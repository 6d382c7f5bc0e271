/** Computes sales: daily revenue, orders and refunds per currency, compared with the previous span. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import { type Database, readPool } from '@/db/client'
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

type DailySum = Sum & { currency: string | null; day: number }
type PageSum = Sum & { currency: string | null; pageId: string; list: 'payments' | 'bookings' }

const currencyName = sql`upper(currency) as currency`

/** Queries each table on its own, so that each sum is read from one index. */
async function sumOrders<Row>(pool: Database, seller: string, from: string, until: string, shape: (sold: SQL) => SQL): Promise<Row[]> {
  const both = await Promise.all(
    [payments, bookings].map((table) =>
      runReport(seller, () => pool.use(({ rows }) => rows<Row>(shape(soldOrders(table, seller, from, until))))),
    ),
  )
  return both.flat()
}

const zero = (): Sum => ({ revenue: 0, orders: 0, refunds: 0 })

function add(to: Sum, { revenue, orders, refunds }: Sum): void {
  to.revenue += revenue
  to.orders += orders
  to.refunds += refunds
}

/** Returns the sales of each currency, the one with the most orders first. */
export async function loadSales(seller: string, days: DateRange): Promise<CurrencySales[]> {
  const { before, begin, end } = getBounds(days)
  const pool = await readPool(() => replicationState([resources.payments, resources.bookings], seller))
  const [daily, byPage] = await Promise.all([
    // A binary search in the days' start times takes a third of the time of computing the day of each row.
    sumOrders<DailySum>(
      pool,
      seller,
      before,
      end,
      (from) => sql`
      select ${currencyName}, width_bucket(created_at, ${`{${days.starts.join(',')}}`}::timestamptz[]) as day, ${sums} from (${from}) as sold group by 1, 2`,
    ),
    sumOrders<PageSum>(
      pool,
      seller,
      begin,
      end,
      (from) => sql`
      select ${currencyName}, page_id as "pageId", list, ${sums} from (${from}) as sold where page_id is not null group by 1, 2, 3`,
    ),
  ])

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
  for (const row of daily) {
    const sales = findOrAdd(row.currency)
    const at = row.day - 1
    const [sum, series] = at >= days.span ? [sales.current, sales.days] : [sales.previous, sales.daysBefore]
    add(sum, row)
    series[at % days.span] = (series[at % days.span] ?? 0) + row.revenue
  }
  for (const { currency, pageId, list, revenue, orders } of byPage.sort((a, b) => b.revenue - a.revenue)) {
    const { pages } = findOrAdd(currency)
    const existing = pages.find(({ id }) => id === pageId)
    if (existing) Object.assign(existing, { revenue: existing.revenue + revenue, orders: existing.orders + orders })
    else pages.push({ id: pageId, list, revenue, orders })
  }
  for (const sales of found.values()) {
    sales.pages = sales.pages
      .filter(({ orders }) => orders > 0)
      .sort((a, b) => b.revenue - a.revenue || a.id.localeCompare(b.id))
      .slice(0, TOP_PAGES)
  }
  return [...found.values()].sort((a, b) => b.current.orders - a.current.orders || b.previous.orders - a.previous.orders)
}

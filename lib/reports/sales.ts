/** Reads sales from the rollups: daily revenue, orders and refunds per currency, compared with the previous span. */
import { type SQL, sql } from 'drizzle-orm'
import { readPool } from '@/db/client'
import { rollups } from '@/db/schema'
import { resources } from '../catalog'
import { replicationState } from '../listing/record-counts'
import { type DateRange, getBounds } from './date-range'
import { runReport } from './report-throttle'

/** Amounts in minor units of the currency. */
type Sum = { revenue: number; orders: number; refunds: number }

type PageSales = { id: string; list: 'payments' | 'bookings'; revenue: number; orders: number }

export type CurrencySales = {
  /** The ISO 4217 code in uppercase; undefined for orders without a currency. */
  currency: string | undefined
  current: Sum
  previous: Sum
  /** Revenue of each day of the span, and of the previous one. */
  days: number[]
  daysBefore: number[]
  /** The paid orders of each day of the span. */
  orders: number[]
  /** How many of them are bookings. */
  bookings: number[]
  /** The five checkout pages with the highest revenue in the span; `list` is the resource that contributed most of it. */
  pages: PageSales[]
}

const TOP_PAGES = 5
const DAY_MS = 86_400_000

/** Selects the sums of a level whose buckets start in a period. */
const selectSums = (seller: string, level: 'quarter' | 'day', from: string, until: string) => sql`
  select currency, page_id, resource, bucket, revenue, orders, refunds from ${rollups}
  where ${rollups.sellerId} = ${seller} and ${rollups.level} = ${level} and ${rollups.resource} in ('payments', 'bookings')
    and ${rollups.bucket} >= ${from}::timestamptz and ${rollups.bucket} < ${until}::timestamptz`

const dailySums = (seller: string, { starts }: DateRange, from: string, until: string) => sql`
  select currency, width_bucket(bucket, ${`{${starts.join(',')}}`}::timestamptz[]) - 1 as day,
    sum(revenue)::float8 as revenue, sum(orders)::int as orders, sum(refunds)::int as refunds,
    coalesce(sum(orders) filter (where resource = 'bookings'), 0)::int as bookings
  from (${selectSums(seller, 'quarter', from, until)}) as sold group by 1, 2`

/** Selects the orders of a period shorter than a day, from the records. Sums per page and 15 minutes would be almost as many rows as orders. */
const selectOrders = (seller: string, from: string, until: string) =>
  sql.join(
    ['payments', 'bookings'].map(
      (resource) => sql`
        select currency, page_id, ${resource}::text as resource, revenue, orders from ${sql.identifier(`desk_facts_of_${resource}`)}
        where seller_id = ${seller} and at >= ${from}::timestamptz and at < ${until}::timestamptz`,
    ),
    sql` union all `,
  )

/** Sums up whole days in UTC, and the parts of days at both ends of the period. */
function pageSums(seller: string, from: string, until: string): SQL {
  const firstDay = new Date(Math.ceil(Date.parse(from) / DAY_MS) * DAY_MS).toISOString()
  const lastDay = new Date(Math.floor(Date.parse(until) / DAY_MS) * DAY_MS).toISOString()
  return sql`
    with sold as (
      select currency, page_id, resource, revenue, orders from (${selectSums(seller, 'day', firstDay, lastDay)}) as days
      union all ${selectOrders(seller, from, firstDay)} union all ${selectOrders(seller, lastDay, until)}
    ), page as (
      select currency, page_id, resource, sum(revenue) as revenue, sum(orders) as orders from sold where page_id <> '' group by 1, 2, 3
    ), ranked as (
      select currency, page_id, (array_agg(resource order by revenue desc, resource desc))[1] as list, sum(revenue) as revenue, sum(orders) as orders,
        row_number() over (partition by currency order by sum(revenue) desc, page_id) as rank
      from page group by currency, page_id having sum(orders) > 0
    )
    select currency, page_id as id, list, revenue::float8 as revenue, orders::int as orders from ranked where rank <= ${TOP_PAGES} order by rank`
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
  const read = <Row>(query: SQL) => runReport(seller, () => pool.use(({ rows }) => rows<Row & { currency: string }>(query)))
  const [daily, pages] = await Promise.all([
    read<Sum & { day: number; bookings: number }>(dailySums(seller, days, before, end)),
    read<PageSales>(pageSums(seller, begin, end)),
  ])

  const zeros = () => Array.from({ length: days.span }, () => 0)
  const emptySales = (currency: string): CurrencySales => ({
    currency: currency || undefined,
    current: zero(),
    previous: zero(),
    days: zeros(),
    daysBefore: zeros(),
    orders: zeros(),
    bookings: zeros(),
    pages: [],
  })
  // Once per currency: for each row, the lists of a year would block the event loop for a tenth of a second.
  const currencies = new Map<string, CurrencySales>()
  for (const row of daily) {
    const sales = currencies.get(row.currency) ?? emptySales(row.currency)
    currencies.set(row.currency, sales)
    const [sum, series] = row.day >= days.span ? [sales.current, sales.days] : [sales.previous, sales.daysBefore]
    add(sum, row)
    series[row.day % days.span] = row.revenue
    if (row.day < days.span) continue
    sales.orders[row.day % days.span] = row.orders
    sales.bookings[row.day % days.span] = row.bookings
  }
  for (const { currency, ...page } of pages) currencies.get(currency)?.pages.push(page)
  return [...currencies.values()]
    .filter(({ current, previous }) => current.orders + current.refunds + previous.orders + previous.refunds > 0)
    .sort((a, b) => b.current.orders - a.current.orders || b.previous.orders - a.previous.orders)
}

/** Today's sales in one currency. `bookings` is how many of the orders are bookings, and `bookingRevenue` their part of the revenue. */
export type TodaySales = { currency: string | undefined; revenue: number; orders: number; bookings: number; bookingRevenue: number }

/** Returns today's sales of each currency. They are few rows, so that they do not wait for other reports. */
export async function loadTodaySales(seller: string, { today }: DateRange): Promise<TodaySales[]> {
  const pool = await readPool(() => replicationState([resources.payments, resources.bookings], seller))
  const rows = await pool.use(({ rows: run }) =>
    run<Omit<TodaySales, 'currency'> & { currency: string }>(sql`
      select currency, sum(revenue)::float8 as revenue, sum(orders)::int as orders,
        coalesce(sum(orders) filter (where resource = 'bookings'), 0)::int as bookings,
        coalesce(sum(revenue) filter (where resource = 'bookings'), 0)::float8 as "bookingRevenue"
      from (${selectSums(seller, 'quarter', today.start, today.end)}) as sold group by 1 order by 3 desc, 1`),
  )
  return rows.map(({ currency, ...sums }) => ({ ...sums, currency: currency || undefined }))
}

/** Reads sales from the rollups: revenue, orders and refunds per currency and bar of the chart, compared with the previous period. */
import { type SQL, sql } from 'drizzle-orm'
import { rollups } from '@/db/schema'
import { resources } from '../catalog'
import { pickPool } from '../listing/record-counts'
import { type DateRange, getBars, getBounds } from './date-range'
import { createReportReader } from './report-throttle'

/** The revenue, in minor units of the currency, and the numbers of paid and refunded orders. A partially refunded order counts as both. */
type Sum = { revenue: number; orders: number; refunds: number }

/** The sales of a checkout page. `id` is the ID of the page, and `revenue` is in minor units. */
type PageSales = { id: string; list: 'payments' | 'bookings'; revenue: number; orders: number }

export type CurrencySales = {
  /** The ISO 4217 code in uppercase; undefined for orders without a currency. */
  currency: string | undefined
  /** The sums for the current and the previous period. */
  current: Sum
  previous: Sum
  /** The revenue in each bar of the chart (`getBars`), for the current and the previous period. */
  revenue: number[]
  revenueBefore: number[]
  /** The number of paid orders in each bar of the current period, and how many of them are bookings. */
  orders: number[]
  bookings: number[]
  /** The checkout pages (at most five) with the highest revenue in the period; `list` is the resource that contributed most of it. */
  pages: PageSales[]
}

/** The maximum number of checkout pages per currency. */
const TOP_PAGES = 5
const DAY_MS = 86_400_000

type Level = typeof rollups.$inferSelect.level

/** Selects a level's sums for the buckets that start within a period. */
const selectSums = (seller: string, level: Level, from: string, until: string) => sql`
  select currency, page_id, resource, bucket, revenue, orders, refunds from ${rollups}
  where ${rollups.sellerId} = ${seller} and ${rollups.level} = ${level} and ${rollups.resource} in ('payments', 'bookings')
    and ${rollups.bucket} >= ${from}::timestamptz and ${rollups.bucket} < ${until}::timestamptz`

/** Selects the individual orders in a period with their revenue, using an index. */
const selectOrders = (seller: string, from: string | SQL, until: string | SQL) =>
  sql.join(
    ['payments', 'bookings'].map(
      (resource) => sql`
        select currency, page_id, ${resource}::text as resource, revenue, orders, refunds from ${sql.identifier(`desk_facts_of_${resource}`)}
        where seller_id = ${seller} and at >= ${from}::timestamptz and at < ${until}::timestamptz`,
    ),
    sql` union all `,
  )

/** Every bucket starts a whole number of bucket lengths before or after this time. */
const FIRST_BUCKET = Date.UTC(2000, 0, 1)
/** The lengths of buckets, in milliseconds. */
const THREE_HOURS = DAY_MS / 8
const FOUR_WEEKS = 28 * DAY_MS

/** Returns the bucket start that is nearest to a time. @param length in milliseconds */
const nearestBucket = (instant: string, length: number) =>
  new Date(FIRST_BUCKET + Math.round((Date.parse(instant) - FIRST_BUCKET) / length) * length).toISOString()

const instants = (values: string[]) => sql`${`{${values.join(',')}}`}::timestamptz[]`

/**
 * Selects sums for consecutive periods, numbered from 0. A period can have several rows, which the caller adds up. Each period is summed
 * from whole buckets, with its bounds rounded to the nearest bucket start. The orders between a bound and that bucket start are then
 * reassigned: to the period that starts at the bound if the bucket starts later, otherwise to the previous period.
 */
function selectPeriods(seller: string, bounds: string[]): SQL {
  const nearest = bounds.map((bound) => nearestBucket(bound, THREE_HOURS))
  return sql`
    with part as materialized (
      select place, case when bound.bucket > bound.instant then 1 else -1 end as sign, sold.*
      from unnest(${instants(bounds)}, ${instants(nearest)}) with ordinality as bound (instant, bucket, place), lateral (
        select currency, resource, sum(revenue) as revenue, sum(orders) as orders, sum(refunds) as refunds
        from (${selectOrders(seller, sql`least(bound.instant, bound.bucket)`, sql`greatest(bound.instant, bound.bucket)`)}) as sold group by 1, 2
      ) as sold where bound.instant <> bound.bucket
    )
    select currency, resource, width_bucket(bucket, ${instants(nearest)}) - 1 as period, revenue, orders, refunds
    from (${selectSums(seller, 'three_hours', String(nearest[0]), String(nearest.at(-1)))}) as buckets
    union all select currency, resource, place - 1, sign * revenue, sign * orders, sign * refunds from part where place < ${bounds.length}::int
    union all select currency, resource, place - 2, -sign * revenue, -sign * orders, -sign * refunds from part where place > 1`
}

const barSums = (seller: string, bounds: string[]) => sql`
  select currency, period::int as bar, sum(revenue)::float8 as revenue, sum(orders)::int as orders, sum(refunds)::int as refunds,
    coalesce(sum(orders) filter (where resource = 'bookings'), 0)::int as bookings
  from (${selectPeriods(seller, bounds)}) as sold group by 1, 2`

/** Totals a period's sales by checkout page. Rounds its bounds to four-week buckets, then adjusts the sums for the orders in between. */
function pageSums(seller: string, from: string, until: string): SQL {
  const [first, last] = [nearestBucket(from, FOUR_WEEKS), nearestBucket(until, FOUR_WEEKS)]
  const columns = sql`currency, page_id, resource`
  /** Adds the orders from `start` to `end` or, if `end` is earlier, subtracts those from `end` to `start`. */
  const between = (start: string, end: string) =>
    start <= end
      ? sql`select ${columns}, revenue, orders from (${selectOrders(seller, start, end)}) as added`
      : sql`select ${columns}, -revenue, -orders from (${selectOrders(seller, end, start)}) as removed`
  const parts =
    first < last
      ? [
          sql`select ${columns}, revenue, orders from (${selectSums(seller, 'page_4_weeks', first, last)}) as weeks`,
          between(from, first),
          between(last, until),
        ]
      : [between(from, until)]
  return sql`
    with sold as (${sql.join(parts, sql` union all `)}), page as (
      select currency, page_id, resource, sum(revenue) as revenue, sum(orders) as orders from sold where page_id <> '' group by 1, 2, 3
      having (sum(revenue), sum(orders)) <> (0, 0)
    ), ranked as (
      select currency, page_id, (array_agg(resource order by revenue desc, resource desc))[1] as list, sum(revenue) as revenue, sum(orders) as orders,
        row_number() over (partition by currency order by sum(revenue) desc, page_id) as rank
      from page group by currency, page_id having sum(orders) > 0
    )
    select currency, page_id as id, list, revenue::float8 as revenue, orders::int as orders from ranked where rank <= ${TOP_PAGES} order by rank`
}

const emptySum = (): Sum => ({ revenue: 0, orders: 0, refunds: 0 })

function add(to: Sum, { revenue, orders, refunds }: Sum): void {
  to.revenue += revenue
  to.orders += orders
  to.refunds += refunds
}

/** Returns the sales per currency, those with the most orders first. @throws {UnavailableError} like `runReport` */
export async function loadSales(seller: string, range: DateRange): Promise<CurrencySales[]> {
  const { begin, end } = getBounds(range)
  const bars = getBars(range.span)
  const bounds = [...bars, ...bars.map((day) => range.span + day), 2 * range.span].map((day) => String(range.starts[day]))
  const { read } = await createReportReader([resources.payments, resources.bookings], seller)
  const [sums, pages] = await Promise.all([
    read<Sum & { currency: string; bar: number; bookings: number }>(barSums(seller, bounds)),
    read<PageSales & { currency: string }>(pageSums(seller, begin, end)),
  ])

  const zeros = () => bars.map(() => 0)
  const emptySales = (currency: string): CurrencySales => ({
    currency: currency || undefined,
    current: emptySum(),
    previous: emptySum(),
    revenue: zeros(),
    revenueBefore: zeros(),
    orders: zeros(),
    bookings: zeros(),
    pages: [],
  })
  const currencies = new Map<string, CurrencySales>()
  for (const row of sums) {
    const sales = currencies.get(row.currency) ?? emptySales(row.currency)
    currencies.set(row.currency, sales)
    const [isCurrent, bar] = [row.bar >= bars.length, row.bar % bars.length]
    add(isCurrent ? sales.current : sales.previous, row)
    const revenue = isCurrent ? sales.revenue : sales.revenueBefore
    revenue[bar] = row.revenue
    if (!isCurrent) continue
    sales.orders[bar] = row.orders
    sales.bookings[bar] = row.bookings
  }
  for (const { currency, ...page } of pages) currencies.get(currency)?.pages.push(page)
  return [...currencies.values()]
    .filter(({ current, previous }) => current.orders + current.refunds + previous.orders + previous.refunds > 0)
    .sort((a, b) => b.current.orders - a.current.orders || b.previous.orders - a.previous.orders)
}

/** Returns the sales in the current period that are not part of `pages`, including those without a checkout page. */
export function sumOtherSales({ current, pages }: Pick<CurrencySales, 'current' | 'pages'>): Pick<Sum, 'revenue' | 'orders'> {
  const sum = (member: 'revenue' | 'orders') => pages.reduce((total, page) => total + page[member], 0)
  return { revenue: current.revenue - sum('revenue'), orders: current.orders - sum('orders') }
}

/** Today's sales in one currency. `bookings` is how many of the orders are bookings, and `bookingRevenue` is the revenue from them. */
export type TodaySales = { currency: string | undefined; revenue: number; orders: number; bookings: number; bookingRevenue: number }

/** Returns today's sales per currency. Reads only a few rows, and therefore does not wait for other reports. */
export async function loadTodaySales(seller: string, { today }: DateRange): Promise<TodaySales[]> {
  const pool = await pickPool([resources.payments, resources.bookings], seller)
  const rows = await pool.use(({ rows: run }) =>
    run<Omit<TodaySales, 'currency'> & { currency: string }>(sql`
      select currency, sum(revenue)::float8 as revenue, sum(orders)::int as orders,
        coalesce(sum(orders) filter (where resource = 'bookings'), 0)::int as bookings,
        coalesce(sum(revenue) filter (where resource = 'bookings'), 0)::float8 as "bookingRevenue"
      from (${selectPeriods(seller, [today.start, today.end])}) as sold group by 1 having (sum(orders), sum(revenue)) <> (0, 0) order by 3 desc, 1`),
  )
  return rows.map(({ currency, ...sums }) => ({ ...sums, currency: currency || undefined }))
}

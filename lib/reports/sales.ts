/** What was sold: revenue a day, orders and refunds, for each currency by itself, next to the span before. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { Database } from '@/db/client'
import { bookings, payments } from '@/db/schema'
import { resources } from '../catalog'
import { pickReadPool } from '../listing/read-pool'
import { boundsOf, type Days } from './days'

/** Amounts in minor units of the currency. */
type Sum = { revenue: number; orders: number; refunds: number }

export type CurrencySales = {
  /** ISO 4217 in capitals; undefined for orders that name none. */
  currency: string | undefined
  now: Sum
  before: Sum
  /** One for each day of the span, and of the span before. */
  days: number[]
  daysBefore: number[]
  /** The five pages that earned most in the span; `list` is where most of it is. */
  pages: { id: string; list: 'payments' | 'bookings'; revenue: number; orders: number }[]
}

/** An order that money came in for. A partial refund's record does not say how much went back: it counts in full. */
const SOLD = ['paid', 'partially_paid', 'partial_refund'] as const
const REFUNDED = ['partial_refund', 'refunded'] as const
const BEST_PAGES = 5

const names = (values: readonly string[]) =>
  sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  )

/** The orders of a time that are sales or were; test records are none. Every column of it stands in the table's `_status` index. */
export const soldOrders = (table: typeof payments | typeof bookings, seller: string, from: string, until: string) => sql`
  select ${getTableName(table)}::text as list, currency, page_id, status, revenue, created_at from ${table}
  where ${table.sellerId} = ${seller} and ${table.status} in (${names([...new Set([...SOLD, ...REFUNDED])])})
    and ${table.livemode} is not false and ${table.createdAt} >= ${from}::timestamptz and ${table.createdAt} < ${until}::timestamptz`

const sums = sql`coalesce(sum(revenue), 0)::float8 as revenue,
  count(*) filter (where status in (${names(SOLD)}))::int as orders, count(*) filter (where status in (${names(REFUNDED)}))::int as refunds`

type Dayed = Sum & { currency: string | null; day: number }
type Paged = Sum & { currency: string | null; pageId: string; list: 'payments' | 'bookings' }

const currencyName = sql`upper(currency) as currency`

/** Each table by itself: PostgreSQL adds one up from its index alone, and both at once. */
async function ask<Row>(pool: Database, seller: string, from: string, until: string, shape: (sold: SQL) => SQL): Promise<Row[]> {
  const both = await Promise.all(
    [payments, bookings].map((table) => pool.use(({ rows }) => rows<Row>(shape(soldOrders(table, seller, from, until))))),
  )
  return both.flat()
}

const zero = (): Sum => ({ revenue: 0, orders: 0, refunds: 0 })

function add(to: Sum, { revenue, orders, refunds }: Sum): void {
  to.revenue += revenue
  to.orders += orders
  to.refunds += refunds
}

/** @returns the currencies, the one with most orders first */
export async function loadSales(seller: string, days: Days): Promise<CurrencySales[]> {
  const { before, begin, end } = boundsOf(days)
  const pool = await pickReadPool([resources.payments, resources.bookings], seller)
  const [dayed, paged] = await Promise.all([
    // By the days' beginnings: a binary search a row, where a time zone's arithmetic costs three times as much.
    ask<Dayed>(
      pool,
      seller,
      before,
      end,
      (from) => sql`
      select ${currencyName}, width_bucket(created_at, ${`{${days.starts.join(',')}}`}::timestamptz[]) as day, ${sums} from (${from}) as sold group by 1, 2`,
    ),
    ask<Paged>(
      pool,
      seller,
      begin,
      end,
      (from) => sql`
      select ${currencyName}, page_id as "pageId", list, ${sums} from (${from}) as sold where page_id is not null group by 1, 2, 3`,
    ),
  ])

  const found = new Map<string | undefined, CurrencySales>()
  const salesOf = (name: string | null) => {
    const currency = name ?? undefined
    const known = found.get(currency)
    if (known) return known
    const none = () => Array.from({ length: days.span }, () => 0)
    const fresh = { currency, now: zero(), before: zero(), days: none(), daysBefore: none(), pages: [] }
    found.set(currency, fresh)
    return fresh
  }
  for (const row of dayed) {
    const sales = salesOf(row.currency)
    const at = row.day - 1
    const current = at >= days.span
    add(current ? sales.now : sales.before, row)
    const series = current ? sales.days : sales.daysBefore
    series[at % days.span] = (series[at % days.span] ?? 0) + row.revenue
  }
  for (const { currency, pageId, list, revenue, orders } of paged.sort((a, b) => b.revenue - a.revenue)) {
    const { pages } = salesOf(currency)
    const same = pages.find(({ id }) => id === pageId)
    if (same) Object.assign(same, { revenue: same.revenue + revenue, orders: same.orders + orders })
    else pages.push({ id: pageId, list, revenue, orders })
  }
  const all = [...found.values()]
  for (const sales of all) {
    sales.pages = sales.pages
      .filter(({ orders }) => orders > 0)
      .sort((a, b) => b.revenue - a.revenue || a.id.localeCompare(b.id))
      .slice(0, BEST_PAGES)
  }
  return all.sort((a, b) => b.now.orders - a.now.orders || b.before.orders - a.before.orders)
}

/** Reads subscriptions from the rollups: how many are active, how many started and ended, and their monthly recurring revenue. */
import { type SQL, sql } from 'drizzle-orm'
import { rollups } from '@/db/schema'
import { resources } from '../catalog'
import { countByStatus } from '../listing/record-counts'
import { type DateRange, getBounds } from './date-range'
import { createReportReader } from './report-throttle'

/** Monthly recurring revenue in minor units of the currency, at the end (`mrr`) and at the start (`before`) of the period. */
type CurrencyMrr = { currency: string | undefined; mrr: number; before: number }

export type SubscriptionReport = {
  /** Whether the period includes today. If so, the values at its end are current. */
  isCurrent: boolean
  /** The number of active subscriptions at the end and at the start of the period, including trials. */
  active: number
  before: number
  /** The number of active subscriptions now, including trials, regardless of the period. */
  current: number
  /** The numbers of subscriptions that began and that ended in the period. */
  created: number
  churned: number
  /** The monthly recurring revenue per currency, sorted by its value at the end of the period, highest first. */
  mrr: CurrencyMrr[]
  /** How many subscriptions currently have the status `past_due`, including test records. */
  pastDue: number
}

type Row = Omit<SubscriptionReport, 'isCurrent' | 'mrr' | 'pastDue'> & { currency: string; mrr: number; mrrBefore: number }

const startOfUtcDay = (instant: string) => sql`date_bin('1 day', ${instant}::timestamptz, '2000-01-01 00:00:00+00')`

/** Returns the sum before an instant: of the earlier UTC days, and of the part of the instant's day that precedes it. */
const sumBefore = (sum: SQL, instant: string) => sql`(
  coalesce(sum(${sum}) filter (where level = 'day' and bucket < ${startOfUtcDay(instant)}), 0)
  + coalesce(sum(${sum}) filter (where level = 'quarter' and bucket >= ${startOfUtcDay(instant)} and bucket < ${instant}::timestamptz), 0))`

/**
 * Returns the subscription report for a date range. The number of active subscriptions in the past is an estimate: it counts those that
 * already existed and are active now or have been canceled since. Records do not store status changes, so pauses in between are unknown.
 *
 * The monthly recurring revenue is the sum of the amounts per month of all active and past-due subscriptions, excluding trials: a
 * subscription counts from the end of its trial, and not at all if it was canceled by then.
 *
 * @throws {UnavailableError} like `runReport`
 */
export async function loadSubscriptions(seller: string, range: DateRange): Promise<SubscriptionReport> {
  const { begin, end } = getBounds(range)
  const isOwn = (level: string) =>
    sql`${rollups.sellerId} = ${seller} and ${rollups.resource} = 'subscriptions' and ${rollups.level} = ${level}`
  const whereOwnDay = (instant: string) =>
    sql`${rollups.bucket} >= ${startOfUtcDay(instant)} and ${rollups.bucket} < ${instant}::timestamptz`
  const [orders, began, ended, revenue] = [sql`orders`, sql`orders + refunds`, sql`refunds`, sql`revenue`]
  const isCurrent = end === range.today.end
  const now = (sum: SQL) => sql`coalesce(sum(${sum}) filter (where level = 'day'), 0)`
  const atEnd = (sum: SQL) => (isCurrent ? now(sum) : sumBefore(sum, end))
  const { pool, read } = await createReportReader([resources.subscriptions], seller)
  const [rows, counts] = await Promise.all([
    read<Row>(sql`
      select currency, ${atEnd(orders)}::int as active, ${sumBefore(orders, begin)}::int as before, ${now(orders)}::int as current,
        (${sumBefore(began, end)} - ${sumBefore(began, begin)})::int as created, (${sumBefore(ended, end)} - ${sumBefore(ended, begin)})::int as churned,
        ${atEnd(revenue)}::float8 as mrr, ${sumBefore(revenue, begin)}::float8 as "mrrBefore"
      from ${rollups} where ${isOwn('day')} or ${isOwn('quarter')} and (${whereOwnDay(begin)} or ${whereOwnDay(end)})
      group by currency order by mrr desc, currency`),
    countByStatus({ resource: resources.subscriptions, sellerId: seller }, pool),
  ])
  const sum = (member: 'active' | 'before' | 'current' | 'created' | 'churned') => rows.reduce((total, row) => total + row[member], 0)
  return {
    isCurrent,
    active: sum('active'),
    before: sum('before'),
    current: sum('current'),
    created: sum('created'),
    churned: sum('churned'),
    mrr: rows
      .filter(({ mrr, mrrBefore }) => mrr > 0 || mrrBefore > 0)
      .map(({ currency, mrr, mrrBefore }) => ({ currency: currency || undefined, mrr: Math.round(mrr), before: Math.round(mrrBefore) })),
    pastDue: counts.past_due ?? 0,
  }
}

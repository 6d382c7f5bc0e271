/** Defines the benchmarks for the overview, check-in counts, date filters and index size. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import postgres from 'postgres'
import { countTurnout } from '@/lib/admission/turnout'
import { loadTodayCheckIns } from '@/lib/reports/check-ins'
import { readCouponSales } from '@/lib/reports/coupon-sales'
import { type DateRange, loadDateRange } from '@/lib/reports/date-range'
import { countFailureReasons } from '@/lib/reports/failure-reasons'
import { loadSales } from '@/lib/reports/sales'
import { loadSubscriptions } from '@/lib/reports/subscriptions'
import { sellerId } from './data'
import { toEventId } from './doors'
import {
  type Benchmark,
  type Figure,
  formatNumber,
  formatTimes,
  loadBoth,
  measureCountTimes,
  relativeToCount,
  sequentialFigure,
} from './figure'
import { median, timeRequest } from './load'
import { NEWEST, toCouponCode, toCouponId } from './payment-text'

const DAY_MS = 86_400_000

/** Times `count` runs of `work` after a warm-up run. @returns the time of each run in milliseconds */
async function repeat(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round <= count; round += 1) {
    const start = performance.now()
    await work()
    if (round > 0) times.push(performance.now() - start)
  }
  return times
}

/** Shifts a date range so that it ends on the day of the newest record instead of today. */
function endingWithRecords(range: DateRange): DateRange {
  const offsetMs = Math.floor((Date.parse(String(range.starts.at(-1))) - NEWEST) / DAY_MS) * DAY_MS
  const shift = (text: string) => new Date(Date.parse(text) - offsetMs).toISOString()
  return { ...range, starts: range.starts.map(shift) }
}

/** The lengths of the periods in days. */
const SPANS = [30, 90, 365] as const
/** The goal for each period in milliseconds. */
const GOALS: Record<(typeof SPANS)[number], number> = { 30: 60, 90: 80, 365: 120 }

export const overviewBenchmark: Benchmark = {
  id: 'overview',
  measure: async (context) => {
    const counts = await measureCountTimes(context.smallUrl)
    const seller = sellerId(0)
    return context.withDatabase(context.smallUrl, async () => {
      const figures: Figure[] = []
      const delay = monitorEventLoopDelay({ resolution: 1 })
      const read = async (span: (typeof SPANS)[number]) => {
        // Use a time zone whose days do not start at midnight UTC.
        const range = endingWithRecords(await loadDateRange('Europe/Amsterdam', span))
        delay.enable()
        await Promise.all([
          loadSales(seller, range),
          loadSubscriptions(seller, range),
          loadTodayCheckIns(seller, 'Europe/Amsterdam', range),
          countFailureReasons(seller, range),
        ])
        delay.disable()
      }
      // As in the other benchmarks, discard the first run, which opens connections and compiles code.
      await read(SPANS[0])
      delay.reset()
      for (const span of SPANS) {
        const times = await repeat(15, () => read(span))
        figures.push({
          ...sequentialFigure(`overview of ${span} days`, GOALS[span], times),
          reference: `count(*) ${formatNumber(median(counts))} ms`,
          referenceRounds: counts,
        })
      }
      const longest = delay.max / 1e6
      const year = endingWithRecords(await loadDateRange('Europe/Amsterdam', 365))
      const queries: [name: string, work: () => Promise<unknown>][] = [
        ['failure reasons over 365 days', () => countFailureReasons(seller, year)],
        ['sales with a coupon that one in eight orders used', () => readCouponSales(seller, { id: toCouponId(0), code: toCouponCode(0) })],
      ]
      for (const [name, work] of queries) figures.push({ ...sequentialFigure(name, 200, await repeat(15, work)), referenceRounds: counts })
      return [
        ...figures,
        { name: 'overview: longest event-loop block', goal: { atMost: 20 }, value: longest, unit: 'ms', rounds: [longest] },
      ]
    })
  },
}

export const doorCountsBenchmark: Benchmark = {
  id: 'door-counts',
  measure: (context) =>
    context.withDatabase(context.doorsUrl, async () => {
      const sql = postgres(context.doorsUrl, { max: 1 })
      const counted = await repeat(5, () => sql`select count(*) from tickets where seller_id = ${sellerId(0)} and status = 'PAID'`)
      await sql.end()
      const reference = `count(*) ${formatNumber(median(counted))} ms`
      return [
        {
          ...sequentialFigure('check-in counts, all events', 5, await repeat(40, () => countTurnout(sellerId(0), undefined))),
          reference,
        },
        {
          ...sequentialFigure('check-in counts, one event', 5, await repeat(40, () => countTurnout(sellerId(0), toEventId(1)))),
          reference,
        },
      ]
    }),
}

export const datesBenchmark: Benchmark = {
  id: 'dates',
  async measure(context) {
    const { small, smallUrl, smallHeaders, invalidateSmallTotals, records } = context
    const iso = (part: number) => new Date(NEWEST - (records / 4) * 252_000 * part).toISOString()
    const plain = { url: `${small.url}/v1/payments?limit=20`, headers: smallHeaders }
    const between = (from: number, until: number) => ({ ...plain, url: `${plain.url}&created[gte]=${iso(from)}&created[lt]=${iso(until)}` })
    const counts = await measureCountTimes(smallUrl)
    const first: number[] = []
    // Discard the first request: like the first `count(*)`, it reads the index from disk. With ten million records, it can time out.
    await timeRequest(between(0.9, 0.2)).catch(() => {})
    for (let round = 0; round < 10; round += 1) {
      await invalidateSmallTotals()
      first.push((await timeRequest(between(0.9 - round / 100, 0.2 + round / 100))).totalMs)
    }
    const [ours, reference] = await loadBoth(context, between(0.75, 0.25), plain)
    const rounds = ours.map((one, round) => one.median / (reference[round]?.median ?? Number.NaN))
    return [
      relativeToCount(sequentialFigure('date filter, first total', 0.6, first), counts),
      {
        name: 'date filter relative to the unfiltered list',
        goal: { atMost: 1.5 },
        value: median(rounds),
        unit: '× the time',
        rounds,
        ours: formatTimes(ours),
        reference: formatTimes(reference),
        referenceRounds: reference.map((one) => one.median),
      },
    ]
  },
}

/**
 * Measures the size of everything stored in addition to the records: indexes and the derived tables for searches, counts and sums. The
 * request log is excluded because its size does not depend on the number of records.
 */
export const indexesBenchmark: Benchmark = {
  id: 'indexes',
  async measure({ smallUrl }) {
    const sql = postgres(smallUrl, { max: 1 })
    const [size] = await sql<{ records: number; all: number }[]>`
      select pg_table_size('payments')::float8 as records, sum(pg_total_relation_size(oid))::float8 as all
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'request_log'`
    await sql.end()
    const value = ((size?.all ?? 0) - (size?.records ?? 0)) / (size?.records ?? 0)
    return [
      {
        name: 'indexes and derived tables relative to the records',
        goal: { atMost: 0.3 },
        value,
        unit: 'bytes per byte',
        rounds: [value],
        reference: `${formatNumber((size?.records ?? 0) / 2 ** 20)} MiB`,
      },
    ]
  },
}

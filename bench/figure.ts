/** Defines the types of benchmarks and figures, with helpers for measuring them. */
import postgres from 'postgres'
import { percentile } from '@/testing/percentile'
import type { Context } from './context'
import { sellerId } from './data'
import { load, median, type Sample, type Target, timeRequest } from './load'
import { toPageId } from './payment-text'

export type Figure = {
  name: string
  /** Absent for figures that are only reported. */
  goal?: { atLeast: number } | { atMost: number }
  /** Usually the median of the rounds. */
  value: number
  unit:
    | 'of the reference'
    | '× the time'
    | 'ms'
    | '× the memory'
    | 'bytes per byte'
    | 'MB'
    | 'per second'
    | 'KiB'
    | 'rows'
    | 'of the screen'
    | 'violations'
  /** The values that the figure is computed from: one per round or, for sequential requests, one per request. */
  rounds: number[]
  /** The product's and the reference's measurements, formatted for display. */
  ours?: string
  reference?: string
  /** The reference's measurements, one per round. Their spread shows how noisy the machine was. */
  referenceRounds?: number[]
}

export type Benchmark = {
  id: string
  /** Set if the benchmark takes minutes; `--quick` skips it. */
  slow?: true
} & (
  | { isIndependent?: never; measure(context: Context): Promise<Figure[]> }
  /** A benchmark that starts its own servers. */
  | { isIndependent: true; measure(): Promise<Figure[]> }
)

/** Formats a number with at most two decimal places, or as an integer if it is 100 or more. */
export const formatNumber = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 100) / 100)
/** Formats response times as the median of the medians and the median of the 99th percentiles. */
export const formatTimes = (samples: Sample[]) =>
  `${formatNumber(median(samples.map((one) => one.median)))} ms, p99 ${formatNumber(median(samples.map((one) => one.p99)))}`

export const CONNECTIONS = 16

/** Runs two measurements in alternation, so that background load affects both equally. @returns the results of each, by round */
export async function alternate<T>({ rounds }: Context, a: () => Promise<T>, b: () => Promise<T>): Promise<[T[], T[]]> {
  const sides: [T[], T[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    sides[0].push(await a())
    sides[1].push(await b())
  }
  return sides
}

/** Measures two requests under load in alternation. @returns the results of each, by round */
export const loadBoth = async (context: Context, a: Target, b: Target, options = {}) => {
  const run = (target: Target) => () => load(target, { connections: CONNECTIONS, seconds: context.seconds, ...options })
  // Warm up caches, plans, connections and compiled code. The first request is sent on its own because it may count the total.
  for (const target of [a, b]) {
    await timeRequest(target)
    await load(target, { connections: CONNECTIONS, requests: 3_000 })
  }
  return alternate(context, run(a), run(b))
}

export const listRequest = ({ large, largeHeaders }: Context, query: string): Target => ({
  url: `${large.url}/v1/payments?${query}`,
  headers: largeHeaders,
})

export const PAGE = toPageId(3)

/** Returns the figure for a rate relative to the reference. @param min the goal @param ours the product's rate per second, by round */
export function rateFigure(name: string, min: number, ours: number[], reference: number[]): Figure {
  const rounds = ours.map((one, round) => one / (reference[round] ?? Number.NaN))
  return {
    name,
    goal: { atLeast: min },
    value: median(rounds),
    unit: 'of the reference',
    rounds,
    ours: `${formatNumber(median(ours))}/s`,
    reference: `${formatNumber(median(reference))}/s`,
    referenceRounds: reference,
  }
}

/**
 * Returns the figure for the times of sequential requests or function calls, in milliseconds.
 *
 * @param statistic whether the goal applies to the median or the longest time
 */
export const sequentialFigure = (name: string, max: number, times: number[], statistic: 'median' | 'longest' = 'median'): Figure => ({
  name,
  goal: { atMost: max },
  value: statistic === 'median' ? median(times) : Math.max(...times),
  unit: 'ms',
  rounds: times,
  ours: `${formatNumber(median(times))} ms, p99 ${formatNumber(percentile(times, 0.99))}, max ${formatNumber(Math.max(...times))}`,
})

/** Sends requests one at a time. @returns the response time of each in milliseconds */
export async function measureTimes(targets: Target[]): Promise<number[]> {
  const times: number[] = []
  for (const target of targets) times.push((await timeRequest(target)).totalMs)
  return times
}

/** Times `count(*)` over the seller's payments, the reference for requests that must read all of them. @returns milliseconds per run */
export async function measureCountTimes(url: string, runs = 7): Promise<number[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const times: number[] = []
  try {
    for (let run = 0; run <= runs; run += 1) {
      const start = performance.now()
      await sql`select count(*) from payments where seller_id = ${sellerId(0)}`
      times.push(performance.now() - start)
    }
  } finally {
    await sql.end()
  }
  // Discard the first run, which may read pages from disk.
  return times.slice(1)
}

/**
 * Divides a figure's times by the median time of a `count(*)`. The figure's goal must already be such a multiple.
 *
 * @param counts the times of `count(*)` in milliseconds
 */
export function relativeToCount(figure: Figure, counts: number[]): Figure {
  const count = median(counts)
  return {
    ...figure,
    value: figure.value / count,
    rounds: figure.rounds.map((one) => one / count),
    unit: 'of the reference',
    reference: `count(*) ${formatNumber(count)} ms`,
    referenceRounds: counts,
  }
}

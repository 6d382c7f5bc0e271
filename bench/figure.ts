/** Defines benchmarks and the figures that they measure, and helps to measure them. */
import postgres from 'postgres'
import { percentile } from '@/testing/percentile'
import type { Context } from './context'
import { sellerId } from './data'
import { load, median, type Sample, type Target, time } from './load'
import { toPageId } from './payment-text'

export type Figure = {
  name: string
  /** Undefined if the figure is only reported. */
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
  /** The value in each round. */
  rounds: number[]
  /** The measurements of the product and of the reference, formatted for display. */
  ours?: string
  reference?: string
  /** The reference's measurement in each round. The spread shows how much other load the machine had. */
  steadiness?: number[]
}

export type Benchmark = {
  id: string
  /** Set if the benchmark takes minutes. `--quick` skips it. */
  slow?: true
} & (
  | { isIndependent?: never; measure(context: Context): Promise<Figure[]> }
  /** A benchmark that starts the measured processes itself. */
  | { isIndependent: true; measure(): Promise<Figure[]> }
)

/** Formats a number with at most two decimals, or as an integer if it is 100 or more. */
export const short = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 100) / 100))
/** Formats response times: the median of the medians, and the median of the 99th percentiles. */
export const milliseconds = (samples: Sample[]) =>
  `${short(median(samples.map((one) => one.median)))} ms, p99 ${short(median(samples.map((one) => one.p99)))}`

export const CONNECTIONS = 16

/** Measures both sides alternately, so that other load on the machine affects both. @returns the measurements of each side, by round */
export async function alternate<T>({ rounds }: Context, a: () => Promise<T>, b: () => Promise<T>): Promise<[T[], T[]]> {
  const sides: [T[], T[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    sides[0].push(await a())
    sides[1].push(await b())
  }
  return sides
}

/** Measures two requests under load, alternately. @returns the measurements of each, by round */
export const loadBoth = async (context: Context, a: Target, b: Target, options = {}) => {
  const run = (target: Target) => () => load(target, { connections: CONNECTIONS, seconds: context.seconds, ...options })
  // Warms up caches, plans, connections and compiled code on both sides. The first request is sent alone, because it may count the total.
  for (const target of [a, b]) {
    await time(target)
    await load(target, { connections: CONNECTIONS, requests: 3_000 })
  }
  return alternate(context, run(a), run(b))
}

export const payments = ({ large, many }: Context, query: string): Target => ({ url: `${large.url}/v1/payments?${query}`, headers: many })

export const PAGE = toPageId(3)

/** Returns the figure for a rate relative to the reference's. @param min the goal @param ours the product's rate per second, by round */
export function rateFigure(name: string, min: number, ours: number[], reference: number[]): Figure {
  const rounds = ours.map((one, round) => one / (reference[round] ?? Number.NaN))
  return {
    name,
    goal: { atLeast: min },
    value: median(rounds),
    unit: 'of the reference',
    rounds,
    ours: `${short(median(ours))}/s`,
    reference: `${short(median(reference))}/s`,
    steadiness: reference,
  }
}

/**
 * Returns the figure for the times of sequential requests, in milliseconds.
 *
 * @param of whether the median or the longest time must meet the goal
 */
export const sequentialFigure = (name: string, max: number, times: number[], of: 'median' | 'longest' = 'median'): Figure => ({
  name,
  goal: { atMost: max },
  value: of === 'median' ? median(times) : Math.max(...times),
  unit: 'ms',
  rounds: times,
  ours: `${short(median(times))} ms, p99 ${short(percentile(times, 0.99))}, max ${short(Math.max(...times))}`,
})

/** Sends requests one at a time. @returns the time of each, in milliseconds */
export async function measureTimes(targets: Target[]): Promise<number[]> {
  const times: number[] = []
  for (const target of targets) times.push((await time(target)).whole)
  return times
}

/** Returns the times of a `count(*)` of the seller's payments, in milliseconds: the reference for requests that must read all of them. */
export async function countTimes(url: string, runs = 7): Promise<number[]> {
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
  // The first count reads pages from the disk.
  return times.slice(1)
}

/** Converts a figure in milliseconds to a fraction of the time of a `count(*)`. @param counts the times of `count(*)` in milliseconds */
export function againstCount(figure: Figure, counts: number[]): Figure {
  const count = median(counts)
  return {
    ...figure,
    value: figure.value / count,
    rounds: figure.rounds.map((one) => one / count),
    unit: 'of the reference',
    reference: `count(*) ${short(count)} ms`,
    steadiness: counts,
  }
}

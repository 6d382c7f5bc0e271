/** The benchmark's rows: what each one measures, its reference and its goal. */
import { readFile } from 'node:fs/promises'
import { launch } from '@/e2e/support/processes'
import type { Context } from './context'
import { codeOf, DOORS } from './doors'
import { load, median, quantile, type Sample, type Target, time } from './load'
import { pageIdOf, paymentId } from './payment-text'
import { stop } from './programs'

export type Figure = {
  name: string
  goal: { atLeast: number } | { atMost: number }
  /** The median of the rounds. */
  value: number
  unit: 'of the reference' | '× the time' | 'ms' | '× the memory'
  rounds: number[]
  /** The measured values of both sides, for display. */
  ours?: string
  reference?: string
  /** The reference's rounds. Their spread shows how much other load the machine had. */
  steadiness?: number[]
}

export type Row = { id: string; measure(context: Context): Promise<Figure[]> }

/** Formats a number with two decimals, or as an integer if it is 100 or more. */
const short = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 100) / 100))
const perSecond = (samples: Sample[]) => `${short(median(samples.map((one) => one.perSecond)))}/s`
const milliseconds = (samples: Sample[]) =>
  `${short(median(samples.map((one) => one.median)))} ms, p99 ${short(median(samples.map((one) => one.p99)))}`

const CONNECTIONS = 16

/** Alternates the sides, so that a disturbance affects both. */
async function alternate<T>({ rounds }: Context, a: () => Promise<T>, b: () => Promise<T>): Promise<[T[], T[]]> {
  const sides: [T[], T[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    sides[0].push(await a())
    sides[1].push(await b())
  }
  return sides
}

const loaded = async (context: Context, a: Target, b: Target, options = {}) => {
  const run = (target: Target) => () => load(target, { connections: CONNECTIONS, seconds: context.seconds, ...options })
  // Warm up plans, connections and compiled code on both sides.
  await load(a, { connections: CONNECTIONS, requests: 500 })
  await load(b, { connections: CONNECTIONS, requests: 500 })
  return alternate(context, run(a), run(b))
}

const payments = ({ large, many }: Context, query: string): Target => ({ url: `${large.url}/v1/payments?${query}`, headers: many })

const PAGE = pageIdOf(3)

/** Requests per second relative to plain Node.js with the same stored text and no total. */
const listRow = (id: string, name: string, query: string): Row => ({
  id,
  async measure(context) {
    const bare = { url: `${context.reference.url}/payments?${query}` }
    const [ours, reference] = await loaded(context, payments(context, query), bare)
    const rounds = ours.map((one, round) => one.perSecond / (reference[round]?.perSecond ?? Number.NaN))
    const steadiness = reference.map((one) => one.perSecond)
    return [
      {
        name,
        goal: { atLeast: 0.8 },
        value: median(rounds),
        unit: 'of the reference',
        rounds,
        ours: perSecond(ours),
        reference: perSecond(reference),
        steadiness,
      },
    ]
  },
})

/** Response time under load, relative to another request. */
async function compareTimes(context: Context, name: string, most: number, a: Target, b: Target, withTail: boolean): Promise<Figure[]> {
  const [ours, reference] = await loaded(context, a, b)
  const figure = (of: 'median' | 'p99'): Figure => {
    const rounds = ours.map((one, round) => one[of] / (reference[round]?.[of] ?? Number.NaN))
    return {
      name: withTail ? `${name}: ${of}` : name,
      goal: { atMost: most },
      value: median(rounds),
      unit: '× the time',
      rounds,
      ours: milliseconds(ours),
      reference: milliseconds(reference),
      steadiness: reference.map((one) => one[of]),
    }
  }
  return withTail ? [figure('median'), figure('p99')] : [figure('median')]
}

const timeRow = (id: string, name: string, most: number, sides: (context: Context) => [Target, Target], withTail = false): Row => ({
  id,
  measure: (context) => {
    const [a, b] = sides(context)
    return compareTimes(context, name, most, a, b, withTail)
  },
})

/** A row for sequential requests. */
const sequentialFigure = (name: string, most: number, times: number[], of: 'median' | 'most' = 'median'): Figure => ({
  name,
  goal: { atMost: most },
  value: of === 'median' ? median(times) : Math.max(...times),
  unit: 'ms',
  rounds: times,
  ours: `${short(median(times))} ms, p99 ${short(quantile(times, 0.99))}, max ${short(Math.max(...times))}`,
})

async function timesOf(targets: Target[]): Promise<number[]> {
  const times: number[] = []
  for (const target of targets) times.push((await time(target)).whole)
  return times
}

/** Returns every substring of a text that is in all records. */
function commonTerms(lengths: number[]): string[] {
  const text = '@example.'
  return lengths.flatMap((length) => Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length)))
}

type Shop = { url: string; headers: Record<string, string>; touch(): Promise<void>; records: number }

const search = ({ url, headers }: Shop, term: string, filter: string): Target => ({
  url: `${url}/v1/payments?search=${encodeURIComponent(term)}${filter}`,
  headers,
})

const smallShop = ({ small, manyOfSmall, touchSmall, records }: Context): Shop => ({
  url: small.url,
  headers: manyOfSmall,
  touch: touchSmall,
  records,
})
const largeShop = ({ large, many, touchLarge, records }: Context): Shop => ({ url: large.url, headers: many, touch: touchLarge, records })

const lastIdOf = (body: string) => (JSON.parse(body) as { data: { id: string }[] }).data.at(-1)?.id

/** Measures pages of a search whose total is cached: the first page again, and the next ones. */
async function pagesOf(shop: Shop, term: string, filter: string): Promise<{ first: number[]; next: number[] }> {
  await time(search(shop, term, filter))
  const pages = { first: [] as number[], next: [] as number[] }
  for (let turn = 0; turn < 20; turn += 1) {
    const { whole, body } = await time(search(shop, term, filter))
    pages.first.push(whole)
    let cursor = lastIdOf(body)
    for (let page = 0; page < 3 && cursor; page += 1) {
      const next = await time(search(shop, term, `${filter}&starting_after=${cursor}`))
      pages.next.push(next.whole)
      cursor = lastIdOf(next.body)
    }
  }
  return pages
}

/** Measures searches whose total is not cached, because a write precedes each. */
async function firstTotals(shop: Shop, terms: string[], filter: string): Promise<number[]> {
  const times: number[] = []
  for (const term of terms) {
    await shop.touch()
    times.push((await time(search(shop, term, filter))).whole)
  }
  return times
}

/** Order numbers that each match one record. */
const rareTerms = ({ records }: Shop) => Array.from({ length: 40 }, (_, at) => `or-1${String((at * 24_571) % records).padStart(6, '0')}`)

/** All sellers share one trigram index, so a rare term gets slower as the table grows. */
const searchLargeRow: Row = {
  id: 'search-large',
  async measure(context) {
    const shop = largeShop(context)
    return [
      sequentialFigure('search in a table five times as large, rare term, first total', 150, await firstTotals(shop, rareTerms(shop), '')),
    ]
  },
}

const searchRow = (id: string, suffix: string, filter: string, factor: number): Row => ({
  id,
  async measure(context) {
    const name = `search${suffix}`
    const shop = smallShop(context)
    const orders = rareTerms(shop)
    const rare = await firstTotals(shop, orders, filter)
    const broad = await pagesOf(shop, 'example', filter)
    const letters = await pagesOf(shop, 'e', filter)
    const pairs = await pagesOf(shop, 'ex', filter)
    const totals = await firstTotals(shop, commonTerms([1, 2, 7]).slice(0, 15), filter)
    const worst = await firstTotals(
      shop,
      ['zq', 'qj', '7q', '@q', 'ada', 'riv', 'ada.rivera', '000111', '.org', 'example.org', 'comexa', '-12', '99@', 'or-1999', 'zzz'],
      filter,
    )
    return [
      sequentialFigure(`${name}, rare term, first total`, 25 * factor, rare),
      sequentialFigure(`${name}, common term: page`, 5 * factor, broad.first),
      sequentialFigure(`${name}, one letter: page`, 5 * factor, letters.first),
      sequentialFigure(`${name}, two letters: page`, 5 * factor, pairs.first),
      sequentialFigure(`${name}, common term, one and two letters: first total`, 350 * factor, totals),
      sequentialFigure(`${name}, common term, one and two letters: next pages`, 10 * factor, [
        ...broad.next,
        ...letters.next,
        ...pairs.next,
      ]),
      sequentialFigure(`${name}, worst-case terms: slowest`, 500 * factor, worst, 'most'),
    ]
  },
})

let ticket = 0

const doorsRow: Row = {
  id: 'doors',
  async measure(context) {
    const { doors, door, doorsUrl, seconds } = context
    // Even tickets are admitted over HTTP, odd ones by the reference.
    const nextPath = () => {
      ticket += 2
      return `/v1/tickets/validate/${codeOf(ticket)}`
    }
    const http = async () =>
      (await load({ url: doors.url, headers: door, method: 'POST' }, { connections: DOORS, seconds, nextPath, expects: '"success":true' }))
        .perSecond
    let odd = 1
    const bare = async () => {
      const program = launch(['--import', 'tsx', 'bench/doors.ts', 'bare', doorsUrl, String(odd), String(seconds)])
      const [, admitted] = await program.said(/admitted (\d+)/)
      await program.ended
      odd += 2 * (Number(admitted) + DOORS + 1)
      return Number(admitted) / seconds
    }
    await http()
    const [ours, reference] = await alternate(context, http, bare)
    const rounds = ours.map((one, round) => one / (reference[round] ?? Number.NaN))
    return [
      {
        name: `admissions per second, ${DOORS} doors`,
        goal: { atLeast: 0.6 },
        value: median(rounds),
        unit: 'of the reference',
        rounds,
        ours: `${short(median(ours))}/s`,
        reference: `${short(median(reference))}/s`,
        steadiness: reference,
      },
    ]
  },
}

const dashboardRow: Row = {
  id: 'dashboard',
  async measure(context) {
    const page = { url: `${context.large.url}/payments`, headers: context.cookie }
    const list = payments(context, 'limit=20')
    for (let turn = 0; turn < 100; turn += 1) await timesOf([page, list])
    const first: number[] = []
    const whole: number[] = []
    const api: number[] = []
    for (let turn = 0; turn < 40; turn += 1) {
      const shown = await time(page)
      first.push(shown.first)
      whole.push(shown.whole)
      api.push((await time(list)).first)
    }
    const most = 1.5 * median(api) + 15
    const reference = `${short(median(api))} ms`
    return [
      { ...sequentialFigure('dashboard list page: first byte', most, first), reference },
      { ...sequentialFigure('dashboard list page: last byte', most + 15, whole), reference },
    ]
  },
}

/** Reads the resident memory of a process in MiB, on Linux. */
async function residentMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

const memoryRow: Row = {
  id: 'memory',
  async measure(context) {
    const server = await context.freshServer()
    const target = { url: `${server.url}/v1/payments?limit=20`, headers: context.many }
    const spend = async (requests: number) => {
      await load(target, { connections: CONNECTIONS, requests })
      return residentMemory(server.child.pid)
    }
    const early = await spend(1_000)
    const late = await spend(99_000)
    await stop(server)
    return [
      {
        name: 'memory after 100,000 requests relative to after 1,000',
        goal: { atMost: 1.2 },
        value: late / early,
        unit: '× the memory',
        rounds: [late / early],
        ours: `${short(late)} MiB`,
        reference: `${short(early)} MiB`,
      },
    ]
  },
}

export const rows: Row[] = [
  listRow('list', 'list', 'limit=20'),
  listRow('status', 'status', 'limit=20&status=refunded'),
  listRow('page', 'page', `limit=20&pageId=${PAGE}`),
  listRow('status-page', 'status + page', `limit=20&status=refunded&pageId=${PAGE}`),
  listRow('hundred', 'page of 100', 'limit=100'),
  timeRow('deep', 'page 40,000 relative to page 1', 1.2, (context) => [
    payments(context, `limit=20&starting_after=${paymentId(0, Math.floor(context.records * 0.8) - 1)}`),
    payments(context, 'limit=20'),
  ]),
  timeRow('backward', 'ending_before relative to starting_after', 1.2, (context) => {
    const cursor = paymentId(0, Math.floor(context.records / 2))
    return [payments(context, `limit=20&ending_before=${cursor}`), payments(context, `limit=20&starting_after=${cursor}`)]
  }),
  timeRow(
    'seller',
    'a seller with all records relative to one with 1%',
    1.3,
    (context) => [payments(context, 'limit=20'), { ...payments(context, 'limit=20'), headers: context.few }],
    true,
  ),
  timeRow(
    'table',
    'a table five times as large',
    1.3,
    (context) => [payments(context, 'limit=20'), { url: `${context.small.url}/v1/payments?limit=20`, headers: context.manyOfSmall }],
    true,
  ),
  searchRow('search', '', '', 1),
  searchRow('search-status', ' + status', '&status=refunded', 1.5),
  searchRow('search-page', ' + page', `&pageId=${PAGE}`, 1.5),
  searchRow('search-both', ' + status + page', `&status=refunded&pageId=${PAGE}`, 1.5),
  searchLargeRow,
  doorsRow,
  dashboardRow,
  memoryRow,
]

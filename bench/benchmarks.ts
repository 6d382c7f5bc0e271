/** All benchmarks: what each one measures, its reference and its goal. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { launch } from '@/e2e/support/processes'
import type { Context } from './context'
import { DOORS, toCode } from './doors'
import {
  alternate,
  type Benchmark,
  CONNECTIONS,
  type Figure,
  loadBoth,
  measureTimes,
  milliseconds,
  PAGE,
  payments,
  rateFigure,
  sequentialFigure,
  short,
} from './figure'
import { importBenchmark, importCustomersBenchmark, importEventsBenchmark, importGrowthBenchmark } from './import-benchmarks'
import { load, median, type Sample, type Target, time } from './load'
import { largePagesBenchmark, pagesBenchmark } from './pages'
import { paymentId } from './payment-text'
import { stop } from './programs'
import { datesBenchmark, doorCountsBenchmark, indexesBenchmark, overviewBenchmark } from './report-benchmarks'
import { searchBenchmark, searchLargeBenchmark, searchOrderBenchmark } from './search-benchmarks'

/** Measures the requests per second relative to plain Node.js, which returns the same stored text, but no total. @param min the goal */
const listBenchmark = (id: string, name: string, query: string, min = 0.9): Benchmark => ({
  id,
  async measure(context) {
    const bare = { url: `${context.reference.url}/payments?${query}` }
    const [ours, reference] = await loadBoth(context, payments(context, query), bare)
    const rates = (samples: Sample[]) => samples.map(({ perSecond }) => perSecond)
    return [rateFigure(name, min, rates(ours), rates(reference))]
  },
})

/**
 * Measures the response time of a request under load, relative to that of another request.
 *
 * @param max the goal, as a multiple of the other request's time
 * @param a the measured request
 * @param b the request that it is compared with
 * @param withTail whether to compare the 99th percentiles too
 */
async function compareTimes(context: Context, name: string, max: number, a: Target, b: Target, withTail: boolean): Promise<Figure[]> {
  const [ours, reference] = await loadBoth(context, a, b)
  const figure = (of: 'median' | 'p99'): Figure => {
    const rounds = ours.map((one, round) => one[of] / (reference[round]?.[of] ?? Number.NaN))
    return {
      name: withTail ? `${name}: ${of}` : name,
      goal: { atMost: max },
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

/** Creates a benchmark that runs `compareTimes`. */
const timeBenchmark = (
  id: string,
  name: string,
  max: number,
  sides: (context: Context) => [Target, Target],
  withTail = false,
): Benchmark => ({
  id,
  measure: (context) => {
    const [a, b] = sides(context)
    return compareTimes(context, name, max, a, b, withTail)
  },
})

let lastHttpTicket = 0
let nextReferenceTicket = 1

/** Measures admissions per second over HTTP, relative to the same statements sent by postgres.js. @param name the name of the figure */
async function measureAdmissions(context: Context, name: string): Promise<Figure> {
  const { doors, door, doorsUrl, seconds } = context
  // Tickets with even numbers are admitted over HTTP, those with odd numbers by the reference.
  const nextPath = () => {
    lastHttpTicket += 2
    return `/v1/tickets/validate/${toCode(lastHttpTicket)}`
  }
  const http = async () =>
    (await load({ url: doors.url, headers: door, method: 'POST' }, { connections: DOORS, seconds, nextPath, expects: '"success":true' }))
      .perSecond
  const bare = async () => {
    const program = launch(['--import', 'tsx', 'bench/doors.ts', 'bare', doorsUrl, String(nextReferenceTicket), String(seconds)])
    const [, admitted] = await program.waitForOutput(/admitted (\d+)/)
    await program.ended
    nextReferenceTicket += 2 * (Number(admitted) + DOORS + 1)
    return Number(admitted) / seconds
  }
  await http()
  const admissionContext = { ...context, rounds: context.quick ? context.rounds : 9 }
  const [ours, reference] = await alternate(admissionContext, http, bare)
  return rateFigure(name, 0.75, ours, reference)
}

const doorsBenchmark: Benchmark = {
  id: 'doors',
  measure: async (context) => [await measureAdmissions(context, `admissions per second, ${DOORS} doors`)],
}

/** Measures admissions whose events are sent to a webhook endpoint. Those of the reference are delivered too, so the load is the same. */
const doorsWebhookBenchmark: Benchmark = {
  id: 'doors-webhook',
  slow: true,
  async measure(context) {
    let delivered = 0
    const receiver = createServer((incoming, outgoing) => {
      delivered += 1
      incoming.resume().on('end', () => outgoing.end('ok'))
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const { port } = receiver.address() as AddressInfo
    const endpoints = `${context.doors.url}/v1/webhook_endpoints`
    const headers = { ...context.door, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ url: `http://127.0.0.1:${port}/`, events: ['*'] })
    const created = await fetch(endpoints, { method: 'POST', headers, body })
    if (!created.ok) throw new Error(`The endpoint was not created: ${await created.text()}`)
    const { data } = (await created.json()) as { data: { id: string } }
    const remove = async () => {
      // If the endpoint remained, its failing deliveries would slow down the other benchmarks.
      const deleted = await fetch(`${endpoints}/${data.id}`, { method: 'DELETE', headers: context.door })
      if (!deleted.ok) throw new Error(`The endpoint was not deleted: ${await deleted.text()}`)
    }
    try {
      const figure = await measureAdmissions(context, `admissions per second, ${DOORS} doors, with a webhook endpoint`)
      if (delivered === 0) throw new Error('The endpoint received nothing.')
      return [{ ...figure, ours: `${figure.ours}, ${short(delivered)} delivered` }]
    } finally {
      await remove()
      receiver.closeAllConnections()
      receiver.close()
    }
  },
}

const dashboardBenchmark: Benchmark = {
  id: 'dashboard',
  async measure(context) {
    const page = { url: `${context.large.url}/payments`, headers: context.cookie }
    const list = payments(context, 'limit=20')
    for (let round = 0; round < 100; round += 1) await measureTimes([page, list])
    const first: number[] = []
    const whole: number[] = []
    const api: number[] = []
    for (let round = 0; round < 40; round += 1) {
      const timed = await time(page)
      first.push(timed.first)
      whole.push(timed.whole)
      api.push((await time(list)).whole)
    }
    const max = 1.5 * median(api) + 15
    const reference = `list ${short(median(api))} ms`
    const browsers = await load(page, { connections: CONNECTIONS, seconds: context.seconds })
    return [
      { ...sequentialFigure('dashboard list page: first byte', max, first), reference },
      { ...sequentialFigure('dashboard list page: last byte', median(api) + 12, whole), reference },
      {
        name: `dashboard list page: throughput with ${CONNECTIONS} browsers`,
        value: browsers.perSecond,
        unit: 'per second',
        rounds: [browsers.perSecond],
        ours: milliseconds([browsers]),
      },
    ]
  },
}

/** Returns the resident memory of a process in MiB. Works only on Linux. */
async function residentMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

const memoryBenchmark: Benchmark = {
  id: 'memory',
  slow: true,
  async measure(context) {
    const server = await context.freshServer()
    const target = { url: `${server.url}/v1/payments?limit=20`, headers: context.many }
    const measureAfter = async (requests: number) => {
      await load(target, { connections: CONNECTIONS, requests })
      return residentMemory(server.child.pid)
    }
    const early = await measureAfter(1_000)
    const late = await measureAfter(99_000)
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

/** The IDs of the benchmarks whose results could depend on how many records a seller has, except imports and comparisons of tables. */
export const SINGLE_TABLE_BENCHMARKS = [
  ...['list', 'status', 'page', 'status-page', 'hundred', 'deep', 'backward', 'seller'],
  ...[
    'search',
    'search-status',
    'search-page',
    'search-both',
    'dates',
    'overview',
    'doors',
    'door-counts',
    'dashboard',
    'pages-large',
    'indexes',
  ],
]

export const benchmarks: Benchmark[] = [
  listBenchmark('list', 'list', 'limit=20'),
  listBenchmark('status', 'status', 'limit=20&status=refunded'),
  listBenchmark('page', 'page', `limit=20&pageId=${PAGE}`),
  listBenchmark('status-page', 'status + page', `limit=20&status=refunded&pageId=${PAGE}`),
  listBenchmark('hundred', 'page of 100', 'limit=100', 1.5),
  timeBenchmark('deep', 'page 40,000 relative to page 1', 1.1, (context) => [
    payments(context, `limit=20&starting_after=${paymentId(0, Math.floor(context.records * 0.8) - 1)}`),
    payments(context, 'limit=20'),
  ]),
  timeBenchmark('backward', 'ending_before relative to starting_after', 1.2, (context) => {
    const cursor = paymentId(0, Math.floor(context.records / 2))
    return [payments(context, `limit=20&ending_before=${cursor}`), payments(context, `limit=20&starting_after=${cursor}`)]
  }),
  timeBenchmark(
    'seller',
    'a seller with all records relative to one with 1%',
    1.2,
    (context) => [payments(context, 'limit=20'), { ...payments(context, 'limit=20'), headers: context.few }],
    true,
  ),
  timeBenchmark(
    'table',
    'the large table relative to the small one',
    1.3,
    (context) => [payments(context, 'limit=20'), { url: `${context.small.url}/v1/payments?limit=20`, headers: context.manyOfSmall }],
    true,
  ),
  searchBenchmark('search', '', '', 1),
  searchBenchmark('search-status', ' + status', '&status=refunded', 1.5),
  searchBenchmark('search-page', ' + page', `&pageId=${PAGE}`, 1.5),
  searchBenchmark('search-both', ' + status + page', `&status=refunded&pageId=${PAGE}`, 1.5),
  searchLargeBenchmark,
  searchOrderBenchmark,
  datesBenchmark,
  overviewBenchmark,
  doorsBenchmark,
  doorsWebhookBenchmark,
  doorCountsBenchmark,
  dashboardBenchmark,
  largePagesBenchmark,
  indexesBenchmark,
  importBenchmark,
  importEventsBenchmark,
  importCustomersBenchmark,
  importGrowthBenchmark,
  memoryBenchmark,
  pagesBenchmark,
]

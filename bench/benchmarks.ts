/** Defines the benchmarks: what each one measures, its reference and its goal. */
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
  formatNumber,
  formatTimes,
  listRequest,
  loadBoth,
  measureTimes,
  PAGE,
  rateFigure,
  sequentialFigure,
} from './figure'
import { importBenchmark, importCustomersBenchmark, importEventsBenchmark, importGrowthBenchmark } from './import-benchmarks'
import { load, median, type Sample, type Target, timeRequest } from './load'
import { largePagesBenchmark, pagesBenchmark } from './pages'
import { paymentId } from './payment-text'
import { stop } from './programs'
import { datesBenchmark, doorCountsBenchmark, indexesBenchmark, overviewBenchmark } from './report-benchmarks'
import { searchBenchmark, searchLargeBenchmark, searchOrderBenchmark } from './search-benchmarks'

/** Creates a throughput benchmark of a list request, relative to the bare reference server. @param min the goal */
const listBenchmark = (id: string, name: string, query: string, min = 0.9): Benchmark => ({
  id,
  async measure(context) {
    const bareRequest = { url: `${context.reference.url}/payments?${query}` }
    const [ours, reference] = await loadBoth(context, listRequest(context, query), bareRequest)
    const rates = (samples: Sample[]) => samples.map(({ perSecond }) => perSecond)
    return [rateFigure(name, min, rates(ours), rates(reference))]
  },
})

/**
 * Measures the response time of one request under load relative to that of another.
 *
 * @param max the goal, as a multiple of the response time of `b`
 * @param a the request to measure
 * @param b the request to compare it with
 * @param withTail whether to also compare the 99th percentiles
 */
async function compareTimes(context: Context, name: string, max: number, a: Target, b: Target, withTail: boolean): Promise<Figure[]> {
  const [ours, reference] = await loadBoth(context, a, b)
  const figure = (statistic: 'median' | 'p99'): Figure => {
    const rounds = ours.map((one, round) => one[statistic] / (reference[round]?.[statistic] ?? Number.NaN))
    return {
      name: withTail ? `${name}: ${statistic}` : name,
      goal: { atMost: max },
      value: median(rounds),
      unit: '× the time',
      rounds,
      ours: formatTimes(ours),
      reference: formatTimes(reference),
      referenceRounds: reference.map((one) => one[statistic]),
    }
  }
  return withTail ? [figure('median'), figure('p99')] : [figure('median')]
}

/** Creates a benchmark that compares response times (see `compareTimes`). */
const timeBenchmark = (
  id: string,
  name: string,
  max: number,
  requests: (context: Context) => [Target, Target],
  withTail = false,
): Benchmark => ({
  id,
  measure: (context) => {
    const [a, b] = requests(context)
    return compareTimes(context, name, max, a, b, withTail)
  },
})

let lastHttpTicket = 0
let nextReferenceTicket = 1

/** Measures admissions per second over HTTP, relative to postgres.js sending the same statements. @param name the figure's name */
async function measureAdmissions(context: Context, name: string): Promise<Figure> {
  const { doors, doorHeaders, doorsUrl, seconds } = context
  // HTTP requests admit the even-numbered tickets; the reference admits the odd-numbered ones.
  const nextPath = () => {
    lastHttpTicket += 2
    return `/v1/tickets/validate/${toCode(lastHttpTicket)}`
  }
  const admitOverHttp = async () =>
    (
      await load(
        { url: doors.url, headers: doorHeaders, method: 'POST' },
        { connections: DOORS, seconds, nextPath, expects: '"success":true' },
      )
    ).perSecond
  const admitWithReference = async () => {
    const program = launch(['--import', 'tsx', 'bench/doors.ts', 'bare', doorsUrl, String(nextReferenceTicket), String(seconds)])
    const [, admitted] = await program.waitForOutput(/admitted (\d+)/)
    await program.ended
    nextReferenceTicket += 2 * (Number(admitted) + DOORS + 1)
    return Number(admitted) / seconds
  }
  await admitOverHttp()
  const admissionContext = { ...context, rounds: context.quick ? context.rounds : 9 }
  const [ours, reference] = await alternate(admissionContext, admitOverHttp, admitWithReference)
  return rateFigure(name, 0.75, ours, reference)
}

const doorsBenchmark: Benchmark = {
  id: 'doors',
  measure: async (context) => [await measureAdmissions(context, `admissions per second, ${DOORS} doors`)],
}

/** Measures admissions with a webhook endpoint. The events of the reference's admissions are delivered too, so the load is the same. */
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
    const headers = { ...context.doorHeaders, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ url: `http://127.0.0.1:${port}/`, events: ['*'] })
    const created = await fetch(endpoints, { method: 'POST', headers, body })
    if (!created.ok) throw new Error(`The endpoint was not created: ${await created.text()}`)
    const { data } = (await created.json()) as { data: { id: string } }
    const deleteEndpoint = async () => {
      // Failing deliveries to a stopped receiver would slow down the other benchmarks.
      const deleted = await fetch(`${endpoints}/${data.id}`, { method: 'DELETE', headers: context.doorHeaders })
      if (!deleted.ok) throw new Error(`The endpoint was not deleted: ${await deleted.text()}`)
    }
    try {
      const figure = await measureAdmissions(context, `admissions per second, ${DOORS} doors, with a webhook endpoint`)
      if (delivered === 0) throw new Error('The endpoint received nothing.')
      return [{ ...figure, ours: `${figure.ours}, ${formatNumber(delivered)} delivered` }]
    } finally {
      await deleteEndpoint()
      receiver.closeAllConnections()
      receiver.close()
    }
  },
}

const dashboardBenchmark: Benchmark = {
  id: 'dashboard',
  async measure(context) {
    const page = { url: `${context.large.url}/payments`, headers: context.cookie }
    const list = listRequest(context, 'limit=20')
    for (let round = 0; round < 100; round += 1) await measureTimes([page, list])
    const firstByteTimes: number[] = []
    const pageTimes: number[] = []
    const listTimes: number[] = []
    for (let round = 0; round < 40; round += 1) {
      const timed = await timeRequest(page)
      firstByteTimes.push(timed.firstByteMs)
      pageTimes.push(timed.totalMs)
      listTimes.push((await timeRequest(list)).totalMs)
    }
    const max = 1.5 * median(listTimes) + 15
    const reference = `list ${formatNumber(median(listTimes))} ms`
    const browsers = await load(page, { connections: CONNECTIONS, seconds: context.seconds })
    return [
      { ...sequentialFigure('dashboard list page: first byte', max, firstByteTimes), reference },
      { ...sequentialFigure('dashboard list page: last byte', median(listTimes) + 12, pageTimes), reference },
      {
        name: `dashboard list page: throughput with ${CONNECTIONS} browsers`,
        value: browsers.perSecond,
        unit: 'per second',
        rounds: [browsers.perSecond],
        ours: formatTimes([browsers]),
      },
    ]
  },
}

/** Returns a process's resident set size in MiB. Linux only. */
async function readResidentMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

const memoryBenchmark: Benchmark = {
  id: 'memory',
  slow: true,
  async measure(context) {
    const server = await context.startFreshServer()
    const target = { url: `${server.url}/v1/payments?limit=20`, headers: context.largeHeaders }
    const measureAfter = async (requests: number) => {
      await load(target, { connections: CONNECTIONS, requests })
      return readResidentMemory(server.child.pid)
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
        ours: `${formatNumber(late)} MiB`,
        reference: `${formatNumber(early)} MiB`,
      },
    ]
  },
}

/** The benchmarks, other than imports and table comparisons, whose results could depend on how many records a seller has. */
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
    listRequest(context, `limit=20&starting_after=${paymentId(0, Math.floor(context.records * 0.8) - 1)}`),
    listRequest(context, 'limit=20'),
  ]),
  timeBenchmark('backward', 'ending_before relative to starting_after', 1.2, (context) => {
    const cursor = paymentId(0, Math.floor(context.records / 2))
    return [listRequest(context, `limit=20&ending_before=${cursor}`), listRequest(context, `limit=20&starting_after=${cursor}`)]
  }),
  timeBenchmark(
    'seller',
    'a seller with all records relative to one with 1%',
    1.2,
    (context) => [listRequest(context, 'limit=20'), { ...listRequest(context, 'limit=20'), headers: context.smallSellerHeaders }],
    true,
  ),
  timeBenchmark(
    'table',
    'the large table relative to the small one',
    1.3,
    (context) => [listRequest(context, 'limit=20'), { url: `${context.small.url}/v1/payments?limit=20`, headers: context.smallHeaders }],
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

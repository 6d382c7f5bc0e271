/** The benchmark's rows: what each one measures, its reference and its goal. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { launch } from '@/e2e/support/processes'
import type { Context } from './context'
import { DOORS, toCode } from './doors'
import {
  alternate,
  CONNECTIONS,
  type Figure,
  loadBoth,
  measureTimes,
  milliseconds,
  PAGE,
  payments,
  perSecond,
  type Row,
  sequentialFigure,
  short,
} from './figure'
import { importCustomersRow, importEventsRow, importGrowthRow, importRow } from './import-rows'
import { load, median, type Target, time } from './load'
import { largePagesRow, pagesRow } from './pages'
import { paymentId } from './payment-text'
import { stop } from './programs'
import { datesRow, doorCountsRow, indexesRow, overviewRow } from './report-rows'
import { searchLargeRow, searchOrderRow, searchRow } from './search-rows'

/** Measures requests per second relative to plain Node.js with the same stored text and no total. */
const listRow = (id: string, name: string, query: string, min = 0.9): Row => ({
  id,
  async measure(context) {
    const bare = { url: `${context.reference.url}/payments?${query}` }
    const [ours, reference] = await loadBoth(context, payments(context, query), bare)
    const rounds = ours.map((one, round) => one.perSecond / (reference[round]?.perSecond ?? Number.NaN))
    const steadiness = reference.map((one) => one.perSecond)
    return [
      {
        name,
        goal: { atLeast: min },
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

/** Measures the response time under load, relative to another request. */
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

const timeRow = (id: string, name: string, max: number, sides: (context: Context) => [Target, Target], withTail = false): Row => ({
  id,
  measure: (context) => {
    const [a, b] = sides(context)
    return compareTimes(context, name, max, a, b, withTail)
  },
})

let ticket = 0
let odd = 1

async function measureAdmissions(context: Context, name: string): Promise<Figure> {
  const { doors, door, doorsUrl, seconds } = context
  // Even tickets are admitted over HTTP, odd ones by the reference.
  const nextPath = () => {
    ticket += 2
    return `/v1/tickets/validate/${toCode(ticket)}`
  }
  const http = async () =>
    (await load({ url: doors.url, headers: door, method: 'POST' }, { connections: DOORS, seconds, nextPath, expects: '"success":true' }))
      .perSecond
  const bare = async () => {
    const program = launch(['--import', 'tsx', 'bench/doors.ts', 'bare', doorsUrl, String(odd), String(seconds)])
    const [, admitted] = await program.waitForOutput(/admitted (\d+)/)
    await program.ended
    odd += 2 * (Number(admitted) + DOORS + 1)
    return Number(admitted) / seconds
  }
  await http()
  const admissionContext = { ...context, rounds: context.quick ? context.rounds : 9 }
  const [ours, reference] = await alternate(admissionContext, http, bare)
  const rounds = ours.map((one, round) => one / (reference[round] ?? Number.NaN))
  return {
    name,
    goal: { atLeast: 0.75 },
    value: median(rounds),
    unit: 'of the reference',
    rounds,
    ours: `${short(median(ours))}/s`,
    reference: `${short(median(reference))}/s`,
    steadiness: reference,
  }
}

const doorsRow: Row = {
  id: 'doors',
  measure: async (context) => [await measureAdmissions(context, `admissions per second, ${DOORS} doors`)],
}

/** Admissions whose events are delivered to a webhook endpoint. Both sides cause deliveries, so that neither has more processor time. */
const doorsWebhookRow: Row = {
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
      // Failing deliveries would slow down the other rows.
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

const dashboardRow: Row = {
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

/** Reads the resident memory of a process in MiB, on Linux. */
async function residentMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

const memoryRow: Row = {
  id: 'memory',
  slow: true,
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

/** The rows whose costs could depend on the number of a seller's records, without imports and comparisons with other tables. */
export const ROWS_ALONE = [
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

export const rows: Row[] = [
  listRow('list', 'list', 'limit=20'),
  listRow('status', 'status', 'limit=20&status=refunded'),
  listRow('page', 'page', `limit=20&pageId=${PAGE}`),
  listRow('status-page', 'status + page', `limit=20&status=refunded&pageId=${PAGE}`),
  listRow('hundred', 'page of 100', 'limit=100', 1.5),
  timeRow('deep', 'page 40,000 relative to page 1', 1.1, (context) => [
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
    1.2,
    (context) => [payments(context, 'limit=20'), { ...payments(context, 'limit=20'), headers: context.few }],
    true,
  ),
  timeRow(
    'table',
    'the large table relative to the small one',
    1.3,
    (context) => [payments(context, 'limit=20'), { url: `${context.small.url}/v1/payments?limit=20`, headers: context.manyOfSmall }],
    true,
  ),
  searchRow('search', '', '', 1),
  searchRow('search-status', ' + status', '&status=refunded', 1.5),
  searchRow('search-page', ' + page', `&pageId=${PAGE}`, 1.5),
  searchRow('search-both', ' + status + page', `&status=refunded&pageId=${PAGE}`, 1.5),
  searchLargeRow,
  searchOrderRow,
  datesRow,
  overviewRow,
  doorsRow,
  doorsWebhookRow,
  doorCountsRow,
  dashboardRow,
  largePagesRow,
  indexesRow,
  importRow,
  importEventsRow,
  importCustomersRow,
  importGrowthRow,
  memoryRow,
  pagesRow,
]

/**
 * Measures check-in latency: simulated doors scan at a fixed rate while other clients put load on the server. Each row of the results is
 * for one kind of load and is compared with the row for the idle server in the same run.
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { resources } from '@/lib/catalog'
import { newObjectId } from '@/lib/core/object-id'
import { setSecret } from '@/lib/sync/stripe/account'
import { programArgs } from '@/testing/programs'
import { report } from '@/testing/report'
import { makeKey } from '@/testing/seller'
import { desk, launch } from '../support/processes'
import { signInAs } from './doors'
import type { Flood } from './flood'
import { percentileMs } from './history'
import { keepAlive, type RequestOptions, sendRequest, type TimedResponse } from './send-request'
import { expect, fullOrShort, isShort, PAGES, type Server, type Shop, test, type World } from './world'

/** The number of doors, each with its own key, and their total rate of scans. */
const DOORS = 10
const SCANS_PER_SECOND = 50
const LISTS_PER_SECOND = 5
/** The number of scans per row. */
const SAMPLES = fullOrShort(1_000, 50)
/** `ROWS='imported|exports'` runs only the idle row and those with matching names. Exports and searches require the imported payments. */
const ROWS = new RegExp(process.env.ROWS ?? '')
/** The minimum time in milliseconds that a scan without a response counts as. */
const NO_RESPONSE_MS = 10_000

/**
 * The limits: the 99th percentile of check-in, in milliseconds and relative to the idle server; the fraction of lists that must succeed;
 * and the memory of both processes. Only the full run checks them, because the short version shares the machine with other tests.
 */
const MAX_P99 = { ms: 150, timesIdle: 5 }
const MIN_LISTS = 0.9
const MAX_MB = 600
/** The maximum time that a page, export, search or report may block the server's event loop, in milliseconds of CPU time. */
const MAX_BLOCK_MS = 20
/** The number of times to measure a row that exceeds only time limits. Unlike a defect, a stall of the machine rarely recurs. */
const ATTEMPTS = 3

const METRICS_TOKEN = 'token-of-the-metrics'
const MB = 1024 * 1024

type Row = {
  name: string
  start: () => Promise<Load> | Load
  /** The limits for the 99th percentile of check-in; `MAX_P99` by default. */
  max?: typeof MAX_P99
}
/** A running load on the server. `stop` returns the number of requests sent, or of records in the imported file. */
type Load = { stop(): Promise<number> }

/** A value for the server and one for the process that renders pages. */
type PerProcess = [number, number]
type Result = {
  /** The responses to the doors' scans. */
  doors: TimedResponse[]
  lists: TimedResponse[]
  /** The result of `Load.stop`. */
  sent: number
  /** The highest memory use, in MiB. */
  memory: PerProcess
  /** The longest block of each event loop, in milliseconds of CPU time; 0 except on Linux. */
  blocks: PerProcess
}

const sumMemory = ([server, pages]: PerProcess) => server + pages

/** Sends requests at a fixed rate without waiting for responses. */
async function sendAtRate(count: number, perSecond: number, send: (number: number) => Promise<TimedResponse>): Promise<TimedResponse[]> {
  const startedAt = performance.now()
  const replies: Promise<TimedResponse>[] = []
  for (let number = 0; number < count; number += 1) {
    await pause(Math.max(0, startedAt + (number * 1000) / perSecond - performance.now()))
    replies.push(send(number))
  }
  const withTimeout = (reply: TimedResponse) =>
    reply.status === 0 ? { ...reply, endedAt: Math.max(reply.endedAt, reply.startedAt + NO_RESPONSE_MS) } : reply
  return (await Promise.all(replies)).map(withTimeout)
}

/** Starts a process that floods the server. Resolves once the flood has begun. */
async function floodServer(flood: Flood): Promise<Load> {
  const program = launch([...programArgs('e2e/faults/flood.ts'), JSON.stringify(flood)])
  await program.waitForOutput(/flooding/)
  return {
    stop: async () => {
      program.child.kill('SIGTERM')
      await program.ended
      const { sent, counts } = JSON.parse(program.output().match(/\{"sent".*\}/)?.[0] ?? '{}') as { sent: number; counts: object }
      process.stdout.write(`      sent ${sent}: ${JSON.stringify(counts)}\n`)
      return sent
    },
  }
}

async function readMemory({ url }: Server): Promise<PerProcess> {
  const { status, text } = await sendRequest(url, '/metrics', { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })
  expect(status, text).toBe(200)
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
  const readMegabytes = (prefix: string) => Math.round(read(`${prefix}process_resident_memory_bytes`) / MB)
  return [readMegabytes(''), readMegabytes('pages_')]
}

/**
 * Returns the longest block of each event loop in milliseconds, as recorded by event-loop-blocks.mjs.
 *
 * @param since in milliseconds since the epoch; the first second after it is ignored, because its value may include earlier blocks
 */
async function readBlocks(file: string, since: number): Promise<PerProcess> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').map((line) => line.split(' '))
  const longest = (program: string) => {
    const blocks = lines.filter(([time, name]) => Number(time) > since + 1_000 && name === program).map(([, , ms]) => Number(ms))
    if (process.platform === 'linux' && !isShort) expect(blocks, `the blocks of ${program}`).not.toEqual([])
    return Math.max(0, ...blocks)
  }
  return [Math.round(longest('server')), Math.round(longest('pages'))]
}

/** Measures check-in, lists, memory and event-loop blocks under a load. */
async function measure(server: Server, shop: Shop, doorKeys: string[], blocksFile: string, start: Row['start']): Promise<Result> {
  const agents = doorKeys.map(() => keepAlive(50))
  const listAgent = keepAlive(50)
  const headers = (key: string | undefined) => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' })
  const call = (path: string, options: RequestOptions) => sendRequest(server.url, path, options)
  const scan = (number: number) =>
    call(`/v1/tickets/validate/${shop.codes[number % shop.codes.length]}`, {
      method: 'POST',
      headers: headers(doorKeys[number % DOORS]),
      body: '{"checkIn":false}',
      agent: agents[number % DOORS] ?? listAgent,
    })
  const list = () => call('/v1/payments?limit=20', { headers: headers(shop.key), agent: listAgent })
  const load = await start()
  const startedAt = Date.now()
  let memory: PerProcess = [0, 0]
  let isDone = false
  const trackMemory = async () => {
    while (!isDone) {
      await pause(1_000)
      const used = await readMemory(server)
      if (sumMemory(used) > sumMemory(memory)) memory = used
    }
  }
  const tracking = trackMemory()
  const [doors, lists] = await Promise.all([
    sendAtRate(SAMPLES, SCANS_PER_SECOND, scan),
    sendAtRate((SAMPLES / SCANS_PER_SECOND) * LISTS_PER_SECOND, LISTS_PER_SECOND, list),
  ])
  const sent = await load.stop()
  isDone = true
  await tracking
  for (const agent of [...agents, listAgent]) agent.destroy()
  return { doors, lists, sent, memory, blocks: await readBlocks(blocksFile, startedAt) }
}

/** Writes a file of realistically sized payments and flushes it to disk, so that later commits do not have to wait for that. */
async function writePayments(file: string, count: number): Promise<void> {
  const stream = createWriteStream(file, { flush: true })
  const { sellerId: _, ...example } = resources.payments.example
  for (let number = 0; number < count; number += 1) {
    const createdAt = new Date(Date.now() - number * 60_000).toISOString()
    const line = JSON.stringify({ ...example, id: newObjectId(), orderId: `OR-${number}`, createdAt, updatedAt: createdAt })
    if (!stream.write(`${line}\n`)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'finish')
}

/** Imports a file with `desk import` repeatedly until the load is stopped. */
function importRepeatedly(world: World, seller: string, file: string, count: number): Load {
  const run = () => desk(['import', 'payments', file, '--seller', seller], { DATABASE_URL: world.url, DATA_DIR: world.folder })
  let program = run()
  let isDone = false
  const importing = (async () => {
    while (!isDone) {
      expect(await program.ended, program.output()).toBe(0)
      if (!isDone) program = run()
    }
  })()
  return {
    stop: async () => {
      isDone = true
      await importing
      return count
    },
  }
}

/** Returns the settings for sign-in requests with a wrong password, each with a different email address. */
async function makeFailedSignIn(url: string): Promise<Pick<Flood, 'method' | 'paths' | 'headers' | 'form'>> {
  const { text, headers } = await sendRequest(url, '/api/auth/csrf')
  const { csrfToken } = JSON.parse(text) as { csrfToken: string }
  const Cookie = [headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0])
  return {
    method: 'POST',
    paths: ['/api/auth/callback/credentials'],
    headers: { Cookie: Cookie.join('; ') },
    form: { email: 'guest-#@example.com', password: 'wrong', csrfToken, json: 'true' },
  }
}

/** Returns three invalid session cookies: forged with next-auth's encryption, forged with slower encryption, and from an ended session. */
async function makeInvalidSessions(world: World, shop: Shop): Promise<string[]> {
  const encrypted = `.${'a'.repeat(16)}.${'b'.repeat(180)}#.${'c'.repeat(22)}`
  const header = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
  const slow = { alg: 'PBES2-HS512+A256KW', enc: 'A256GCM', p2s: 'c2FsdA', p2c: 10_000 }
  const forge = (content: object, key: string) => `next-auth.session-token=${header(content)}.${key}${encrypted}`
  const ended = await signInAs(shop, 'door')
  await world.sql`update sessions set ended_at = now() from users where users.id = user_id and seller_id = ${shop.seller} and role = 'door'`
  return [forge({ alg: 'dir', enc: 'A256GCM' }, ''), forge(slow, 'd'.repeat(54)), ended]
}

/** Returns a function that starts the loads of several rows together. */
const startTogether =
  (rows: Row[]): Row['start'] =>
  async () => {
    const loads = await Promise.all(rows.map(({ start }) => start()))
    return { stop: async () => (await Promise.all(loads.map((load) => load.stop()))).reduce((sum, sent) => sum + sent, 0) }
  }

async function listRows(world: World, server: Server, shop: Shop, files: [string, string], records: number): Promise<Row[]> {
  const { url } = server
  const row = (name: string, flood: Omit<Flood, 'url'>): Row => ({ name, start: () => floodServer({ url, ...flood }) })
  /** Returns a row with 10 clients and, in the full version, one with 100. */
  const byClients = (name: string, flood: Omit<Flood, 'url' | 'clients'>) =>
    (isShort ? [10] : [10, 100]).map((clients) => row(`${clients} clients ${name}`, { ...flood, clients }))
  const headers = { Cookie: await signInAs(shop, 'owner') }
  const action = { 'Next-Action': '0'.repeat(40), 'Content-Type': 'text/plain;charset=UTF-8', Accept: 'text/x-component' }
  const forged = row('1,000 forged keys per second arrive', { clients: 100, perSecond: 1_000, paths: ['/v1/payments'], keys: 'forged' })
  const exporting = (clients: number) => row(`${clients} exports run`, { clients, paths: ['/payments/export'], headers })
  const exports = exporting(10)
  // Use a separate key for each row, because a row may exhaust its key's rate limit.
  const searching = async () => {
    const { key } = await makeKey(shop.seller)
    const search = { clients: 10, paths: ['/v1/payments?search=e&limit=100'], headers: { Authorization: `Bearer ${key}` } }
    return row('10 broad searches run over the API', search)
  }
  // Without a signing secret, the server would reject the events before reading them.
  await setSecret(shop.seller, 'whsec_of_the_suite', undefined)
  const unsigned = {
    method: 'POST',
    paths: [`/ingest/stripe?seller=${shop.seller}`],
    // Use a future timestamp: the server rejects old ones before it reads the body, and these rows start long after this line runs.
    headers: { 'Stripe-Signature': `t=${Math.floor(Date.now() / 1000) + 3_600},v1=${'0'.repeat(64)}` },
  }
  const docs = byClients('load /docs', { paths: ['/docs'] })
  const importing = (file: string) => ({
    name: `${records.toLocaleString('en')} payments are imported`,
    start: () => importRepeatedly(world, shop.seller, file, records),
  })
  const imported = importing(files[0])
  if (isShort) return [...docs, forged, imported, exports]
  return [
    ...byClients('send 20 MB to /api/auth/_log', { method: 'POST', paths: ['/api/auth/_log'], bytes: 20 * MB }),
    ...byClients('send 1 MB to a server action', { method: 'POST', paths: ['/invite/x'], headers: action, bytes: MB }),
    ...docs,
    ...byClients('load /sign-in', { paths: ['/sign-in', '/sign-in?callbackUrl=/#'] }),
    ...byClients('send cookies without a valid session', {
      paths: ['/payments', '/overview', '/payments/#', '/door'],
      cookies: await makeInvalidSessions(world, shop),
    }),
    ...byClients('load unknown pages', { paths: ['/unknown-#', '/unknown-#.php', '/payments/#'] }),
    ...byClients('sign in with wrong passwords', await makeFailedSignIn(url)),
    row('16 uploads to /ingest/stripe send one byte per second', { ...unsigned, clients: 16, bytes: 1000, isSlow: true }),
    row('120 uploads to /ingest/stripe send all but the last byte of 1 MiB', { ...unsigned, clients: 120, bytes: MB, isIncomplete: true }),
    forged,
    row('1,000 keys per second with an invalid checksum arrive', {
      clients: 100,
      perSecond: 1_000,
      paths: ['/v1/payments'],
      keys: 'wrong',
    }),
    row('1,000 malformed keys per second arrive', { clients: 100, perSecond: 1_000, paths: ['/v1/payments'], keys: 'malformed' }),
    imported,
    exports,
    row('10 overviews of a year load', { clients: 10, paths: ['/overview?days=365'], headers }),
    row('10 broad searches run in the dashboard', { clients: 10, paths: ['/payments?search=e', '/find?q=or'], headers }),
    await searching(),
    {
      name: '10 broad searches, 3 exports and an import run',
      // Import new payments, because those in the first file are already stored and would only be compared.
      start: startTogether([await searching(), exporting(3), importing(files[1])]),
      // The goal, 100 ms and three times the idle server, is missed too often to fail the suite (docs/faults.md).
      max: { ms: 150, timesIdle: Number.POSITIVE_INFINITY },
    },
  ]
}

test('check-in stays fast while page loads, invalid keys, uploads, exports, reports and imports put load on the server', async ({
  world,
}) => {
  test.setTimeout(40 * 60_000)
  const shop = await world.shop(100)
  const doorKeys = await Promise.all(Array.from({ length: DOORS }, async () => (await makeKey(shop.seller)).key))
  const blocksFile = join(world.folder, 'event-loop-blocks')
  const server = await world.serve({
    ...PAGES,
    TRUST_PROXY: '1',
    RATE_LIMIT_PER_MINUTE: '1000',
    METRICS_TOKEN,
    EVENT_LOOP_BLOCKS: blocksFile,
    NODE_OPTIONS: `--import ${pathToFileURL(join('e2e', 'faults', 'event-loop-blocks.mjs'))}`,
  })
  const files: [string, string] = [join(world.folder, 'payments.ndjson'), join(world.folder, 'more-payments.ndjson')]
  const records = fullOrShort(100_000, 500)
  for (const file of files) await writePayments(file, records)
  const idle: Row = { name: 'nothing else happens', start: () => ({ stop: async () => 0 }) }
  const problems: string[] = []
  let idleMs = 0
  try {
    const rows = await listRows(world, server, shop, files, records)
    for (const { name, start, max = MAX_P99 } of [idle, ...rows.filter((row) => ROWS.test(row.name))]) {
      for (let attempt = 1; ; attempt += 1) {
        const { doors, lists, memory, blocks, sent } = await measure(server, shop, doorKeys, blocksFile, start)
        const [p50, p99] = [percentileMs(doors, 0.5), percentileMs(doors, 0.99)]
        if (start === idle.start) idleMs = p99
        // Exclude scans without a response (status 0), which already count toward the percentile.
        const statuses = new Set(doors.map(({ status }) => status).filter((status) => ![0, 200].includes(status)))
        const succeeded = lists.filter(({ status }) => status === 200).length / lists.length
        const listRate = `${Math.round(succeeded * 100)}% of lists`
        // The server may still be processing the row's requests.
        await expect.poll(async () => (await sendRequest(server.url, '/readyz')).status).toBe(200)
        const timeProblems: string[] = []
        if (!isShort && (p99 > max.ms || p99 > max.timesIdle * idleMs)) timeProblems.push(`p99 ${p99} ms, idle ${idleMs} ms`)
        if (!isShort && blocks[0] > MAX_BLOCK_MS) timeProblems.push(`the event loop was blocked for ${blocks[0]} ms`)
        const otherProblems: string[] = []
        if (statuses.size > 0) otherProblems.push(`doors got ${[...statuses]}`)
        if (isShort ? succeeded === 0 : succeeded < MIN_LISTS) otherProblems.push(`only ${listRate} succeeded`)
        if (!isShort && sumMemory(memory) > MAX_MB) otherProblems.push(`${memory.join(' + ')} MB`)
        if (timeProblems.length > 0 && otherProblems.length === 0 && attempt < ATTEMPTS) {
          process.stdout.write(`      ${name}: ${timeProblems.join(', ')}; measuring again\n`)
          continue
        }
        problems.push(...[...otherProblems, ...timeProblems].map((problem) => `${name}: ${problem}`))
        const figures = { requests: doors.length, lost: doors.filter(({ status }) => status === 0).length }
        const attempts = attempt === 1 ? '' : `, on attempt ${attempt}`
        const measured = `check-in p99 ${p99} ms, ${listRate}, ${sumMemory(memory)} MB, loop blocked for ${blocks[0]} ms${attempts}`
        await report(
          `doors while ${name}`,
          { ...(sent > 0 && { faults: sent }), ...figures, measured },
          { p50, blocks: blocks.join(' and '), memory: memory.join(' + ') },
        )
        break
      }
    }
  } finally {
    for (const file of files) await rm(file, { force: true })
  }
  expect(problems).toEqual([])
})

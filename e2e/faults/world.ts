/** Fixtures for fault tests: an embedded PostgreSQL, servers, sellers with tickets and payments, doors and integrations. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { test as base, expect } from 'playwright/test'
import postgres, { type Sql } from 'postgres'
import { findHome } from '@/db/embedded-home'
import { freePort } from '@/testing/free-port'
import { startPostgres } from '@/testing/postgres'
import { importLines, makeKey, makeSeller, minimal } from '@/testing/seller'
import { type Pair, servePair } from '../support/pair'
import { type Program, serve, stop } from '../support/processes'
import { type History, newHistory, type Scan } from './history'
import { keepAlive, sendRequest, type TimedResponse } from './send-request'

/** Whether this is the short version of the tests, run by `npm test`, or the full version, run by `npm run suite -- faults`. */
export const isShort = process.env.FAULTS === 'short'
/** Returns the number for the full or the short version, whichever is running. */
export const fullOrShort = (full: number, short: number) => (isShort ? short : full)

/** Whether to run two servers instead of one, as in `npm run suite -- scale`. */
const isPaired = process.env.FAULT_SERVERS === '2'

/** The environment variables for servers that must serve pages. */
export const PAGES = { TEST_PAGES: 'all' }

/** The NEXTAUTH_SECRET shared by the servers and the tests. */
export const SECRET = 'a secret of at least 32 characters'

export type Shop = {
  /** The seller's ID. */
  seller: string
  key: string
  /** The ticket codes. */
  codes: string[]
  /** The number of payments. */
  payments: number
}

export type Server = Program & { url: string }

export type World = {
  /** The connection string for the server's database user. */
  url: string
  /** The database's data directory. */
  folder: string
  /** A client that queries as the owner of the database. */
  sql: Sql
  /** Starts a server, on the port in `env` if set. In the short version, it serves no pages unless `env` includes `PAGES`. */
  serve(env?: Record<string, string>): Promise<Server>
  /** Starts a server for all tests in a file, which must stop it with `stopServers(true)`. */
  serveShared(env?: Record<string, string>): Promise<Server>
  /** Starts two servers behind a proxy. */
  pair(): Promise<Pair>
  /** Stops the current test's servers, or all servers. */
  stopServers(all?: boolean): Promise<void>
  /** Creates a seller with the given numbers of tickets and payments. */
  shop(tickets: number, payments?: number): Promise<Shop>
  /** Runs pg_ctl for the database. */
  control(...args: string[]): Promise<void>
}

/** Runs pg_ctl for the embedded PostgreSQL in a data directory. */
export async function controlPostgres(folder: string, args: string[]): Promise<void> {
  const home = await findHome(folder)
  const code = await new Promise((resolve, reject) => {
    const child = spawn(join(home.bin, 'pg_ctl'), [...args, '-D', home.cluster], { ...home.user, cwd: '/', stdio: 'ignore' })
    child.on('error', reject)
    // Listen to 'exit' instead of 'close', because the server started by pg_ctl outlives it.
    child.on('exit', resolve)
  })
  expect(code, `pg_ctl ${args.join(' ')}`).toBe(0)
}

/** Creates a seller with the given numbers of tickets and payments. */
export async function makeShop(tickets: number, payments = 5): Promise<Shop> {
  const seller = await makeSeller()
  const { key } = await makeKey(seller)
  const codes = Array.from({ length: tickets }, (_, i) => `guest-${i}`)
  const lines = codes.map((qrCode) => minimal('tickets', { qrCode }))
  expect((await importLines('tickets', seller, lines)).rejects).toEqual([])
  const paymentLines = Array.from({ length: payments }, () => minimal('payments'))
  expect((await importLines('payments', seller, paymentLines)).rejects).toEqual([])
  return { seller, key, codes, payments }
}

export const test = base.extend<{ cleanup: undefined }, { world: World }>({
  // Stop each test's servers, because idle ones would hold on to connections and memory.
  cleanup: [
    async ({ world }, use) => {
      await use(undefined)
      await world.stopServers()
    },
    { auto: true },
  ],
  world: [
    async ({ browserName: _ }, use) => {
      const database = await startPostgres({ isDurable: true })
      process.env.TEST_DATABASE_URL = database.url
      // Set the secret before the configuration is first read, so that the servers can decrypt what the tests encrypt.
      process.env.NEXTAUTH_SECRET = SECRET
      const sql = postgres(database.url, { max: 4, onnotice: () => {}, connection: { application_name: 'fault' } })
      const running: { isShared: boolean; end(): Promise<unknown> }[] = []
      const common = { DATABASE_URL: database.serverUrl, NEXTAUTH_SECRET: SECRET, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'error' }
      const pair = async (env: Record<string, string> = {}, isShared = false) => {
        const servers = await servePair({ ...common, ...env })
        running.push({ isShared, end: servers.stop })
        return servers
      }
      const start = async (env: Record<string, string>, isShared = false): Promise<Server> => {
        if (isPaired) {
          const { servers, url } = await pair(env, isShared)
          return { ...servers[0], url }
        }
        const server = await serve({
          ...common,
          DATA_DIR: database.folder,
          PORT: String(await freePort()),
          ...(isShort && { TEST_PAGES: 'none' }),
          ...env,
        })
        const { child } = server
        running.push({ isShared, end: async () => child.exitCode === null && child.signalCode === null && stop(server) })
        return server
      }
      const stopServers = async (all = false) => {
        const stopping = running.filter(({ isShared }) => all || !isShared)
        for (const entry of stopping) running.splice(running.indexOf(entry), 1)
        await Promise.all(stopping.map(({ end }) => end()))
      }
      await use({
        url: database.serverUrl,
        folder: database.folder,
        sql,
        serve: (env = {}) => start(env),
        serveShared: (env = {}) => start(env, true),
        pair: () => pair(),
        shop: makeShop,
        control: (...args) => controlPostgres(database.folder, args),
        stopServers,
      })
      await stopServers(true)
      await sql.end({ timeout: 1 })
      await database.remove()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})

export { expect }

/** How long a door waits before retrying a scan, and an integration before requesting the next list, in milliseconds. */
export const PAUSE_MS = 100

/** Sends a scan, retrying with the same key until a complete response other than a 503 arrives, as a check-in device does. */
export async function scanUntilCompleted(url: () => string, { key }: Shop, scan: Scan, agent = keepAlive()): Promise<void> {
  for (;;) {
    const reply = await sendScan(url(), key, scan, agent)
    scan.replies.push(reply)
    if (reply.status !== 0 && reply.status !== 503) return
    await pause(PAUSE_MS)
  }
}

/** Sends a single check-in. @param scan `key` is the idempotency key, which is also stored as metadata under the name in `note` */
export function sendScan(url: string, key: string, scan: Pick<Scan, 'code' | 'key' | 'note'>, agent = keepAlive()): Promise<TimedResponse> {
  return sendRequest(url, `/v1/tickets/validate/${encodeURIComponent(scan.code)}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': scan.key },
    body: JSON.stringify({ metadata: [{ key: scan.note, value: scan.key }] }),
    agent,
  })
}

export type Traffic = {
  history: History
  /** Resolves once every scan has a final response. */
  done: Promise<void>
  /** Waits until every scan has a final response, then stops the integrations. */
  stop(): Promise<void>
  /** Like `stop`, but skips scans that have not been started and removes them from the history. */
  stopEarly(): Promise<void>
}

export type TrafficOptions = {
  /** Returns the server's URL, which may change when it restarts. */
  url: () => string
  doors: number
  /** The number of scans per ticket, each with a new idempotency key. */
  scans: number
  /** The number of clients that request lists; 2 by default. */
  integrations?: number
}

/** Starts doors that scan every ticket, and integrations that request lists until the traffic is stopped. */
export function startTraffic(shop: Shop, { url, doors, scans, integrations = 2 }: TrafficOptions): Traffic {
  const history = newHistory()
  // Scans of the same ticket are adjacent, so that several doors scan it concurrently.
  const queue: Scan[] = shop.codes.flatMap((code) =>
    Array.from({ length: scans }, (_, i) => ({ code, key: `scan-${i}-${code}`, note: `scan-${i}`, replies: [] })),
  )
  history.scans = queue
  let next = 0
  let hasStopped = false
  const door = async () => {
    const agent = keepAlive()
    for (let scan = queue[next++]; scan && !hasStopped; scan = queue[next++]) await scanUntilCompleted(url, shop, scan, agent)
    agent.destroy()
  }
  const list = async () => {
    const agent = keepAlive()
    const path = '/v1/payments?limit=20'
    while (!hasStopped) {
      const reply = await sendRequest(url(), path, { headers: { Authorization: `Bearer ${shop.key}` }, agent })
      history.lists.push({ path, total: shop.payments, reply })
      await pause(PAUSE_MS)
    }
    agent.destroy()
  }
  const integrationClients = Array.from({ length: integrations }, list)
  const done = Promise.all(Array.from({ length: doors }, door)).then(() => {})
  const stop = async () => {
    await done
    hasStopped = true
    await Promise.all(integrationClients)
  }
  return {
    history,
    done,
    stop,
    stopEarly: async () => {
      next = queue.length
      await stop()
      history.scans = queue.filter(({ replies }) => replies.length > 0)
    },
  }
}

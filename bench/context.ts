/** Sets up the benchmark environment: databases, one server per database, the reference server, API keys and a session. */
import { sql } from 'drizzle-orm'
import { type Database, openDatabase, setDatabase } from '@/db/client'
import { createKey } from '@/lib/accounts/api-keys'
import { addUser } from '@/lib/accounts/users'
import { openCluster } from './cluster'
import { createEmpty, type Layout, makeDatabase, sellerId } from './data'
import { makeTickets } from './doors'
import { type RunningProgram, startProduct, startReference, stop } from './programs'

export type Settings = {
  records: number
  rounds: number
  seconds: number
  /** Whether to use fewer records and tickets and skip the slow benchmarks. */
  quick: boolean
  /** Whether all benchmarks use one table of short payments without other large sellers, so that ten million payments fit on the disk. */
  singleTable: boolean
  /** Whether to create tickets for the check-in benchmarks. */
  withTickets: boolean
}

export type Context = Settings & {
  /**
   * Product servers, one per database. The large table has five times as many records as the small one (twice as many if `quick`); both
   * are in random order. `ordered` has its records in chronological order, and `doors` has the tickets.
   */
  large: RunningProgram
  small: RunningProgram
  ordered: RunningProgram
  doors: RunningProgram
  clusterUrl: string
  doorsUrl: string
  largeUrl: string
  smallUrl: string
  orderedUrl: string
  reference: RunningProgram
  /** Headers with an API key of the main seller, one for each table. */
  largeHeaders: Record<string, string>
  smallHeaders: Record<string, string>
  orderedHeaders: Record<string, string>
  /** Headers with an API key of the small seller in the large table, which has 1% as many records as the main seller. */
  smallSellerHeaders: Record<string, string>
  /** Headers with an API key of the seller of the tickets. */
  doorHeaders: Record<string, string>
  /** The header with the session cookies of a user of the main seller, for the large table. */
  cookie: Record<string, string>
  /** Update one of the main seller's records in a table, which invalidates the seller's cached totals. */
  invalidateSmallTotals(): Promise<void>
  invalidateLargeTotals(): Promise<void>
  invalidateOrderedTotals(): Promise<void>
  /** Starts another server on the large database. */
  startFreshServer(): Promise<RunningProgram>
  /** Runs `work` with `database()` set to a pool for this URL. */
  withDatabase<T>(url: string, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The password of the users created by benchmarks. */
export const PASSWORD = 'benchmark password'

/** Runs `work` with `database()` set to a pool for this URL. */
export async function withDatabase<T>(url: string, work: (pool: Database) => Promise<T>): Promise<T> {
  const pool = openDatabase({ url, max: 8, statementMs: 60_000 })
  setDatabase(pool)
  try {
    return await work(pool)
  } finally {
    setDatabase(undefined)
    await pool.close(1)
  }
}

/** Creates an API key for a seller. @returns the `Authorization` header */
const authHeaderFor = (url: string, seller: number) =>
  withDatabase(url, async () => ({
    Authorization: `Bearer ${(await createKey({ sellerId: sellerId(seller), name: 'bench', scopes: ['full'] })).key}`,
  }))

/** Invalidates the main seller's cached totals by rewriting the newest record unchanged. */
const invalidateTotals = (url: string) =>
  withDatabase(url, async (pool) => {
    const seller = sellerId(0)
    await pool.use(({ rows }) =>
      rows(
        sql`update payments set record = record where seller_id = ${seller} and id = (select max(id) from payments where seller_id = ${seller})`,
      ),
    )
  })

/** Signs in with the same requests as a browser. @returns the `Cookie` header */
export async function signIn(base: string, email: string): Promise<Record<string, string>> {
  const cookies = new Map<string, string>()
  const send = async (path: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(base + path, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }
  const { csrfToken } = (await (await send('/api/auth/csrf')).json()) as { csrfToken: string }
  await send('/api/auth/callback/credentials', {
    method: 'POST',
    body: new URLSearchParams({ csrfToken, email, password: PASSWORD, json: 'true' }),
  })
  return { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
}

/** Opens the benchmark environment. @param logProgress called at the start of each step */
export async function open(settings: Settings, logProgress: (text: string) => void): Promise<Context> {
  const { records, quick, singleTable, withTickets } = settings
  const cluster = await openCluster()
  const smallSellerRecords = Math.ceil(records / 100)
  const make = (layout: Layout) => makeDatabase(cluster.url, layout, logProgress)
  const singleTableUrl = singleTable
    ? await make({ name: `bench_single_${records}`, sellers: [records, smallSellerRecords], order: 'random', isShort: true })
    : undefined
  const smallUrl = singleTableUrl ?? (await make({ name: `bench_1x_${records}`, sellers: [records, smallSellerRecords], order: 'random' }))
  const orderedUrl = singleTableUrl ?? (await make({ name: `bench_ordered_${records}`, sellers: [records], order: 'chronological' }))
  const fillers = quick ? [] : [records, records, records]
  const sellers = [records, smallSellerRecords, ...fillers, Math.max(0, records - smallSellerRecords)]
  const largeUrl = singleTableUrl ?? (await make({ name: `bench_${sellers.length - 1}x_${records}`, sellers, order: 'random' }))
  const makeDoors = async () => {
    logProgress('bench_doors: tickets')
    const url = await createEmpty(cluster.url, 'bench_doors')
    await makeTickets(url, quick ? 50_000 : 500_000)
    return url
  }
  const doorsUrl = withTickets ? await makeDoors() : smallUrl

  const email = `owner-${Date.now()}@bench.example`
  await withDatabase(largeUrl, () => addUser(sellerId(0), { email, password: PASSWORD, role: 'owner' }))
  const programs = [
    await startProduct(largeUrl),
    await startProduct(smallUrl),
    await startProduct(doorsUrl),
    await startProduct(orderedUrl),
    await startReference(largeUrl),
  ] as const
  const [large, small, doors, ordered, reference] = programs
  return {
    ...settings,
    large,
    small,
    ordered,
    doors,
    clusterUrl: cluster.url,
    doorsUrl,
    largeUrl,
    smallUrl,
    orderedUrl,
    reference,
    largeHeaders: await authHeaderFor(largeUrl, 0),
    smallHeaders: await authHeaderFor(smallUrl, 0),
    orderedHeaders: await authHeaderFor(orderedUrl, 0),
    smallSellerHeaders: await authHeaderFor(largeUrl, 1),
    doorHeaders: await authHeaderFor(doorsUrl, 0),
    cookie: await signIn(large.url, email),
    invalidateSmallTotals: () => invalidateTotals(smallUrl),
    invalidateLargeTotals: () => invalidateTotals(largeUrl),
    invalidateOrderedTotals: () => invalidateTotals(orderedUrl),
    startFreshServer: () => startProduct(largeUrl),
    withDatabase: (url, work) => withDatabase(url, work),
    close: async () => {
      await Promise.all(programs.map((program) => stop(program)))
      await cluster.leave()
    },
  }
}

/** Generates the databases, starts a server on each of them, starts the reference, and creates API keys and a session. */
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
  /** Whether to use fewer records and tickets, and to skip the slow benchmarks. */
  quick: boolean
  /** Whether all benchmarks use one table of small payment records, without other large sellers, so that ten million payments fit on the disk. */
  singleTable: boolean
  /** Whether to create the tickets that the check-in benchmarks need. */
  withTickets: boolean
}

export type Context = Settings & {
  /**
   * The running product, once per database: one with the large table (five times the records of the small one, or twice if `quick`), one
   * with the small table, one whose records were inserted in chronological order, and one with the tickets. The first two tables are in
   * random order.
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
  /** Headers with API keys: for the measured seller (one per table), for a seller with 1% as many records, and for the doors. */
  many: Record<string, string>
  manyOfSmall: Record<string, string>
  manyOfOrdered: Record<string, string>
  few: Record<string, string>
  door: Record<string, string>
  /** The session cookie of a user of the measured seller, for the large table. */
  cookie: Record<string, string>
  /** Updates one of the measured seller's records in a table, which invalidates the seller's cached totals. */
  touchSmall(): Promise<void>
  touchLarge(): Promise<void>
  touchOrdered(): Promise<void>
  /** Starts another server, which has not yet served any requests, on the large database. */
  freshServer(): Promise<RunningProgram>
  /** Runs `work` while `database()` returns a pool for this URL. */
  withDatabase<T>(url: string, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The password of users that benchmarks create. */
export const PASSWORD = 'benchmark password'

/** Runs `work` while `database()` returns a pool for this URL. */
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

/** Creates an API key for a seller. @returns the header with the key */
const authHeaderFor = (url: string, seller: number) =>
  withDatabase(url, async () => ({
    Authorization: `Bearer ${(await createKey({ sellerId: sellerId(seller), name: 'bench', scopes: ['full'] })).key}`,
  }))

/** Updates the measured seller's newest record without changing it. */
const touch = (url: string) =>
  withDatabase(url, async (pool) => {
    const seller = sellerId(0)
    await pool.use(({ rows }) =>
      rows(
        sql`update payments set record = record where seller_id = ${seller} and id = (select max(id) from payments where seller_id = ${seller})`,
      ),
    )
  })

/** Signs in the way a browser does. @returns the header with the cookies */
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

/** Prepares everything that the benchmarks need. @param logProgress called for each step */
export async function open(settings: Settings, logProgress: (text: string) => void): Promise<Context> {
  const { records, quick, singleTable, withTickets } = settings
  const cluster = await openCluster()
  const few = Math.ceil(records / 100)
  const make = (layout: Layout) => makeDatabase(cluster.url, layout, logProgress)
  const singleTableUrl = singleTable
    ? await make({ name: `bench_single_${records}`, sellers: [records, few], order: 'random', isShort: true })
    : undefined
  const smallUrl = singleTableUrl ?? (await make({ name: `bench_1x_${records}`, sellers: [records, few], order: 'random' }))
  const orderedUrl = singleTableUrl ?? (await make({ name: `bench_ordered_${records}`, sellers: [records], order: 'chronological' }))
  const fillers = quick ? [] : [records, records, records]
  const sellers = [records, few, ...fillers, Math.max(0, records - few)]
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
    many: await authHeaderFor(largeUrl, 0),
    manyOfSmall: await authHeaderFor(smallUrl, 0),
    manyOfOrdered: await authHeaderFor(orderedUrl, 0),
    few: await authHeaderFor(largeUrl, 1),
    door: await authHeaderFor(doorsUrl, 0),
    cookie: await signIn(large.url, email),
    touchSmall: () => touch(smallUrl),
    touchLarge: () => touch(largeUrl),
    touchOrdered: () => touch(orderedUrl),
    freshServer: () => startProduct(largeUrl),
    withDatabase: (url, work) => withDatabase(url, work),
    close: async () => {
      await Promise.all(programs.map((program) => stop(program)))
      await cluster.leave()
    },
  }
}

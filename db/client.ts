/** A connection pool to PostgreSQL that bounds every wait: for a connection, for the statement and for the response. */
import { fillPlaceholders, type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres, { type ISql, type PendingQuery, type Row, type Sql } from 'postgres'
import { DRIVER_TYPES, patchQueues } from './driver'
import { createSemaphore, type Load } from './semaphore'
import { countOpening, hostOptions } from './socket'
import { startTimer } from './timer'
import { runTransaction, type Transaction } from './transaction'
import { isUnavailable, UnavailableError, withCauses } from './unavailable'

/** How long a caller waits for a free connection. */
const ACQUIRE_MS = 750
/** The timeouts after which PostgreSQL cancels a statement or a lock wait. */
export const STATEMENT_MS = 3_500
const LOCK_MS = 2_000
/** If there is no response this long after the statement timeout, the driver has stalled: PostgreSQL would have canceled the statement. */
const SLACK_MS = 500
/** The time limit for finishing work that is in progress on a replaced pool, in seconds. */
const RETIRE_SECONDS = 1
/** How long the driver waits for a connection to open. */
const CONNECT_SECONDS = 2
/** How long an idle connection stays open. */
const IDLE_SECONDS = 60

export type DatabaseOptions = {
  /** postgres://user:password@host:port/database */
  url: string
  /** The name of the pool in errors and metrics. */
  name?: string
  /** The maximum number of open connections; 16 by default. */
  max?: number
  /** The statement timeout in milliseconds, if it differs from the default: longer for background work such as an import. */
  statementMs?: number
  /** The lock timeout in milliseconds, if it differs from the default: shorter if many callers wait for the same row. */
  lockMs?: number
  /** The maximum number of callers that wait for a connection. Further callers are rejected immediately. */
  queue?: number
  /** Whether to keep idle connections open, so that later callers do not have to wait. By default, they are closed after a minute. */
  keepsIdle?: boolean
}

/** A query as text and parameters. A cached query with placeholders is compiled only once: compiling takes a tenth of a request's time. */
export type Statement = { sql: string; params: unknown[] }
/** The values of the query's placeholders, by name. */
export type Values = Record<string, unknown>

export type Connection = {
  /**
   * Runs a query, as a prepared statement unless the pool has too many of them. Cast `json` values to text, because the
   * driver would otherwise parse them, and cast counts to int, because it returns bigints as strings.
   */
  rows<Row>(query: SQL, values?: Values): Promise<Row[]>
  /** Runs a query like `rows`. @returns each row's columns in order, as the bytes that PostgreSQL sent */
  bytes(query: SQL, values: Values): Promise<(Buffer | null)[][]>
  /** Drizzle's query builder on this connection. */
  orm: PostgresJsDatabase
  /**
   * In a transaction, sends COMMIT without waiting for the statements before it: see `Transaction`. Without this, COMMIT is sent once the
   * transaction's work is done.
   */
  commit?: Transaction['commit']
}

export type Database = {
  /**
   * Runs `work` on the pool.
   *
   * @param seller the seller that the work is for. If the pool is busy, sellers take turns
   * @throws {UnavailableError} if the database cannot be reached or does not respond in time
   */
  use<T>(work: (connection: Connection) => Promise<T>, seller?: string): Promise<T>
  /** Runs one query, like `Connection.rows`. @throws {UnavailableError} like `use` */
  query<Row>(query: SQL, values?: Values): Promise<Row[]>
  /**
   * Runs `work` in a READ COMMITTED transaction, which is rolled back if `work` throws. Takes the same `seller` and throws the same errors
   * as `use`.
   *
   * @param maxMs the duration in milliseconds after which further statements are rejected, if it is longer than the pool's statement
   *   timeout. `work` may raise the statement timeout up to this duration
   */
  transaction<T>(work: (connection: Connection) => Promise<T>, seller?: string, maxMs?: number): Promise<T>
  /** A streaming replica of this database, if one is configured. */
  replica?: Replica
  /** Replaces a pool that no longer responds. Work on the old pool that does not finish within a second fails with `UnavailableError`. */
  rebuild(): void
  /** Returns how many callers hold a connection, how many wait for one, and how many have been rejected. */
  load(): Load
  /** Waits until no caller holds a connection, but for at most `maxMs` milliseconds. */
  whenIdle(maxMs: number): Promise<void>
  /** Closes every connection, after waiting at most `seconds` for running work. */
  close(seconds?: number): Promise<void>
}

export type Replica = {
  /**
   * Runs a quick query on the replica, never on the primary. Returns undefined if the replica is unavailable or does not respond within
   * 500 ms.
   */
  tryQuery<T>(work: (connection: Connection) => Promise<T>): Promise<{ result: T } | undefined>
  /**
   * A database that runs its work on the replica, or on the primary if the replica fails. Work that fails on the replica is retried on the
   * primary.
   */
  reads: Database
  /** Returns `reads` if the text expression `state` has the same value on the replica and the primary, otherwise the primary. */
  pick(state: SQL): Promise<Database>
}

/**
 * The maximum total length of the statements that a pool prepares. PostgreSQL keeps a prepared statement until its connection closes,
 * using about a hundred times as much memory as its text, and searches produce many statements, because a search's SQL depends on the
 * number and the kinds of its words. Statements beyond the limit are parsed each time.
 */
const MAX_PREPARED = 500_000

/** Returns a function that decides whether to prepare a statement. The decision is always the same for the same text. */
function createPreparePolicy(): (text: string) => boolean {
  const prepared = new Set<string>()
  let length = 0
  return (text) => {
    if (prepared.has(text)) return true
    if (length + text.length > MAX_PREPARED) return false
    prepared.add(text)
    length += text.length
    return true
  }
}

const dialect = new PgDialect()

const compiled = new WeakMap<SQL, Statement>()

/** Returns the text and parameters of a query. Compiles each query object only once. */
export function compileStatement(query: SQL): Statement {
  const found = compiled.get(query) ?? dialect.sqlToQuery(query)
  compiled.set(query, found)
  return found
}

/**
 * Adds a row to its statement's result. The driver itself would store the row at an index that it tracks per connection, and it does not
 * reset the index if a statement fails after its first row: the next result on the connection would begin with empty elements
 * (porsager/postgres #1119).
 */
const addRow = (row: unknown, result: unknown) => void (result as unknown[]).push(row)

/**
 * A property of queries that makes them fail with their first error. The driver sets it before it retries a statement whose prepared form
 * is gone or outdated. Without this property, the driver would send the statement again after everything that is queued on the connection,
 * even a COMMIT or the statements of another transaction, and would serialize its parameters twice.
 */
const FAIL_ON_RETRY = {
  set(this: { cancelled: unknown; reject(error: unknown): void }, error: unknown) {
    this.cancelled = true
    this.reject(error)
  },
}

/** The PostgreSQL functions whose errors can mean that a prepared statement is gone or outdated, and was not executed. */
const STALE_STATEMENT_ROUTINES = new Set<unknown>(['FetchPreparedStatement', 'RevalidateCachedQuery', 'transformAssignedExpr'])

/**
 * Runs a statement. If its prepared form is gone or outdated, runs it again without preparing it. In a transaction,
 * the second attempt fails with the first error, because PostgreSQL has already aborted the transaction.
 */
async function retryUnprepared<T>(run: (prepare: boolean) => PromiseLike<T>, prepare: boolean): Promise<T> {
  try {
    return await run(prepare)
  } catch (error) {
    if (!prepare || !STALE_STATEMENT_ROUTINES.has((error as { routine?: unknown } | undefined)?.routine)) throw error
    return await run(false)
  }
}

/** Returns a connection that runs statements on `client`. */
function connection(client: Pick<ISql, 'unsafe'>, options: Sql['options'], shouldPrepare: (text: string) => boolean): Connection {
  let orm: Connection['orm'] | undefined
  const unsafe = (...args: Parameters<ISql['unsafe']>): PendingQuery<Row[]> => {
    // If a parameter is undefined, the driver rejects the statement that is running on the connection instead of this one, and the next
    // statement gets the wrong response.
    if (args[1]?.includes(undefined as never)) throw new TypeError('A parameter of the statement is undefined.')
    const [text, parameters, options] = args
    const query = client.unsafe(text, parameters, { ...options, onexecute: patchQueues } as object).forEach(addRow)
    return Object.defineProperty(query, 'retried', FAIL_ON_RETRY) as never
  }
  return {
    rows: async <Row>(query: SQL, values: Values = {}) => {
      const { sql, params } = compileStatement(query)
      const filled = fillPlaceholders(params, values) as never[]
      return (await retryUnprepared((prepare) => unsafe(sql, filled, { prepare }), shouldPrepare(sql))) as unknown as Row[]
    },
    bytes: async (query, values) => {
      const { sql, params } = compileStatement(query)
      const filled = fillPlaceholders(params, values) as never[]
      const found = await retryUnprepared((prepare) => unsafe(sql, filled, { prepare }).raw(), shouldPrepare(sql))
      return found as unknown as (Buffer | null)[][]
    },
    get orm() {
      // Drizzle uses only these members of a client. The schema is not passed, because Drizzle would evaluate it for each transaction.
      orm ??= drizzle({ unsafe, options } as unknown as Sql)
      return orm
    },
  }
}

/**
 * Waits for `work` for at most `ms` milliseconds, or for up to twice as long if the event loop was blocked in the meantime.
 *
 * @param onTimeout called if the time runs out
 * @throws {UnavailableError} if the time runs out
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, onTimeout: () => void): Promise<T> {
  let cancel = () => {}
  const timeout = new Promise<never>((_, reject) => {
    cancel = startTimer(ms, () => {
      onTimeout()
      reject(new UnavailableError(`The database did not respond within ${ms} ms.`, { code: 'driver_stalled' }))
    })
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    cancel()
  }
}

/**
 * Returns a client of a transaction that rejects statements after `maxMs` milliseconds, so that a transaction with many statements is
 * rolled back. Otherwise, it would count as stalled, and the pool with its other connections would be replaced.
 */
function limitTime(client: Pick<ISql, 'unsafe'>, maxMs: number): Pick<ISql, 'unsafe'> {
  const end = performance.now() + maxMs
  const unsafe: ISql['unsafe'] = (...args) => {
    if (performance.now() > end) throw new UnavailableError(`The transaction took longer than ${maxMs} ms.`, { code: 'statement_timeout' })
    return client.unsafe(...args)
  }
  return { unsafe }
}

/** Returns the name of a pool's connections in `pg_stat_activity`. */
export const nameConnection = (pool: string) => `checkout-desk ${pool}`

/** Opens a pool. It connects when a connection is first needed. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, name = 'general', max = 16, statementMs = STATEMENT_MS, lockMs = LOCK_MS, queue, keepsIdle = false } = options
  const opening = countOpening()
  const connect = () => {
    const settings = {
      ...hostOptions(url),
      socket: opening.socket,
      max,
      connect_timeout: CONNECT_SECONDS,
      ...(keepsIdle ? { idle_timeout: 0, max_lifetime: 0 } : { idle_timeout: IDLE_SECONDS }),
      // After a fault, check-in requests wait for a connection: reconnect immediately, then after delays that grow to one second.
      backoff: (tries: number) => Math.min(tries * 0.1, 1),
      onnotice: () => {},
      fetch_types: false,
      types: DRIVER_TYPES,
      // With the driver's limit of 100, a transaction that is queued behind 100 statements would never get its connection.
      max_pipeline: Number.POSITIVE_INFINITY,
      connection: {
        application_name: nameConnection(name),
        statement_timeout: statementMs,
        lock_timeout: lockMs,
        idle_in_transaction_session_timeout: statementMs * 2,
        // JIT compilation pays off only for long queries. These take milliseconds.
        jit: 'off',
        // A search that scans many rows may use one additional process. More would leave no CPU time for check-in.
        max_parallel_workers_per_gather: 1,
      },
    }
    return postgres(url, settings)
  }
  const semaphore = createSemaphore({
    name: `the connection pool '${name}'`,
    limit: max,
    waitMs: ACQUIRE_MS,
    // Time spent opening a connection does not count as waiting; `CONNECT_SECONDS` limits it.
    isProlonged: () => opening.count() > 0,
    ...(queue !== undefined && { queue }),
  })
  const shouldPrepare = createPreparePolicy()
  let client = connect()
  let shared = connection(client, client.options, shouldPrepare)

  const rebuild = () => {
    const old = client
    client = connect()
    shared = connection(client, client.options, shouldPrepare)
    void old.end({ timeout: RETIRE_SECONDS }).catch(() => {})
  }

  const runGuarded = async <T>(work: (client: Sql) => Promise<T>, seller?: string, maxMs = 0): Promise<T> => {
    const release = await semaphore.acquire(seller)
    const current = client
    const replace = () => current === client && rebuild()
    try {
      return await withTimeout(work(current), Math.max(statementMs, maxMs) + SLACK_MS, replace)
    } catch (error) {
      // If a connection closes with unsent data, the driver never writes to it again (porsager/postgres #1154). CONNECT_TIMEOUT is the
      // symptom. UNSAFE_TRANSACTION means that the driver has returned a connection with an open transaction to the pool.
      if ([...withCauses(error)].some(({ code }) => code === 'CONNECT_TIMEOUT' || code === 'UNSAFE_TRANSACTION')) replace()
      if (!isUnavailable(error) || (error as Error).name === 'UnavailableError') throw error
      throw new UnavailableError('The database is unavailable.', { cause: error })
    } finally {
      release()
    }
  }

  return {
    use: (work, seller) => runGuarded(() => work(shared), seller),
    query(query, values) {
      return this.use(({ rows }) => rows(query, values))
    },
    transaction: (work, seller, maxMs = 0) => {
      const isLong = maxMs > statementMs
      const begin = (pool: Sql) =>
        runTransaction(pool, (transaction) => {
          const limited = isLong ? limitTime(transaction, maxMs) : transaction
          return work(Object.assign(connection(limited, pool.options, shouldPrepare), { commit: transaction.commit }))
        })
      // The last statement can start at the end of the limit, and take as long again.
      return runGuarded(begin, seller, isLong ? 2 * maxMs : 0)
    },
    rebuild,
    load: semaphore.load,
    whenIdle: semaphore.whenIdle,
    close: async (seconds = 5) => {
      await client.end({ timeout: seconds })
    },
  }
}

/** The server's pools, one per kind of work. */
export type PoolName = 'general' | 'doors' | 'auth' | 'doorAuth' | 'jobs'

/** Stored on `globalThis`, because Next's bundle and the server each have a copy of this module but share the pools. */
const holder = globalThis as typeof globalThis & {
  checkoutDeskDatabase?: Database | undefined
  checkoutDeskPools?: ReadonlyMap<string, Database>
}

/** Sets the database that `database` returns by default. */
export function setDatabase(database: Database | undefined): void {
  holder.checkoutDeskDatabase = database
}

/** Sets the pools that `database` returns by name. */
export function setPools(pools: ReadonlyMap<string, Database>): void {
  holder.checkoutDeskPools = pools
}

/** Returns the names and pools of a server or of its page process, or an empty list in other processes. */
export const openedPools = (): [string, Database][] => [...(holder.checkoutDeskPools ?? [])]

/** Returns one of the server's pools, or undefined in other processes. */
export const openedPool = (name: PoolName): Database | undefined => holder.checkoutDeskPools?.get(name)

/** Returns whether a database has been opened in this process. */
export const hasDatabase = () => holder.checkoutDeskDatabase !== undefined

/**
 * Returns one of the process's pools. Processes other than the server's use a single pool for all kinds of work.
 *
 * @param name the kind of work
 * @throws {UnavailableError} if no database has been opened yet
 */
export function database(name: PoolName = 'general'): Database {
  const pool = (name === 'general' ? undefined : openedPool(name)) ?? holder.checkoutDeskDatabase
  if (!pool) throw new UnavailableError('No database has been opened yet.', { code: 'not_opened' })
  return pool
}

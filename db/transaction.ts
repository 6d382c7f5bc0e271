/**
 * Transactions that need fewer round trips than the driver's `begin`, which waits for BEGIN before it sends the first statement, and for
 * the last statement before it sends COMMIT. A transaction keeps its connection and its locks during each round trip.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ISql, PendingQuery, Row, Sql } from 'postgres'

/** A driver query (`src/query.js`), with members that its types lack. */
type Query = PendingQuery<Row[]> & {
  /** Sends the query. */
  handler(query: Query): void
  reject(error: unknown): void
}

/** A driver connection (`src/connection.js`), with the members that its `begin` uses. */
type DriverConnection = {
  /** Sends a query. Returns whether another query may be sent before the response to this one arrives. */
  execute(query: Query): unknown
  /**
   * While this is set, the driver sends no other queries on the connection, and calls this after each response if nothing else was sent.
   * The driver clears it when PostgreSQL reports that no transaction is open.
   */
  reserved: (() => void) | null
  /** Called when the connection has closed. */
  onclose: ((error: unknown) => void) | null
}

export type Transaction = {
  /** Creates a query in this transaction. @throws {Error} if the transaction has ended */
  unsafe: ISql['unsafe']
  /**
   * Sends COMMIT right after the statements that have been sent. If any of them fails, PostgreSQL rolls the transaction back instead, and
   * the transaction throws the statement's error. No statement may follow.
   */
  commit(): void
}

/** The SQLSTATE of statements that follow a failed one. */
const TRANSACTION_ABORTED = '25P02'

/**
 * Runs `work` in a READ COMMITTED transaction, and commits it unless one of its statements fails, or `work` fails before it calls `commit`.
 *
 * If the connection is lost, the remaining statements of `work` throw. The driver itself would send them on the connection that replaces
 * the lost one, in another caller's transaction (porsager/postgres #1216).
 */
export async function runTransaction<T>(pool: Sql, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  let connection: DriverConnection | undefined
  let canSend = false
  let isOver = false
  /** COMMIT or ROLLBACK, once sent. */
  let ending: PendingQuery<Row[]> | undefined
  const failures: unknown[] = []
  const waiting: Query[] = []

  let onLost = (_error: unknown) => {}
  const connectionLoss = new Promise<never>((_, reject) => {
    onLost = (error) => {
      isOver = true
      failures.push(error)
      for (const query of waiting.splice(0)) query.reject(error)
      reject(error)
    }
  })

  const send = (query: Query) => {
    if (isOver) query.reject(failures[0])
    else if (connection && canSend) canSend = Boolean(connection.execute(query))
    else waiting.push(query)
  }
  const sendWaiting = () => {
    canSend = true
    for (const query of waiting.splice(0)) send(query)
  }

  const create = (...args: Parameters<ISql['unsafe']>) => {
    if (ending) throw new Error('The transaction has already ended.')
    const query = pool.unsafe(...args) as unknown as Query
    query.handler = send
    query.catch((error: unknown) => failures.push(error))
    return query as unknown as PendingQuery<Row[]>
  }
  const unsafe = (...args: Parameters<ISql['unsafe']>) => {
    // PostgreSQL would reject the statement or, once ROLLBACK has been sent, run it outside the transaction.
    if (failures.length > 0) throw failures[0]
    return create(...args)
  }
  const end = (command: 'commit' | 'rollback') => {
    if (ending) return ending
    const sent = create(command).execute()
    ending = sent
    // Once COMMIT or ROLLBACK has succeeded, others may use the connection.
    const release = () => {
      if (connection?.onclose === onLost) connection.onclose = null
    }
    sent.then(release, () => {})
    return sent
  }

  const onexecute = (used: DriverConnection) => {
    connection = used
    used.reserved = sendWaiting
    used.onclose = onLost
    sendWaiting()
    // The driver must not send other queries on this connection.
    return false
  }
  // BEGIN fails if there is no connection.
  pool.unsafe('begin', [], { onexecute } as object).catch(onLost)

  const run = async () => {
    try {
      const result = await work({ unsafe: unsafe as unknown as ISql['unsafe'], commit: () => void end('commit') })
      if (failures.length > 0) throw failures[0]
      const { command } = await end('commit')
      if (failures.length > 0) throw failures[0]
      if (command !== 'COMMIT') throw new Error(`The transaction ended with ${command}.`)
      return result
    } catch (error) {
      // If the connection is lost, the driver rejects the running statement first, and calls `onclose` later.
      await pause(0)
      // `end` does nothing if COMMIT has been sent: even if it failed, others may already be using the connection.
      if (!isOver) await end('rollback').catch(() => {})
      throw (error as { code?: unknown } | undefined)?.code === TRANSACTION_ABORTED ? failures[0] : error
    }
  }
  try {
    return await Promise.race([run(), connectionLoss])
  } finally {
    isOver = true
  }
}

/**
 * Transactions with two round trips fewer than those of the driver's `begin`, which waits for BEGIN before the first statement, and for the
 * last statement before COMMIT. Meanwhile, a transaction keeps its connection and its locks.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ISql, PendingQuery, Row, Sql } from 'postgres'

/** A query of the driver (`src/query.js`), with members that its types lack. */
type Query = PendingQuery<Row[]> & {
  /** Called once the query should be sent. */
  handler(query: Query): void
  reject(error: unknown): void
}

/** A connection of the driver (`src/connection.js`), with the members that its `begin` uses, too. */
type DriverConnection = {
  /** Sends a query. Returns whether the next one may be sent before its response has arrived. */
  execute(query: Query): unknown
  /**
   * While this is set, the driver sends no other queries on the connection, and calls this after each response if nothing else was sent. It
   * unsets it when PostgreSQL reports that no transaction is open.
   */
  reserved: (() => void) | null
  /** Called when the connection has closed. */
  onclose: ((error: unknown) => void) | null
}

export type Transaction = {
  /** Creates a query of this transaction. @throws {Error} if the transaction has ended */
  unsafe: ISql['unsafe']
  /**
   * Sends COMMIT right behind the statements that have been sent. If any of them fails, PostgreSQL rolls the transaction back instead, and
   * the transaction throws the statement's error. No statement may follow.
   */
  commit(): void
}

/** The SQLSTATE of statements that follow a failed one. */
const TRANSACTION_ABORTED = '25P02'

/**
 * Runs `work` in a READ COMMITTED transaction, and commits it unless `work` or one of its statements fails.
 *
 * If the connection is lost, the remaining statements of `work` throw. The driver would send them on the connection that replaces it, in
 * another caller's transaction (porsager/postgres #1216).
 */
export async function runTransaction<T>(pool: Sql, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  let connection: DriverConnection | undefined
  let canSend = false
  let isOver = false
  const failures: unknown[] = []
  let committing: Promise<unknown> | undefined
  const waiting: Query[] = []

  const send = (query: Query) => {
    if (connection && canSend) canSend = Boolean(connection.execute(query))
    else waiting.push(query)
  }
  const sendWaiting = () => {
    canSend = true
    for (const query of waiting.splice(0)) send(query)
  }

  const unsafe = (...given: Parameters<ISql['unsafe']>) => {
    if (isOver || committing) throw new Error('The transaction of this statement has ended.')
    const query = pool.unsafe(...given) as unknown as Query
    query.handler = send
    query.catch((error: unknown) => failures.push(error))
    return query
  }
  const commit = () => {
    committing ??= unsafe('commit').execute()
  }

  let lose = (_error: unknown) => {}
  const lost = new Promise<never>((_, reject) => {
    lose = (error) => {
      isOver = true
      for (const query of waiting.splice(0)) query.reject(error)
      reject(error)
    }
  })
  const onexecute = (used: DriverConnection) => {
    connection = used
    connection.reserved = sendWaiting
    connection.onclose = lose
    sendWaiting()
    // The driver must not send other queries on this connection.
    return false
  }
  // BEGIN fails only without a connection.
  pool.unsafe('begin', [], { onexecute } as object).catch(lose)

  const run = async () => {
    try {
      const result = await work({ unsafe: unsafe as unknown as ISql['unsafe'], commit })
      if (failures.length === 0) commit()
      await committing
      if (failures.length > 0) throw failures[0]
      return result
    } catch (error) {
      // If the connection is lost, the driver rejects the running statement first, and calls `onclose` later.
      await pause(0)
      // After COMMIT, even a failed one, the connection may already be used by others.
      if (!isOver) await (committing ?? unsafe('rollback')).catch(() => {})
      throw (error as { code?: unknown }).code === TRANSACTION_ABORTED ? failures[0] : error
    }
  }
  try {
    return await Promise.race([run(), lost])
  } finally {
    isOver = true
  }
}

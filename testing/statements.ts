/** Captures, counts and explains the SQL statements run by a function. */
import { fillPlaceholders } from 'drizzle-orm'
import postgres from 'postgres'
import { type Connection, compileStatement, database, type Statement, setDatabase } from '@/db/client'

/** Returns the statements that `work` runs, in order, except BEGIN, COMMIT and those of the query builder (`orm`). */
export async function captureStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const real = database()
  const captured: Statement[] = []
  const withCapture = (connection: Connection): Connection => ({
    rows: (query, values = {}) => {
      const { sql, params } = compileStatement(query)
      captured.push({ sql, params: fillPlaceholders(params, values) })
      return connection.rows(query, values)
    },
    bytes: (query, values) => {
      const { sql, params } = compileStatement(query)
      captured.push({ sql, params: fillPlaceholders(params, values) })
      return connection.bytes(query, values)
    },
    get orm() {
      return connection.orm
    },
  })
  setDatabase({
    ...real,
    use: (callback) => real.use((connection) => callback(withCapture(connection))),
    transaction: (callback) => real.transaction((connection) => callback(withCapture(connection))),
  })
  try {
    await work()
  } finally {
    setDatabase(real)
  }
  return captured
}

/**
 * Returns the number of statements that `work` runs, including BEGIN and COMMIT.
 *
 * @param afterCommit the error that every statement after a COMMIT throws
 */
export async function countStatements(work: () => Promise<unknown>, afterCommit?: Error): Promise<number> {
  const real = database()
  let count = 0
  let isCommitted = false
  const send = <T>(run: () => T): T => {
    if (isCommitted && afterCommit) throw afterCommit
    count += 1
    return run()
  }
  const counting = (connection: Connection): Connection => ({
    rows: async (query, values) => send(() => connection.rows(query, values)),
    bytes: async (query, values) => send(() => connection.bytes(query, values)),
    get orm() {
      return send(() => connection.orm)
    },
  })
  setDatabase({
    ...real,
    use: (callback) => real.use((connection) => callback(counting(connection))),
    transaction: async (callback) => {
      count += 2
      const result = await real.transaction((connection) => callback(counting(connection)))
      isCommitted = true
      return result
    },
  })
  try {
    await work()
  } finally {
    setDatabase(real)
  }
  return count
}

export type PlanNode = {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Heap Fetches'?: number
  Plans?: PlanNode[]
}

/** Runs a statement and returns all nodes of its query plan, outermost first. */
export async function explain(url: string, { sql, params }: Statement): Promise<PlanNode[]> {
  const client = postgres(url, { max: 1 })
  const [row] = await client.unsafe<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(`explain (analyze, format json) ${sql}`, params as never[])
  await client.end()
  const collectNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(collectNodes)]
  return row ? collectNodes(row['QUERY PLAN'][0].Plan) : []
}

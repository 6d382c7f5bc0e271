/** Which statements a piece of work runs, and how PostgreSQL carries them out. */
import { type SQL, sql } from 'drizzle-orm'
import { type Connection, type Database, database, setDatabase } from '@/db/client'

/** Runs `work` and hands back the statements that it ran, in order; those of a transaction without its BEGIN and COMMIT. */
export async function statementsOf(work: () => Promise<unknown>): Promise<SQL[]> {
  const real = database()
  const run: SQL[] = []
  const watched = (connection: Connection): Connection => ({
    rows: (query) => {
      run.push(query)
      return connection.rows(query)
    },
    get orm() {
      return connection.orm
    },
  })
  const watching: Database = {
    ...real,
    use: (its) => real.use((connection) => its(watched(connection))),
    transaction: (its) => real.transaction((connection) => its(watched(connection))),
  }
  setDatabase(watching)
  try {
    await work()
  } finally {
    setDatabase(real)
  }
  return run
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

/** Every node of the plan by which a statement was carried out. */
export async function planOf(query: SQL): Promise<PlanNode[]> {
  const [row] = await database().use(({ rows }) =>
    rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(sql`explain (analyze, format json) ${query}`),
  )
  const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)]
  return row ? nodes(row['QUERY PLAN'][0].Plan) : []
}

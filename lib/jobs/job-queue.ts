/** The job queue: pg-boss, using our own connection pool. Several servers share its jobs. */
import PgBoss from 'pg-boss'
import { type Connection, database } from '@/db/client'
import { adaptStatement } from '@/db/queue'
import { log } from '../core/log'
import { bindParameters } from '../core/sql'

const MAINTENANCE_SECONDS = 30
/** How many seconds finished jobs stay in the queue, and then in its archive. They are not needed: the log contains their errors. */
const ARCHIVE_SECONDS = 600

/** Runs a statement of pg-boss. @returns its rows */
const run = async (connection: Connection, sql: string, parameters?: unknown[]) => {
  const { text, values } = adaptStatement(sql, parameters)
  return connection.rows(bindParameters(text, values))
}

/** Runs a statement of pg-boss, or several statements in a transaction if the text starts with BEGIN. */
async function executeSql(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
  const pool = database('jobs')
  if (!/^\s*BEGIN;/.test(sql)) return { rows: await pool.use((connection) => run(connection, sql, values)) }
  const statements = sql.split(';').map((statement) => statement.trim())
  await pool.transaction(async (connection) => {
    for (const statement of statements) if (!/^(BEGIN|COMMIT|)$/.test(statement)) await run(connection, statement)
  })
  return { rows: [] }
}

/** Opens the queue. @throws {Error} if the database cannot be reached or lacks the queue's tables */
export async function openQueue(): Promise<PgBoss> {
  const queue = new PgBoss({
    db: { executeSql },
    migrate: false,
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
    archiveCompletedAfterSeconds: ARCHIVE_SECONDS,
    deleteAfterSeconds: ARCHIVE_SECONDS,
    schedule: false,
  })
  queue.on('error', (error) => log().warn({ error }, 'job queue error'))
  await queue.start()
  return queue
}

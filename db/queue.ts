/** Defines the job queues, and creates pg-boss's tables for them in the schema `pgboss`. */
import type { Sql } from 'postgres'

/** The queues. A job that takes longer than `expireInSeconds` is retried, because its server has probably crashed. */
const QUEUES = {
  /** Sends due webhook deliveries. Contains at most one waiting job per endpoint. */
  webhooks: { policy: 'short', expireInSeconds: 60 },
  /** Deletes expired rows. */
  purge: { policy: 'short', expireInSeconds: 600 },
  /** Processes Stripe events that a crash or an outage left unprocessed. */
  stripe_events: { policy: 'short', expireInSeconds: 600 },
  /** Derives the keys of weak ticket codes, for the ticket lists of check-in devices. */
  code_keys: { policy: 'short', expireInSeconds: 600 },
} as const

export type QueueName = keyof typeof QUEUES

/**
 * Adapts a statement of pg-boss, which expects node-postgres, to postgres.js: JSON and UUIDs are sent as text.
 *
 * @returns the statement with additional casts, and the values with JSON as text
 */
export function adaptStatement(text: string, values: readonly unknown[] = []): { text: string; values: unknown[] } {
  const isJson = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  const cast = text
    .replaceAll(/(\$\d+)::uuid\[\]/g, '$1::text[]::uuid[]')
    .replaceAll(/json_to_recordset\((\$\d+)\)/g, 'json_to_recordset($1::text::json)')
    .replaceAll(/\$(\d+)/g, (parameter, position) => (isJson(values[Number(position) - 1]) ? `${parameter}::text::json` : parameter))
  return { text: cast, values: values.map((value) => (isJson(value) ? JSON.stringify(value) : (value ?? null))) }
}

/**
 * Creates or upgrades pg-boss's tables, creates missing queues, and grants the server's role access to the tables.
 *
 * @param client a client with a single connection, logged in as the user who owns the tables
 */
export async function migrateQueue(client: Sql): Promise<void> {
  // Imported dynamically, because only migrations and servers need pg-boss.
  const { default: PgBoss } = await import('pg-boss')
  const executeSql = async (sql: string, parameters?: unknown[]) => {
    const { text, values } = adaptStatement(sql, parameters)
    return { rows: await client.unsafe(text, values as never[]) }
  }
  const queue = new PgBoss({ db: { executeSql }, supervise: false, schedule: false })
  await queue.start()
  for (const [name, options] of Object.entries(QUEUES)) await queue.createQueue(name, { name, ...options })
  await queue.stop({ graceful: false })
  await client`
    do $$ begin
      if exists (select from pg_roles where rolname = 'desk_server') then
        grant usage on schema pgboss to desk_server;
        grant select, insert, update, delete on all tables in schema pgboss to desk_server;
      end if;
    end $$`
}

/** Generates tickets for the admission benchmarks, and implements their reference: postgres.js running an admission's statements. */
import postgres from 'postgres'
import { type Database, openDatabase, type Statement, setDatabase } from '@/db/client'
import { validateTicket } from '@/lib/admission/change-ticket'
import { serializeResult } from '@/testing/admission'
import { captureStatements } from '@/testing/statements'
import { sellerId } from './data'

/** The number of doors admitting guests concurrently. */
export const DOORS = 50
export const toCode = (ticket: number) => `bench-ticket-${ticket}`

const EVENTS = 12
export const toEventId = (event: number) => `65a0b1c2d3e4f5a6b7c9${event.toString(16).padStart(4, '0')}`

/** Fills an empty, migrated database with one seller's tickets for 12 events with four ticket types each. None is checked in. */
export async function makeTickets(url: string, tickets: number): Promise<void> {
  const sql = postgres(url, { max: 1 })
  const seller = sellerId(0)
  await sql`set desk.events = 'off'`
  await sql`insert into sellers (id, name) values (${seller}, 'Doors')`
  for (let event = 0; event < EVENTS; event += 1)
    await sql`insert into pages (seller_id, id, name) values (${seller}, ${toEventId(event)}, ${`Evening ${event}`})`
  await sql`
    insert into tickets (seller_id, record, qr_code)
    select ${seller}, json_build_object('id', lpad(to_hex(n), 24, '0'), 'sellerId', ${seller}::text, 'status', 'PAID',
      'pageId', '65a0b1c2d3e4f5a6b7c9' || lpad(to_hex(n % ${EVENTS}::int), 4, '0'), 'ticketTypeId', 'type-' || n % 4,
      'orderId', 'OR-' || n, 'customerName', 'Guest ' || n, 'customerEmail', 'guest' || n || '@example.com', 'ticketShortId', 'T' || n,
      'createdAt', '2026-01-01T00:00:00.000Z', 'updatedAt', '2026-01-01T00:00:00.000Z'), 'bench-ticket-' || n
    from generate_series(0, ${tickets}::int) as n`
  await sql`vacuum (analyze)`
  await sql.end()
}

const toId = (ticket: number) => ticket.toString(16).padStart(24, '0')

/** Returns the statement of one step for a ticket. @param now the time of the admission in ISO 8601 */
type Step = (ticket: number, now: string) => { sql: string; values: never[] }

/** Turns a statement captured for the ticket `sample` into one for any ticket and time. */
function toStep({ sql, params }: Statement, sample: number): Step {
  const isInstant = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value)
  return (ticket, now) => ({
    sql,
    values: params.map((value) =>
      value === toCode(sample) ? toCode(ticket) : value === toId(sample) ? toId(ticket) : isInstant(value) ? now : value,
    ) as never[],
  })
}

/** Captures the three statements that the product sends for an admission. */
async function captureSteps(url: string, sample: number): Promise<[lock: Step, context: Step, write: Step]> {
  const pool: Database = openDatabase({ url, max: 1 })
  setDatabase(pool)
  const statements = await captureStatements(() =>
    validateTicket(
      { sellerId: sellerId(0), code: toCode(sample), metadata: [], checkIn: true, actorId: sellerId(1), body: {} },
      serializeResult,
    ),
  )
  setDatabase(undefined)
  await pool.close(0)
  const [lock, context, write] = statements.map((statement) => toStep(statement, sample))
  if (!lock || !context || !write) throw new Error('An admission no longer consists of three statements.')
  return [lock, context, write]
}

/**
 * Admits tickets over 16 connections, from the same number of doors as in the benchmark of the product.
 *
 * @param first the number of the ticket used to capture the statements; every second ticket after it is admitted
 * @returns the number of admitted tickets
 */
async function admitWithPostgresJs(url: string, first: number, seconds: number): Promise<number> {
  const [lock, context, write] = await captureSteps(url, first)
  const sql = postgres(url, { max: 16 })
  const until = Date.now() + seconds * 1000
  let next = first + 2
  let admitted = 0
  const run = (transaction: postgres.TransactionSql, step: { sql: string; values: never[] }) =>
    transaction.unsafe(step.sql, step.values, { prepare: true })
  const door = async () => {
    while (Date.now() < until) {
      const ticket = next
      next += 2
      await sql.begin(async (transaction) => {
        const [, [row]] = await Promise.all([run(transaction, lock(ticket, '')), run(transaction, context(ticket, ''))])
        await run(transaction, write(ticket, String(row?.now)))
      })
      admitted += 1
    }
  }
  await Promise.all(Array.from({ length: DOORS }, door))
  await sql.end()
  return admitted
}

if (process.argv[2] === 'bare') {
  const [url = '', first = '', seconds = ''] = process.argv.slice(3)
  const admitted = await admitWithPostgresJs(url, Number(first), Number(seconds))
  process.stdout.write(`admitted ${admitted}\n`)
  process.exit(0)
}

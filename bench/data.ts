/** Generates the benchmark databases. Payments are inserted with COPY, with the product's triggers, in random or chronological order. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import postgres, { type TransactionSql } from 'postgres'
import { migrateDatabase } from '@/db/migrate'
import journal from '@/db/migrations/meta/_journal.json' with { type: 'json' }
import { paymentText, shuffled } from './payment-text'

/** The contents of a generated database. */
export type Layout = {
  name: string
  /** Whether all payments are short. */
  isShort?: boolean
  /** The number of payments per seller. Sellers from the third on are filler, with short payments. */
  sellers: number[]
  /** The physical order of the rows: random, as after an import, or chronological, as when records are created one by one. */
  order: 'random' | 'chronological'
}

/** Returns whether a seller's payments are short: a third of the usual length. */
const hasShortPayments = ({ isShort = false }: Layout, seller: number) => isShort || seller >= 2

/** Returns a seller's ID, which is the same in every run. */
export const sellerId = (seller: number) => `65000000000000000000${seller.toString(16).padStart(4, '0')}`

/** The number of rows per COPY, to limit the size of the triggers' transition tables. */
const ROWS_PER_COPY = 50_000
/** The number of rows per chunk of COPY data. */
const ROWS_PER_CHUNK = 500

/** Yields the indexes of a seller's payments (0 is the newest) in insertion order. */
function* insertionOrder(payments: number, order: Layout['order']): Generator<number> {
  if (order === 'random') yield* shuffled(payments)
  else for (let nth = payments - 1; nth >= 0; nth -= 1) yield nth
}

/** Yields the data of one COPY in chunks: up to `ROWS_PER_COPY` of the remaining payments. */
function* copyText(seller: number, isShort: boolean, from: Generator<number>) {
  const id = sellerId(seller)
  let [text, rows] = ['', 0]
  for (let next = from.next(); !next.done; next = rows === ROWS_PER_COPY ? { done: true, value: undefined } : from.next()) {
    const { record, secrets } = paymentText(id, seller, next.value, isShort)
    text += `${id}\t${record}\t${secrets}\n`
    rows += 1
    if (rows % ROWS_PER_CHUNK > 0) continue
    yield text
    text = ''
  }
  yield text
}

/** Inserts a seller's payments. @param skip the number of payments to omit at the end of the insertion order */
async function copyPayments(sql: TransactionSql, seller: number, payments: number, layout: Layout, skip = 0): Promise<void> {
  const all = insertionOrder(payments, layout.order)
  const selected = (function* () {
    for (let row = 0; row < payments - skip; row += 1) yield Number(all.next().value)
  })()
  for (let copied = 0; copied < payments - skip; copied += ROWS_PER_COPY) {
    const writable = await sql.unsafe(`copy payments (seller_id, record, secrets) from stdin`).writable()
    await pipeline(Readable.from(copyText(seller, hasShortPayments(layout, seller), selected)), writable)
  }
}

type Index = { name: string; definition: string }

/** Returns the planner's estimate of the correlation between physical row order and creation time, from -1 to 1. */
async function readCorrelation(url: string): Promise<number> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [row] = await sql<{ correlation: number }[]>`
      select correlation from pg_stats where schemaname = 'public' and tablename = 'payments' and attname = 'created_at'`
    return row?.correlation ?? Number.NaN
  } finally {
    await sql.end()
  }
}

/**
 * Fills an empty, migrated database.
 *
 * @param logProgress called at the start of each step
 * @param skip the number of the first seller's payments to omit at the end of the insertion order
 */
export async function fill(url: string, layout: Layout, logProgress: (text: string) => void, skip = 0): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const indexes = await sql<Index[]>`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'payments' and indexname not in (select conname from pg_constraint)`
    for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
    await sql.begin(async (transaction) => {
      // COPY into a table that was truncated in the same transaction is not WAL-logged.
      await transaction`truncate payments`
      await transaction`set local desk.events = 'off'`
      for (const [seller, payments] of layout.sellers.entries()) {
        logProgress(`${payments.toLocaleString('en')} payments`)
        await transaction`insert into sellers (id, name) values (${sellerId(seller)}, ${`Seller ${seller}`})`
        await copyPayments(transaction, seller, payments, layout, seller === 0 ? skip : 0)
      }
    })
    await sql`set maintenance_work_mem = '1GB'`
    for (const { name, definition } of indexes) {
      logProgress(name)
      await sql.unsafe(definition)
    }
    logProgress('vacuum')
    await sql.unsafe('vacuum (analyze)')
    await sql`create table bench_made as select ${JSON.stringify([VERSION, layout, LATEST_MIGRATION])}::text as what`
  } finally {
    await sql.end()
  }
}

/** The version of the generated data. Increment this when the data changes. */
const VERSION = 3
/** The latest migration. Databases generated with an earlier one are regenerated. */
const LATEST_MIGRATION = journal.entries.at(-1)?.tag

/** Returns the connection string of another database on the same server. */
export const toUrl = (url: string, name: string) => url.replace(/\/[^/]*$/, `/${name}`)

/** Returns whether a database was generated from this layout, version and migration. */
async function isGenerated(url: string, layout: Layout): Promise<boolean> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [made] = await sql<{ what: string }[]>`select what from bench_made`
    return made?.what === JSON.stringify([VERSION, layout, LATEST_MIGRATION])
  } catch {
    // The database is missing or incomplete.
    return false
  } finally {
    await sql.end()
  }
}

/** Creates an empty, migrated database, replacing any existing one. @returns its connection string */
export async function createEmpty(cluster: string, name: string): Promise<string> {
  const admin = postgres(cluster, { max: 1, onnotice: () => {} })
  await admin.unsafe(`drop database if exists ${name} with (force)`)
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  await migrateDatabase(toUrl(cluster, name))
  return toUrl(cluster, name)
}

/**
 * Generates a database unless it already exists with the same layout.
 *
 * @returns its connection string
 * @throws if the row order should be random but correlates with creation time
 */
export async function makeDatabase(cluster: string, layout: Layout, logProgress: (text: string) => void): Promise<string> {
  const url = toUrl(cluster, layout.name)
  if (!(await isGenerated(url, layout))) {
    await createEmpty(cluster, layout.name)
    await fill(url, layout, (text) => logProgress(`${layout.name}: ${text}`))
  }
  const correlation = await readCorrelation(url)
  logProgress(`${layout.name}: the correlation of created_at with the order of the rows is ${correlation.toFixed(3)}`)
  if (layout.order === 'random' && Math.abs(correlation) >= 0.05) throw new Error(`${layout.name} is not in random order.`)
  return url
}

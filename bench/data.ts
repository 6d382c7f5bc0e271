/** Generates the measured databases: payments by COPY with triggers disabled, indexes built afterward. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import postgres, { type Sql, type TransactionSql } from 'postgres'
import { openDatabase, setDatabase } from '@/db/client'
import { migrateDatabase } from '@/db/migrate'
import { recount } from '@/lib/listing/recount'
import { COPY_COLUMNS, paymentLine } from './payment-text'

/** The number of payments of each seller. The third and later sellers only fill the table, with shorter payments. */
export type Layout = { name: string; sellers: number[] }

const isFiller = (seller: number) => seller >= 2

/** Returns a seller's ID, which is the same in each run. */
export const sellerId = (seller: number) => `65000000000000000000${seller.toString(16).padStart(4, '0')}`

const CHUNK = 500

function* copyText(seller: number, payments: number) {
  const id = sellerId(seller)
  // Oldest first, as in a real shop.
  for (let nth = payments - 1; nth >= 0; nth -= CHUNK) {
    let text = ''
    for (let at = nth; at > nth - CHUNK && at >= 0; at -= 1) text += paymentLine(id, seller, at, isFiller(seller))
    yield text
  }
}

async function copyPayments(sql: TransactionSql, seller: number, payments: number): Promise<void> {
  const writable = await sql.unsafe(`copy payments (${COPY_COLUMNS}) from stdin`).writable()
  await pipeline(Readable.from(copyText(seller, payments)), writable)
}

type Index = { name: string; definition: string }

/** Repairs the counts, which the disabled triggers did not maintain. */
async function recountIn(url: string): Promise<void> {
  const pool = openDatabase({ url, max: 1, statementMs: 30 * 60_000 })
  setDatabase(pool)
  await recount(true)
  setDatabase(undefined)
  await pool.close()
}

/** Fills an empty, migrated database. @param say reports progress */
export async function fill(url: string, { sellers }: Layout, say: (text: string) => void): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const indexes = await sql<Index[]>`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'payments' and indexname not in (select conname from pg_constraint)`
    await sql.unsafe(`alter table payments disable trigger user`)
    for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
    await sql.begin(async (transaction) => {
      // COPY into a table that was truncated in the same transaction skips the write-ahead log.
      await transaction`truncate payments`
      for (const [seller, payments] of sellers.entries()) {
        say(`${payments.toLocaleString('en')} payments`)
        await transaction`insert into sellers (id, name) values (${sellerId(seller)}, ${`Seller ${seller}`})`
        await copyPayments(transaction, seller, payments)
      }
    })
    await sql`set maintenance_work_mem = '1GB'`
    for (const { name, definition } of indexes) {
      say(name)
      await sql.unsafe(definition)
    }
    await sql.unsafe(`alter table payments enable trigger user`)
    say('counts, vacuum')
    await recountIn(url)
    await sql.unsafe('vacuum (analyze)')
    await sql`create table bench_made as select ${JSON.stringify([VERSION, sellers, await migrations(sql)])}::text as what`
  } finally {
    await sql.end()
  }
}

/** The version of the generated data. Increment it when the data changes. */
const VERSION = 1

export const urlOf = (url: string, name: string) => url.replace(/\/[^/]*$/, `/${name}`)

async function isMade(url: string, { sellers }: Layout): Promise<boolean> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [made] = await sql<{ what: string }[]>`select what from bench_made`
    return made?.what === JSON.stringify([VERSION, sellers, await migrations(sql)])
  } catch {
    // The database is missing or incomplete.
    return false
  } finally {
    await sql.end()
  }
}

const migrations = async (sql: Sql) => Number((await sql`select count(*)::int as applied from drizzle.__drizzle_migrations`)[0]?.applied)

/** Generates a database, unless it exists with the same layout. @returns its connection string */
export async function makeDatabase(cluster: string, layout: Layout, say: (text: string) => void): Promise<string> {
  const url = urlOf(cluster, layout.name)
  if (await isMade(url, layout)) return url
  const admin = postgres(cluster, { max: 1, onnotice: () => {} })
  await admin.unsafe(`drop database if exists ${layout.name} with (force)`)
  await admin.unsafe(`create database ${layout.name}`)
  await admin.end()
  await migrateDatabase(url)
  await fill(url, layout, (text) => say(`${layout.name}: ${text}`))
  return url
}

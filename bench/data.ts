/** The databases that are measured: payments by COPY, their triggers off and their indexes built afterwards. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import postgres, { type Sql } from 'postgres'
import { migrateDatabase } from '@/db/migrate'
import { COPY_COLUMNS, paymentLine } from './payment-text'

/** How many payments each seller of a database has. */
export type Layout = { name: string; sellers: number[] }

/** Ids that are the same in each run. */
export const sellerId = (seller: number) => `65000000000000000000${seller.toString(16).padStart(4, '0')}`

const CHUNK = 500

function* textOf(seller: number, payments: number) {
  const id = sellerId(seller)
  // The oldest first, as they would have come.
  for (let nth = payments - 1; nth >= 0; nth -= CHUNK) {
    let text = ''
    for (let at = nth; at > nth - CHUNK && at >= 0; at -= 1) text += paymentLine(id, seller, at)
    yield text
  }
}

async function copyPayments(sql: Sql, seller: number, payments: number): Promise<void> {
  const writable = await sql.unsafe(`copy payments (${COPY_COLUMNS}) from stdin`).writable()
  await pipeline(Readable.from(textOf(seller, payments)), writable)
}

type Index = { name: string; definition: string }

/** Fills an empty, migrated database. @param say told what is being done */
export async function fill(url: string, { sellers }: Layout, say: (what: string) => void): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const indexes = await sql<Index[]>`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'payments' and indexname not in (select conname from pg_constraint)`
    await sql.unsafe(`alter table payments disable trigger user`)
    for (const { name } of indexes) await sql.unsafe(`drop index ${name}`)
    for (const [seller, payments] of sellers.entries()) {
      await sql`insert into sellers (id, name) values (${sellerId(seller)}, ${`Seller ${seller}`})`
      say(`${payments.toLocaleString('en')} payments`)
      await copyPayments(sql, seller, payments)
    }
    await sql`set maintenance_work_mem = '1GB'`
    for (const { name, definition } of indexes) {
      say(name)
      await sql.unsafe(definition)
    }
    await sql.unsafe(`alter table payments enable trigger user`)
    say('vacuum')
    await sql.unsafe('vacuum (analyze) payments')
  } finally {
    await sql.end()
  }
}

/** A database of the cluster, made where it is missing. */
export async function makeDatabase(url: string, layout: Layout, say: (what: string) => void): Promise<string> {
  const { name } = layout
  const its = url.replace(/\/[^/]*$/, `/${name}`)
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  await admin.unsafe(`drop database if exists ${name} with (force)`)
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  await migrateDatabase(its)
  await fill(its, layout, say)
  return its
}

/** Writes everything in a database to one file, as it stood in one moment, while the server goes on. */
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import postgres, { type TransactionSql } from 'postgres'
import { copyTarget, readTables, readVersion, type Table } from './tables'

export const FORMAT = 'checkout-desk-backup 1'
/** Ends a table's rows, as in pg_dump: no row of COPY's text format reads so. */
export const END = '\\.'

const LINE_FEED = 0x0a

export type Counted = { tables: number; rows: number }

/** COPY's text ends each row with a line feed, and holds no other. */
async function* rowsOf(sql: TransactionSql, table: Table, counted: Counted): AsyncGenerator<Buffer> {
  const copied = (await sql.unsafe(`copy ${copyTarget(table)} to stdout`).readable()) as Readable
  for await (const piece of copied as AsyncIterable<Buffer>) {
    for (const byte of piece) if (byte === LINE_FEED) counted.rows += 1
    yield piece
  }
  // The driver stops reading where a last row fills its buffer, and goes on only when it is asked for more.
  copied._read(0)
}

async function* linesOf(sql: TransactionSql, counted: Counted): AsyncGenerator<Buffer> {
  const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`)
  yield line({ format: FORMAT, version: await readVersion(sql) })
  for (const table of await readTables(sql)) {
    yield line(table)
    yield* rowsOf(sql, table, counted)
    yield Buffer.from(`${END}\n`)
    counted.tables += 1
  }
}

/**
 * @param url of the database, as a user who may read every table
 * @param path of the file, which appears when it is whole; readable by its owner alone, for it holds everything
 */
export async function writeBackup(url: string, path: string): Promise<Counted> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  const draft = `${path}.draft`
  const counted = { tables: 0, rows: 0 }
  try {
    // One moment for all tables.
    await client.begin('isolation level repeatable read read only', (sql) =>
      pipeline(linesOf(sql, counted), createGzip({ level: 6 }), createWriteStream(draft, { mode: 0o600 })),
    )
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
    await client.end({ timeout: 5 })
  }
  return counted
}

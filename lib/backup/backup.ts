/** Writes a consistent snapshot of a database to one file, while the server keeps running. */
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import postgres, { type TransactionSql } from 'postgres'
import { copyTarget, readTables, readVersion, type Table } from './tables'

export const FORMAT = 'checkout-desk-backup 1'
/** Marks the end of a table's rows, as in pg_dump. No row in COPY's text format equals it. */
export const END = '\\.'

const LINE_FEED = 0x0a

export type BackupCounts = { tables: number; rows: number }

/** In COPY's text format, every line feed ends a row. */
async function* copyRows(sql: TransactionSql, table: Table, counts: BackupCounts): AsyncGenerator<Buffer> {
  const copied = (await sql.unsafe(`copy ${copyTarget(table)} to stdout`).readable()) as Readable
  for await (const chunk of copied as AsyncIterable<Buffer>) {
    for (const byte of chunk) if (byte === LINE_FEED) counts.rows += 1
    yield chunk
  }
  // If the last row fills the driver's buffer, the driver stops reading until more is requested.
  copied._read(0)
}

async function* backupLines(sql: TransactionSql, counts: BackupCounts): AsyncGenerator<Buffer> {
  const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`)
  yield line({ format: FORMAT, version: await readVersion(sql) })
  for (const table of await readTables(sql)) {
    yield line(table)
    yield* copyRows(sql, table, counts)
    yield Buffer.from(`${END}\n`)
    counts.tables += 1
  }
}

/**
 * Writes every table to a file that only its owner can read. The file appears only when it is complete.
 *
 * @param url the connection string of a user who can read every table
 */
export async function writeBackup(url: string, path: string): Promise<BackupCounts> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  const draft = `${path}.draft`
  const counts = { tables: 0, rows: 0 }
  try {
    // All tables are read in one snapshot.
    await client.begin('isolation level repeatable read read only', (sql) =>
      pipeline(backupLines(sql, counts), createGzip({ level: 6 }), createWriteStream(draft, { mode: 0o600 })),
    )
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
    await client.end({ timeout: 5 })
  }
  return counts
}

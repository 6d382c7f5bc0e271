/** Writes a consistent snapshot of the schema `public` to one file, while the server keeps running. */
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { PendingQuery, Row, TransactionSql } from 'postgres'
import { openConnection } from '@/db/connection'
import { writeOutput } from '../core/standard-output'
import { copyTarget, readSchemaVersion, readTables, type Table } from './tables'

/** The name of the format, in the first line of every backup. */
export const FORMAT = 'checkout-desk-backup 1'
/** Marks the end of a table's rows, as in pg_dump. No row in COPY's text format equals it. */
export const END = '\\.'

const LINE_FEED = 0x0a

/** How many tables, and rows in them, have been copied. */
export type BackupCounts = { tables: number; rows: number }

/** A query of the driver (`src/query.js`), with members that its types lack. */
type CopyQuery = PendingQuery<Row[]> & { active: boolean; canceller(query: CopyQuery): Promise<void> }

/** Yields a table's rows as chunks of bytes, and adds their number to `counts`. In COPY's text format, every line feed ends a row. */
export async function* copyRows(sql: TransactionSql, table: Table, counts: BackupCounts): AsyncGenerator<Buffer> {
  const query = sql.unsafe(`copy ${copyTarget(table)} to stdout`) as CopyQuery
  const stream = (await query.readable()) as Readable
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      for (const byte of chunk) if (byte === LINE_FEED) counts.rows += 1
      yield chunk
    }
  } finally {
    if (!stream.readableEnded && !stream.errored) {
      // The driver sends no other statement, not even ROLLBACK, until the COPY has ended. It cancels only active queries, and considers
      // this one inactive, because the query's stream has already been returned.
      query.active = true
      query.canceller(query).catch(() => {})
      await finished(stream.resume()).catch(() => {})
    }
    // When the stream's buffer is full, the driver stops reading from the connection. Without this call, it would not read the responses
    // that follow the COPY.
    stream._read(0)
  }
}

/** Yields the backup: a header and, for each table, a line with its name and columns, its rows, and the end mark. */
async function* backupLines(sql: TransactionSql, counts: BackupCounts): AsyncGenerator<Buffer> {
  const toLine = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`)
  yield toLine({ format: FORMAT, version: await readSchemaVersion(sql) })
  for (const table of await readTables(sql)) {
    yield toLine(table)
    yield* copyRows(sql, table, counts)
    yield Buffer.from(`${END}\n`)
    counts.tables += 1
  }
}

/**
 * Writes every permanent table of the schema `public` to a file that only its owner can read, and that appears only when it is complete.
 * The tables of the job queue and the list of applied migrations are in other schemas.
 *
 * @param url the connection string of a user who can read these tables
 * @param path the path of the file. Standard output (`-`), a pipe or a device is written to directly
 * @returns the numbers of copied tables and rows
 * @throws {FileError} if the file cannot be written
 */
export async function writeBackup(url: string, path: string): Promise<BackupCounts> {
  const client = openConnection(url)
  const counts = { tables: 0, rows: 0 }
  try {
    // All tables are read in one snapshot.
    await client.begin('isolation level repeatable read read only', (sql) =>
      writeOutput(path, backupLines(sql, counts), createGzip({ level: 6 })),
    )
  } finally {
    await client.end({ timeout: 5 })
  }
  return counts
}

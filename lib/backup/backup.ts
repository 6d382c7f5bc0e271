/** Writes a consistent snapshot of a database to one file, while the server keeps running. */
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import postgres, { type TransactionSql } from 'postgres'
import { hostOptions } from '@/db/socket'
import { writePrivateFile } from '../core/private-file'
import { copyTarget, readSchemaVersion, readTables, type Table } from './tables'

export const FORMAT = 'checkout-desk-backup 1'
/** Marks the end of a table's rows, as in pg_dump. No row in COPY's text format equals it. */
export const END = '\\.'

const LINE_FEED = 0x0a

export type BackupCounts = { tables: number; rows: number }

/** Yields a table's rows and adds their number to `counts`. In COPY's text format, every line feed ends a row. */
export async function* copyRows(sql: TransactionSql, table: Table, counts: BackupCounts): AsyncGenerator<Buffer> {
  const query = sql.unsafe(`copy ${copyTarget(table)} to stdout`)
  const copied = (await query.readable()) as Readable
  try {
    for await (const chunk of copied.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      for (const byte of chunk) if (byte === LINE_FEED) counts.rows += 1
      yield chunk
    }
  } finally {
    if (!copied.readableEnded) {
      // The driver runs nothing else, not even ROLLBACK, before the COPY has ended.
      query.cancel()
      await finished(copied.resume()).catch(() => {})
    }
    // If a row has filled the driver's buffer, the driver stops reading until more is requested, and would miss the responses that follow.
    copied._read(0)
  }
}

async function* backupLines(sql: TransactionSql, counts: BackupCounts): AsyncGenerator<Buffer> {
  const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`)
  yield line({ format: FORMAT, version: await readSchemaVersion(sql) })
  for (const table of await readTables(sql)) {
    yield line(table)
    yield* copyRows(sql, table, counts)
    yield Buffer.from(`${END}\n`)
    counts.tables += 1
  }
}

/**
 * Writes every permanent table to a file that only its owner can read. The file appears only when it is complete.
 *
 * @param url the connection string of a user who can read every table
 * @throws {FileError} if the file cannot be written
 */
export async function writeBackup(url: string, path: string): Promise<BackupCounts> {
  const client = postgres(url, { ...hostOptions(url), max: 1, onnotice: () => {} })
  const counts = { tables: 0, rows: 0 }
  try {
    // All tables are read in one snapshot.
    await client.begin('isolation level repeatable read read only', (sql) =>
      writePrivateFile(path, backupLines(sql, counts), createGzip({ level: 6 })),
    )
  } finally {
    await client.end({ timeout: 5 })
  }
  return counts
}

/** Restores a backup into a database that has this version's tables and no rows. */
import { createReadStream } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { PendingQuery, Row, TransactionSql } from 'postgres'
import { z } from 'zod'
import { openConnection } from '@/db/connection'
import { isUnavailable } from '@/db/unavailable'
import { describeError } from '../core/log'
import { toFileError } from '../core/private-file'
import { type BackupCounts, END, FORMAT } from './backup'
import { copyTarget, readSchemaVersion, readTables, type Table } from './tables'

/** Thrown if a backup cannot be restored. The message says why and what to do. Nothing has been written. */
export class RestoreError extends Error {
  override name = 'RestoreError'
}

const invalid = () => new RestoreError('The file is damaged, or not a Checkout Desk backup. Use a different file written by `desk backup`.')
const incomplete = () => new RestoreError('The backup is incomplete. Use a different one.')

const LINE_FEED = 0x0a
/** The maximum length of a line, in bytes: far more than any row needs. Without a limit, a damaged file could exhaust memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

/** A line of the backup: its number, counted from 1, and its bytes, including the line feed. */
type Line = { number: number; bytes: Buffer }

/**
 * Yields the lines of a backup.
 *
 * @param path its path, or `-` for standard input
 * @throws {RestoreError} if a line is too long, or the file ends in the middle of a line
 */
async function* readLines(path: string): AsyncGenerator<Line, undefined> {
  const file: Readable = path === '-' ? process.stdin : createReadStream(path)
  const unzipped = file.on('error', (error) => unzipped.destroy(error)).pipe(createGunzip()) as Readable
  let number = 1
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of unzipped as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const last = chunk.subarray(from, end + 1)
      yield { number, bytes: length === 0 ? last : Buffer.concat([...parts, last]) }
      number += 1
      parts = []
      length = 0
      from = end + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > MAX_LINE_BYTES)
      throw new RestoreError(
        `Line ${number} of the backup is longer than 64 MiB, the limit for a row, so the file is damaged. Use a different backup.`,
      )
  }
  if (length > 0) throw incomplete()
}

const headerSchema = z.object({ format: z.literal(FORMAT), version: z.string() })
const tableHeaderSchema = z.object({ name: z.string(), columns: z.array(z.string()) })

/** Parses a line of JSON. @throws {RestoreError} if it is not valid */
function parse<T>(schema: z.ZodType<T>, line: Line | undefined): T {
  try {
    return schema.parse(JSON.parse(String(line?.bytes)))
  } catch {
    throw invalid()
  }
}

/** Checks that all tables are empty. @throws {RestoreError} */
async function checkEmpty(sql: TransactionSql, tables: Table[]): Promise<void> {
  for (const { name } of tables) {
    const [row] = await sql`select 1 from ${sql(name)} limit 1`
    if (row)
      throw new RestoreError(
        `The database is not empty (${name} has rows). Restore into a new DATA_DIR, or into a new database after \`desk migrate\`.`,
      )
  }
}

/** Enables or disables the triggers. They are disabled during a restore, because the backup contains the values that they maintain. */
async function setTriggers(sql: TransactionSql, tables: Table[], action: 'enable' | 'disable'): Promise<void> {
  for (const { name } of tables) await sql`alter table ${sql(name)} ${sql.unsafe(action)} trigger user`
}

/** Sets the sequence of each column to the column's highest value. */
async function setSequences(sql: TransactionSql): Promise<void> {
  const owned = await sql<{ sequence: string; table: string; column: string }[]>`
    select s.oid::regclass::text as sequence, t.relname as table, a.attname as column
    from pg_class s join pg_depend d on d.objid = s.oid and d.deptype in ('a', 'i') and d.classid = 'pg_class'::regclass
    join pg_class t on t.oid = d.refobjid join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where s.relkind = 'S' and t.relnamespace = 'public'::regnamespace`
  for (const { sequence, table, column } of owned) {
    await sql`select setval(${sequence}::regclass, (select max(${sql(column)}) from ${sql(table)})) where exists (select from ${sql(table)})`
  }
}

/**
 * Makes the restored events precede all later ones, ordered by their sequence, if this cluster has not assigned some of their transaction
 * IDs yet. Otherwise, readers would skip new events whose IDs are lower.
 */
async function moveEvents(sql: TransactionSql): Promise<void> {
  await sql`
    update events set transaction_id = '0'
    where exists (select from events where transaction_id >= pg_snapshot_xmax(pg_current_snapshot()))`
}

/**
 * Converts PostgreSQL's error for a rejected row to a RestoreError that names the line or at least the table. Returns other errors
 * unchanged.
 *
 * @param first the number of the line with the table's first row
 */
function toRestoreError(error: unknown, { name }: Table, first: number): unknown {
  if (!(error instanceof Error) || error.name !== 'PostgresError' || isUnavailable(error)) return error
  // COPY reports the line within the table. Foreign keys are checked after the last line, without a line number.
  const [, row] = /^COPY .*, line (\d+)/m.exec((error as { where?: string }).where ?? '') ?? []
  const place = row === undefined ? `table ${name} of the backup` : `line ${first + Number(row) - 1} of the backup (table ${name})`
  return new RestoreError(`PostgreSQL rejected ${place}: ${describeError(error).message}. The file is damaged. Use a different backup.`)
}

/** A COPY query in postgres.js. Its promise resolves to the stream, so an error after the last row is reported only by calling `reject`. */
type CopyQuery = PendingQuery<Row[]> & { reject: (error: unknown) => void }

/** Copies lines into a table, up to the end mark. @returns the number of rows @throws {RestoreError} if PostgreSQL rejects a row */
async function copyIn(sql: TransactionSql, table: Table, lines: AsyncGenerator<Line, undefined>): Promise<number> {
  let rows = 0
  let first = 0
  async function* tableRows(): AsyncGenerator<Buffer> {
    for (;;) {
      const { value: line } = await lines.next()
      if (!line) throw incomplete()
      const { number, bytes } = line
      if (bytes.length === END.length + 1 && bytes.toString() === `${END}\n`) return
      first ||= number
      rows += 1
      yield bytes
    }
  }
  const query = sql.unsafe(`copy ${copyTarget(table)} from stdin`) as CopyQuery
  const refused = new Promise<never>((_, reject) => {
    query.reject = reject
  })
  try {
    await Promise.race([refused, query.writable().then((into: Writable) => pipeline(tableRows, into))])
  } catch (error) {
    throw toRestoreError(error, table, first)
  }
  return rows
}

/**
 * Restores a backup, completely or not at all.
 *
 * @param url the connection string of the user who owns the tables
 * @param path the path of the backup, or `-` for standard input
 * @returns the numbers of restored tables and rows
 * @throws {RestoreError} if the database is not empty or has another version's tables, or if the file is invalid, damaged or incomplete
 * @throws {FileError} if the file cannot be read
 */
export async function restoreBackup(url: string, path: string): Promise<BackupCounts> {
  const client = openConnection(url)
  const counts = { tables: 0, rows: 0 }
  const restore = async (sql: TransactionSql) => {
    const lines = readLines(path)
    const { version } = parse(headerSchema, (await lines.next()).value)
    if (version !== (await readSchemaVersion(sql)))
      throw new RestoreError(
        'The backup was written by another version of Checkout Desk. Restore it with that version, then run `desk migrate` with this version.',
      )
    const tables = await readTables(sql)
    await checkEmpty(sql, tables)
    // Locks the tables. Runs only after the first check, because the locks would block servers that already use the database.
    await setTriggers(sql, tables, 'disable')
    // Another restore might have filled the tables before they were locked.
    await checkEmpty(sql, tables)
    for await (const line of lines) {
      const table = parse(tableHeaderSchema, line)
      const existing = tables.find(({ name }) => name === table.name)
      if (!existing || !table.columns.every((column) => existing.columns.includes(column))) throw invalid()
      counts.rows += await copyIn(sql, table, lines)
      counts.tables += 1
    }
    if (counts.tables < tables.length) throw incomplete()
    await setSequences(sql)
    await moveEvents(sql)
    await setTriggers(sql, tables, 'enable')
  }
  try {
    await client.begin(restore)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'Z_BUF_ERROR') throw incomplete()
    throw String(code).startsWith('Z_') ? invalid() : toFileError(error, 'read', path === '-' ? 'standard input' : path)
  } finally {
    await client.end({ timeout: 5 })
  }
  return counts
}

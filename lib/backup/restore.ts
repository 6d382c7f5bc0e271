/** Restores a backup into a database that has this version's tables and no rows. */
import { createReadStream } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import postgres, { type TransactionSql } from 'postgres'
import { type BackupCounts, END, FORMAT } from './backup'
import { copyTarget, readTables, readVersion, type Table } from './tables'

/** Thrown if the backup cannot be restored. The message says why and what to do. Nothing was written. */
export class RestoreError extends Error {
  override name = 'RestoreError'
}

const LINE_FEED = 0x0a

/** Reads lines as bytes, including their line feeds. @throws {RestoreError} if the file ends in the middle of one */
async function* readLines(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  const file = createReadStream(path)
  const unzipped = file.on('error', (error) => unzipped.destroy(error)).pipe(createGunzip()) as Readable
  for await (const chunk of unzipped as AsyncIterable<Buffer>) {
    let bytes: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED)) {
      yield bytes.subarray(0, end + 1)
      bytes = bytes.subarray(end + 1)
    }
    rest = bytes
  }
  if (rest.length > 0) throw incomplete()
}

const invalid = () => new RestoreError('The file is not a Checkout Desk backup. Use a file that `desk backup` wrote.')
const incomplete = () => new RestoreError('The backup is incomplete. Use another one.')

function parse<T>(line: Buffer | undefined): T {
  try {
    return JSON.parse(String(line)) as T
  } catch {
    throw invalid()
  }
}

async function checkEmpty(sql: TransactionSql, tables: Table[]): Promise<void> {
  for (const { name } of tables) {
    const [row] = await sql`select 1 from ${sql(name)} limit 1`
    if (row)
      throw new RestoreError(
        `The database is not empty (${name} has rows). Restore into a new DATA_DIR, or into a new database after \`desk migrate\`.`,
      )
  }
}

/** The backup contains derived columns and counts, so the triggers that maintain them are disabled during a restore. */
async function setTriggers(sql: TransactionSql, tables: Table[], to: 'enable' | 'disable'): Promise<void> {
  for (const { name } of tables) await sql`alter table ${sql(name)} ${sql.unsafe(to)} trigger user`
}

/** Sets every sequence to the highest value in its column. */
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

async function copyIn(sql: TransactionSql, table: Table, lines: AsyncGenerator<Buffer>): Promise<number> {
  const into = (await sql.unsafe(`copy ${copyTarget(table)} from stdin`).writable()) as Writable
  const done = finished(into)
  // Awaited below. A row might be rejected before that, which must not cause an unhandled rejection.
  done.catch(() => {})
  for (let rows = 0; ; rows += 1) {
    const { value: line, done: ended } = await lines.next()
    if (ended) throw incomplete()
    if (line.length === END.length + 1 && line.toString() === `${END}\n`) {
      into.end()
      await done
      return rows
    }
    if (!into.write(line)) await new Promise((resolve) => into.once('drain', resolve))
  }
}

/**
 * Restores a backup, completely or not at all.
 *
 * @param url the connection string of the user who owns the tables
 * @throws {RestoreError} if the database is not empty, has another version's tables, or the file is invalid or incomplete
 */
export async function restoreBackup(url: string, path: string): Promise<BackupCounts> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  const counts = { tables: 0, rows: 0 }
  try {
    await client.begin(async (sql) => {
      const lines = readLines(path)
      const first = await lines.next()
      const { format, version } = parse<{ format?: string; version?: string }>(first.value ?? undefined)
      if (format !== FORMAT) throw invalid()
      const ours = await readVersion(sql)
      if (version !== ours)
        throw new RestoreError(
          'The backup was written by another version of Checkout Desk. Restore it with that version, then run `desk migrate` with this one.',
        )
      const tables = await readTables(sql)
      await checkEmpty(sql, tables)
      await setTriggers(sql, tables, 'disable')
      for await (const line of lines) {
        const table = parse<Table>(line)
        if (!tables.some(({ name }) => name === table.name)) throw invalid()
        counts.rows += await copyIn(sql, table, lines)
        counts.tables += 1
      }
      if (counts.tables < tables.length) throw incomplete()
      await setSequences(sql)
      await setTriggers(sql, tables, 'enable')
    })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ENOENT') throw new RestoreError(`There is no file ${path}.`)
    if (code?.startsWith('Z_')) throw invalid()
    throw error
  } finally {
    await client.end({ timeout: 5 })
  }
  return counts
}

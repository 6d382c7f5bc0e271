/** Reads a backup into a database that has its tables and nothing in them. */
import { createReadStream } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import postgres, { type TransactionSql } from 'postgres'
import { type Counted, END, FORMAT } from './backup'
import { copyTarget, readTables, readVersion, type Table } from './tables'

/** The backup can't be read into this database; the message says why and what to do. Nothing was written. */
export class RestoreError extends Error {}

const LINE_FEED = 0x0a

/** Lines as bytes, each with its line feed. @throws {RestoreError} where the file ends within one */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  const file = createReadStream(path)
  const unzipped = file.on('error', (error) => unzipped.destroy(error)).pipe(createGunzip()) as Readable
  for await (const piece of unzipped as AsyncIterable<Buffer>) {
    let bytes: Buffer = rest.length > 0 ? Buffer.concat([rest, piece]) : piece
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED)) {
      yield bytes.subarray(0, end + 1)
      bytes = bytes.subarray(end + 1)
    }
    rest = bytes
  }
  if (rest.length > 0) throw new RestoreError('The file ends in the middle of a row. Take a backup that is whole.')
}

const broken = () => new RestoreError('This is no backup of Checkout Desk. Give the file that `desk backup` wrote.')

function parse<T>(line: Buffer | undefined): T {
  try {
    return JSON.parse(String(line)) as T
  } catch {
    throw broken()
  }
}

async function checkEmpty(sql: TransactionSql, tables: Table[]): Promise<void> {
  for (const { name } of tables) {
    const [row] = await sql`select 1 from ${sql(name)} limit 1`
    if (row)
      throw new RestoreError(
        `The database has records already (in ${name}). Restore into an empty one: a new DATA_DIR, or a new database after \`desk migrate\`.`,
      )
  }
}

/** Derived and counted columns are in the backup as they were; the triggers that keep them rest meanwhile. */
async function setTriggers(sql: TransactionSql, tables: Table[], to: 'enable' | 'disable'): Promise<void> {
  for (const { name } of tables) await sql`alter table ${sql(name)} ${sql.unsafe(to)} trigger user`
}

/** Numbers that are given out go on behind the highest that was. */
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
  // Awaited below; told at once, a refused row would otherwise be nobody's.
  done.catch(() => {})
  for (let rows = 0; ; rows += 1) {
    const { value: line, done: ended } = await lines.next()
    if (ended) throw new RestoreError('The file ends before its last table does. Take a backup that is whole.')
    if (line.length === END.length + 1 && line.toString() === `${END}\n`) {
      into.end()
      await done
      return rows
    }
    if (!into.write(line)) await new Promise((resolve) => into.once('drain', resolve))
  }
}

/**
 * Restores all or nothing.
 *
 * @param url of the database, as the user who owns its tables
 * @throws {RestoreError} where the database is not empty or not of the backup's version, or the file is not whole
 */
export async function restoreBackup(url: string, path: string): Promise<Counted> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  const counted = { tables: 0, rows: 0 }
  try {
    await client.begin(async (sql) => {
      const lines = linesOf(path)
      const first = await lines.next()
      const { format, version } = parse<{ format?: string; version?: string }>(first.value ?? undefined)
      if (format !== FORMAT) throw broken()
      const ours = await readVersion(sql)
      if (version !== ours)
        throw new RestoreError(
          'The backup is of another version of Checkout Desk. Restore it with that version, then run `desk migrate` with this one.',
        )
      const tables = await readTables(sql)
      await checkEmpty(sql, tables)
      await setTriggers(sql, tables, 'disable')
      for await (const line of lines) {
        const table = parse<Table>(line)
        if (!tables.some(({ name }) => name === table.name)) throw broken()
        counted.rows += await copyIn(sql, table, lines)
        counted.tables += 1
      }
      if (counted.tables < tables.length) throw new RestoreError('The file lacks tables. Take a backup that is whole.')
      await setSequences(sql)
      await setTriggers(sql, tables, 'enable')
    })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ENOENT') throw new RestoreError(`There is no file ${path}.`)
    if (code?.startsWith('Z_')) throw broken()
    throw error
  } finally {
    await client.end({ timeout: 5 })
  }
  return counted
}

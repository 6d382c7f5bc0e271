/** Backup and restore, with a row in every table of the schema. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as schema from '@/db/schema'
import { withOwnDatabase } from '@/testing/own-database'
import { makeTemporaryFolder } from '@/testing/postgres'
import { writeBackup } from './backup'
import { RestoreError, restoreBackup } from './restore'

const [source, target] = [withOwnDatabase(), withOwnDatabase()]
const names = Object.values(schema)
  .filter((table) => is(table, PgTable))
  .map((table) => getTableName(table as PgTable))
  .sort()

let folder: string
let from: Sql
let to: Sql
beforeAll(async () => {
  folder = await makeTemporaryFolder()
  from = postgres(source.url, { max: 1 })
  to = postgres(target.url, { max: 1 })
})
afterAll(async () => {
  await from.end()
  await to.end()
  await rm(folder, { recursive: true, force: true })
})

/** Returns a value for each column type. All strings are equal, so that foreign keys match. */
const VALUES: Record<string, string> = {
  text: "'x'",
  json: `'{"text": "tab\\t, \\\\ and a line feed\\n"}'`,
  'timestamp with time zone': "'2026-01-02 03:04:05.678901+00'",
  date: "'2026-01-02'",
  boolean: 'true',
  smallint: '7',
  integer: '7',
  bigint: '7',
  real: '7.5',
  numeric: '7.25',
  bytea: "'\\x00ff'",
  'text[]': '\'{a,NULL,"b c"}\'',
}

async function fill(table: string): Promise<void> {
  const columns = await from<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`
  const values = columns.map(({ type }) => VALUES[type] ?? `'no value for ${type}'`)
  await from.unsafe(
    `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) overriding system value values (${values.join(', ')})`,
  )
}

const read = async (client: Sql) =>
  Promise.all(names.map(async (name) => [name, ...(await client.unsafe(`select t::text as row from ${name} as t`)).map(({ row }) => row)]))

it('restores every table exactly, and re-enables triggers and sequences', async () => {
  // The derived columns contain values that match no record, so a restore must copy them instead of computing them.
  await from`set session_replication_role = replica`
  for (const name of names) await fill(name)
  const file = join(folder, 'desk.backup')
  const counts = { tables: names.length, rows: names.length }
  expect(await writeBackup(source.url, file)).toEqual(counts)
  expect(await restoreBackup(target.url, file)).toEqual(counts)

  const restored = await read(to)
  expect(restored).toEqual(await read(from))
  expect(restored.every((rows) => rows.length === 2)).toBe(true)
  expect(await to`select tgrelid::regclass::text from pg_trigger where tgenabled <> 'O'`).toEqual([])
  const numbers =
    await to`select nextval('record_count_slots')::int as slot, nextval(pg_get_serial_sequence('audit_log', 'id'))::int as audit`
  expect(numbers).toEqual([{ slot: 8, audit: 8 }])
})

it('rejects a database that is not empty', async () => {
  const file = join(folder, 'again.backup')
  await writeBackup(source.url, file)
  const restored = restoreBackup(source.url, file)
  await expect(restored).rejects.toThrow(RestoreError)
  await expect(restored).rejects.toThrow('not empty')
})

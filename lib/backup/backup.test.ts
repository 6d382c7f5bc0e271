/** A backup contains every table of the schema `public`, and is restored exactly or not at all. */
// @module-tag slow
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as schema from '@/db/schema'
import { withOwnDatabase } from '@/testing/own-database'
import { makeTemporaryFolder } from '@/testing/postgres'
import { RESOURCE_NAMES } from '../catalog'
import { copyRows, writeBackup } from './backup'
import { RestoreError, restoreBackup } from './restore'

const [source, target, older, twice, empty] = [
  withOwnDatabase(),
  withOwnDatabase(),
  withOwnDatabase(),
  withOwnDatabase(),
  withOwnDatabase(),
]
/** The schema's tables, and partition 7 of each search table, because the number of the seller in `VALUES` is 7. */
const names = [
  ...Object.values(schema)
    .filter((table) => is(table, PgTable))
    .map((table) => getTableName(table as PgTable)),
  ...RESOURCE_NAMES.map((name) => `${name}_texts_7`),
].sort()
/** The number of partitions without rows: 15 of the 16 of each search table. */
const EMPTY_PARTITIONS = RESOURCE_NAMES.length * 15

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

/** A value for each column type. All strings are equal, so that foreign keys match. */
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
  xid8: "'7'",
  bytea: "'\\x00ff'",
  'text[]': '\'{a,NULL,"b c"}\'',
}

/** Inserts a row into a table. */
async function fill(table: string): Promise<void> {
  const columns = await from<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`
  const values = columns.map(({ type }) => VALUES[type] ?? `'no value for ${type}'`)
  await from.unsafe(
    `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) overriding system value values (${values.join(', ')})`,
  )
}

const readRows = async (client: Sql) =>
  Promise.all(names.map(async (name) => [name, ...(await client.unsafe(`select t::text as row from ${name} as t`)).map(({ row }) => row)]))

it('restores every table exactly, re-enables the triggers and advances the sequences', async () => {
  // The derived columns contain values that match no record, so a restore must copy them instead of computing them.
  await from`set session_replication_role = replica`
  for (const name of names) await fill(name)
  const file = join(folder, 'desk.backup')
  const counts = { tables: names.length + EMPTY_PARTITIONS, rows: names.length }
  expect(await writeBackup(source.url, file)).toEqual(counts)
  expect(await restoreBackup(target.url, file)).toEqual(counts)

  const restored = await readRows(to)
  expect(restored).toEqual(await readRows(from))
  expect(restored.every((rows) => rows.length === 2)).toBe(true)
  expect(await to`select tgrelid::regclass::text from pg_trigger where tgenabled <> 'O'`).toEqual([])
  expect(await to`select nextval(pg_get_serial_sequence('audit_log', 'id'))::int as audit`).toEqual([{ audit: 8 }])
})

it('resets every event’s transaction ID if one of them has not been assigned yet in the new cluster', async () => {
  await from`insert into events (seller_id, id, transaction_id, type) values ('x', 'y', '9000000000000', 'coupon.updated')`
  const file = join(folder, 'older.backup')
  await writeBackup(source.url, file)
  await restoreBackup(older.url, file)
  const client = postgres(older.url, { max: 1 })
  expect(await client`select transaction_id::text as id from events`.finally(() => client.end())).toEqual([{ id: '0' }, { id: '0' }])
})

it('rejects a database that is not empty', async () => {
  const file = join(folder, 'again.backup')
  await writeBackup(source.url, file)
  const restored = restoreBackup(source.url, file)
  await expect(restored).rejects.toThrow(RestoreError)
  await expect(restored).rejects.toThrow('not empty')
})

it('rejects a database into which another restore is still running', async () => {
  const file = join(folder, 'twice.backup')
  await writeBackup(source.url, file)
  const results = await Promise.allSettled([restoreBackup(twice.url, file), restoreBackup(twice.url, file)])
  const failed = results.filter((result) => result.status === 'rejected')
  expect(failed.map(({ reason }) => String(reason))).toEqual([expect.stringContaining('The database is not empty')])
})

it('writes a file that only its owner can read, even if a file or symbolic link already exists at its path', async () => {
  const [victim, file, link] = ['victim', 'private.backup', 'link.backup'].map((name) => join(folder, name)) as [string, string, string]
  await writeFile(victim, 'untouched', { mode: 0o644 })
  await writeFile(file, 'an earlier backup', { mode: 0o644 })
  for (const name of [link, `${file}.draft`, `${file}.part`]) await symlink(victim, name)
  await writeFile(`${link}.draft`, '', { mode: 0o666 })
  for (const path of [file, link]) {
    await writeBackup(source.url, path)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  }
  expect(await readFile(victim, 'utf8')).toBe('untouched')
  expect((await readdir(folder)).filter((name) => /\.[0-9a-f]{12}\.draft$/.test(name))).toEqual([])
})

it('reports that a file cannot be written, and leaves no temporary file', async () => {
  await mkdir(join(folder, 'taken'))
  await expect(writeBackup(source.url, join(folder, 'taken'))).rejects.toThrow(/^Cannot write .*taken \(EISDIR\)\. Check the path/)
  await expect(writeBackup(source.url, join(folder, 'nowhere', 'x'))).rejects.toThrow(/^Cannot write .* \(ENOENT\)/)
  expect((await readdir(folder)).filter((name) => name.startsWith('taken.'))).toEqual([])
})

it('cancels the COPY and throws the error if writing fails in the middle of a table, and leaves the connection usable', async () => {
  await to`create table many as select repeat('x', 100) as n from generate_series(1, 200000)`
  let stream: Promise<Readable> | undefined
  const copying = to.begin(async (sql) => {
    const unsafe = (text: string) => {
      const query = sql.unsafe(text)
      return Object.assign(query, { readable: () => (stream = Object.getPrototypeOf(query).readable.call(query)) })
    }
    const copied = copyRows(Object.assign(Object.create(sql), { unsafe }), { name: 'many', columns: ['n'] }, { tables: 0, rows: 0 })
    for await (const _ of copied) throw new Error('the disk is full')
  })
  await expect(copying).rejects.toThrow('the disk is full')
  expect((await stream)?.errored).toMatchObject({ code: '57014' })
  expect((await to`drop table many`).command).toBe('DROP TABLE')
})

describe('an invalid backup', () => {
  let text: string
  beforeAll(async () => {
    const file = join(folder, 'whole.backup')
    await writeBackup(source.url, file)
    text = gunzipSync(await readFile(file)).toString()
  })

  /** Returns the backup's text with the rows of one table replaced. */
  const withRows = (table: string, rows: string[]) =>
    text.replace(new RegExp(`(?<=\\{"name":"${table}",.*\\n)(?:(?!\\\\\\.\\n).*\\n)*`), () => rows.map((row) => `${row}\n`).join(''))
  const findLine = (table: string) => text.split('\n').findIndex((line) => line.startsWith(`{"name":"${table}",`)) + 2
  const manyRows = (first: string) => [first, ...Array.from({ length: 50_000 }, () => 'y'.repeat(200))]

  it.each<[string, () => Buffer | string, () => string | RegExp]>([
    [
      'with an invalid row followed by many others',
      () => withRows('sellers', manyRows('refused')),
      () => `line ${findLine('sellers')} of the backup (table sellers): missing data for column`,
    ],
    [
      'whose last row is invalid',
      () => withRows('sellers', ['refused']),
      () => `line ${findLine('sellers')} of the backup (table sellers): missing data for column`,
    ],
    [
      'with rows that reference a missing row',
      () => withRows('sellers', []),
      () => /PostgreSQL rejected table \w+ of the backup: .*foreign key/,
    ],
    ['with unknown columns in a table', () => text.replace('"columns":["', '"columns":["nothing","'), () => 'not a Checkout Desk backup'],
    ['with null instead of a table', () => text.replace(/\n\{"name".*\n/, '\nnull\n'), () => 'not a Checkout Desk backup'],
    ['that is truncated', () => gzipSync(text).subarray(0, -100), () => 'is incomplete'],
    ['that is truncated in its last table', () => text.slice(0, -4), () => 'is incomplete'],
    [
      'with a wrong checksum',
      () => Buffer.concat([gzipSync(text).subarray(0, -8), Buffer.alloc(8)]),
      () => 'The file is damaged, or not a Checkout Desk backup',
    ],
    ['that lacks tables', () => text.slice(0, text.indexOf('\n') + 1), () => 'is incomplete'],
    ['that is empty', () => Buffer.alloc(0), () => 'is incomplete'],
    ['that is not compressed', () => Buffer.from('{}'), () => 'not a Checkout Desk backup'],
    ['with null instead of a header', () => 'null\n', () => 'not a Checkout Desk backup'],
    ['from another program', () => '{"format":"other"}\n', () => 'not a Checkout Desk backup'],
    ['from another version', () => text.replace(/"version":"\d+"/, '"version":"1"'), () => 'another version of Checkout Desk'],
    [
      'with a line longer than 64 MiB',
      () => withRows('sellers', ['x'.repeat(65 * 1024 * 1024)]),
      () => `Line ${findLine('sellers')} of the backup is longer than 64 MiB`,
    ],
  ])('is rejected without writing anything: %s', async (_, damage, message) => {
    const file = join(folder, 'damaged.backup')
    const damaged = damage()
    await writeFile(file, typeof damaged === 'string' ? gzipSync(damaged, { level: 1 }) : damaged)
    const restored = restoreBackup(empty.url, file)
    await expect(restored).rejects.toThrow(RestoreError)
    await expect(restored).rejects.toThrow(message())
    const client = postgres(empty.url, { max: 1 })
    const counts = await Promise.all(names.map((name) => client.unsafe(`select 1 from ${name}`)))
    await client.end()
    expect(counts.flat()).toEqual([])
  })

  it('that cannot be read is reported with its path', async () => {
    await expect(restoreBackup(empty.url, folder)).rejects.toThrow(/^Cannot read .* \(EISDIR\)\. Check the path/)
    await expect(restoreBackup(empty.url, join(folder, 'none'))).rejects.toThrow(/^Cannot read .*none \(ENOENT\)/)
  })
})

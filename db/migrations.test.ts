/** Tests that shipped migrations never change and match db/schema, and that the trigger function works for every record table. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { runDesk } from '@/testing/programs'
import { MigrationError, migrateDatabase } from './migrate'
import checksums from './migrations/checksums.json' with { type: 'json' }
import journal from './migrations/meta/_journal.json' with { type: 'json' }
import * as schema from './schema'

const own = withOwnDatabase()
let client: Sql
beforeAll(() => {
  client = postgres(own.url, { max: 1, onnotice: () => {} })
})
afterAll(() => client.end())

it('every migration has the checksum it shipped with', () => {
  const current = journal.entries.map(({ tag }) => {
    const text = readFileSync(new URL(`./migrations/${tag}.sql`, import.meta.url))
    return [tag, createHash('sha256').update(text).digest('hex')]
  })
  expect(
    checksums,
    'A migration differs from its checksum. If it has shipped, add another one instead. If not, delete its line from checksums.json and run `npm run db:generate`.',
  ).toEqual(Object.fromEntries(current))
})

it('the migrations match the schema, so that drizzle-kit generates nothing', async () => {
  const latest = journal.entries.at(-1)
  const snapshot = JSON.parse(readFileSync(new URL(`./migrations/meta/${latest?.tag.slice(0, 4)}_snapshot.json`, import.meta.url), 'utf8'))
  expect(await generateMigration(snapshot, generateDrizzleJson(schema, snapshot.id))).toEqual([])
})

describe('migrating a database with a migration that this version does not contain', () => {
  const record = (when: number) => client`insert into drizzle.__drizzle_migrations (hash, created_at) values ('unknown', ${when})`
  const forget = () => client`delete from drizzle.__drizzle_migrations where hash = 'unknown'`

  it('fails with instructions if the migration is older than this version’s latest one', { tags: 'slow' }, async () => {
    await record(1_795_238_479_803)
    const migrating = migrateDatabase(own.url)
    await expect(migrating).rejects.toThrow(MigrationError)
    const message = await migrating.catch((error: Error) => error.message)
    expect(await runDesk(['migrate'], { DATABASE_URL: own.url })).toEqual({ code: 1, stdout: '', stderr: `desk: ${message}\n` })
    expect(message).toMatch(/older build.*desk export/)
    await forget()
  })

  it('succeeds if the migration is newer than all of this version’s', async () => {
    await record(Math.max(...journal.entries.map(({ when }) => when)) + 1)
    await migrateDatabase(own.url)
    await forget()
  })
})

describe('desk_attach_record_triggers', () => {
  const insert = (record: Record<string, unknown>) =>
    client`insert into samples (seller_id, record) values ('s1', ${JSON.stringify({ sellerId: 's1', createdAt: '2026-01-02T03:04:05Z', ...record })}::text::json)`
  const create = (columns: string) => client.unsafe(`create table samples (seller_id text, record json, id text, ${columns})`)

  beforeEach(async () => {
    await client`drop table if exists samples`
    await client`delete from record_counts where resource = 'samples'`
  })
  afterAll(() => client`drop table samples`)

  it('derives the table’s columns from the record, and the search text from the given paths', async () => {
    await create('created_at timestamptz, search text, gateway_id text, amount numeric, currency text')
    await client`select desk_attach_record_triggers('samples', '{code,billing.address.city}', 'gatewaySampleId')`
    await insert({ id: 'a', code: 'ONE', billing: { address: { city: 'Århus' } }, gatewaySampleId: 'gw_1', amount: 5 })
    const rows = await client`select id, search, gateway_id, amount from samples order by id`
    expect(rows).toEqual([{ id: 'a', search: 'one\u0001århus', gateway_id: 'gw_1', amount: '5' }])
  })

  it('counts all records, and also counts them by page and status if the table has both columns', async () => {
    const totals = () =>
      client`select page_id, status, sum(total)::int as total from record_counts where resource = 'samples' group by 1, 2 having sum(total) <> 0 order by 1, 2`
    await create('search text')
    await client`select desk_attach_record_triggers('samples', '{code}')`
    await insert({ id: 'a' })
    expect(await totals()).toEqual([{ page_id: '', status: '', total: 1 }])
    await client`truncate samples`
    expect(await totals()).toEqual([])
    await client`alter table samples add column page_id text, add column status text`
    await client`select desk_attach_record_triggers('samples', '{code}')`
    await insert({ id: 'a', pageId: 'p', status: 'new' })
    await insert({ id: 'b', status: 'new' })
    await client`update samples set record = ${JSON.stringify({ sellerId: 's1', id: 'b', status: 'old' })}::text::json where id = 'b'`
    expect(await totals()).toEqual([
      { page_id: '', status: '', total: 2 },
      { page_id: '', status: 'new', total: 1 },
      { page_id: '', status: 'old', total: 1 },
      { page_id: 'p', status: '', total: 1 },
      { page_id: 'p', status: 'new', total: 1 },
    ])
  })

  it('replaces the triggers when called again', async () => {
    await create('search text')
    await client`select desk_attach_record_triggers('samples', '{code}', counted => false)`
    await insert({ id: 'a', code: 'A', label: 'B' })
    await client`select desk_attach_record_triggers('samples', '{code,label}', counted => false)`
    await client`update samples set record = record`
    expect(await client`select search from samples`).toEqual([{ search: 'a\u0001b' }])
  })

  it('rejects a counted table that has only one of page_id and status', async () => {
    await create('search text, status text')
    await expect(client`select desk_attach_record_triggers('samples', '{code}')`).rejects.toThrow('both page_id and status')
  })
})

it('migration 0028 replaces the functions that write the search text tables without waiting for a writer', async () => {
  const statements = readFileSync(new URL('./migrations/0028_text_triggers.sql', import.meta.url), 'utf8').split('--> statement-breakpoint')
  const replacing = statements.filter((statement) => statement.trim().startsWith('SELECT'))
  expect(replacing).toHaveLength(5)
  const writer = postgres(own.url, { max: 1 })
  try {
    await writer.begin(async (writing) => {
      await writing`lock table payments, payments_texts in row exclusive mode`
      await client.begin(async (migrating) => {
        await migrating`set local lock_timeout = '5s'`
        for (const statement of replacing) await migrating.unsafe(statement)
      })
    })
  } finally {
    await writer.end()
  }
})

it('migration 0055 adds companies to the names of stored orders, without changing anything else', async () => {
  const tables = ['payments', 'bookings', 'subscriptions']
  const record = {
    id: 'a'.repeat(24),
    sellerId: 's1',
    createdAt: '2026-01-02T03:04:05.000Z',
    billing: { name: 'Zoë', companyName: 'Blå B.V.' },
  }
  const readNames = (table: string) => client.unsafe(`select names from ${table} union all select names from ${table}_texts`)
  const readRecords = () => client.unsafe(tables.map((table) => `select record::text from ${table}`).join(' union all '))
  await client`insert into sellers (id, name, time_zone) values ('s1', 'Test', 'UTC')`
  for (const table of tables) {
    await client`insert into ${client(table)} (seller_id, record) values ('s1', ${JSON.stringify(record)}::text::json)`
    expect(await readNames(table)).toEqual(Array(2).fill({ names: 'zoe bla b.v.' }))
    // The triggers are disabled, because they would derive the current names.
    await client.unsafe(`alter table ${table} disable trigger user`)
    await client.unsafe(`update ${table} set names = 'zoe'; update ${table}_texts set names = 'zoe'`)
    await client.unsafe(`alter table ${table} enable trigger user`)
  }
  const [records, events] = [await readRecords(), await client`select count(*) from events`]
  await client.unsafe(readFileSync(new URL('./migrations/0055_company_names.sql', import.meta.url), 'utf8'))
  for (const table of tables) expect(await readNames(table)).toEqual(Array(2).fill({ names: 'zoe bla b.v.' }))
  expect([await readRecords(), await client`select count(*) from events`]).toEqual([records, events])
})

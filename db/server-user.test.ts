/** Tests that the server's database user can read and write rows and do nothing else. */
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureServerUser } from './server-user'

let owner: Sql
let server: Sql
beforeAll(async () => {
  const url = String(process.env.TEST_DATABASE_URL)
  owner = postgres(url, { max: 1, onnotice: () => {} })
  server = postgres(await ensureServerUser(url), { max: 1, onnotice: () => {} })
})
afterAll(() => Promise.all([owner.end(), server.end()]))

const tables = () => owner<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public' order by 1`

it('owns nothing and has no special privileges', async () => {
  const [row] = await server<{ owned: number; superuser: boolean; creates: boolean }[]>`
    select (select count(*)::int from pg_class where relowner = current_user::regrole) as owned,
      (select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls from pg_roles where rolname = current_user) as superuser,
      has_schema_privilege('public', 'create') as creates`
  expect(row).toEqual({ owned: 0, superuser: false, creates: false })
})

it('can read and write every table, including those of later migrations', async () => {
  await owner`create table if not exists made_later (id int)`
  for (const { name } of await tables()) {
    const [row] = await server<{ all: boolean }[]>`
      select bool_and(has_table_privilege(${`public.${name}`}, privilege)) as all from unnest(array['select', 'insert', 'update', 'delete']) as privilege`
    expect([name, row?.all]).toEqual([name, true])
  }
  await owner`drop table made_later`
})

it('cannot drop, alter, truncate or create a table, or read the database’s passwords', { tags: 'slow' }, async () => {
  const statements = (await tables()).flatMap(({ name }) => [
    `drop table ${name} cascade`,
    `alter table ${name} add column x int`,
    `alter table ${name} disable trigger all`,
    `truncate ${name} cascade`,
    `drop index ${name}_pkey`,
  ])
  for (const statement of [
    ...statements,
    'create table mine (id int)',
    'create function mine() returns int language sql as $$ select 1 $$',
    'drop schema public cascade',
    'create role other superuser',
    'set role desk',
    'select * from pg_authid',
    "copy sellers to program 'cat'",
    "select pg_read_file('postgresql.auto.conf')",
    'delete from drizzle.__drizzle_migrations',
  ]) {
    const code = await server.unsafe(statement).then(
      () => 'done',
      (error: { code?: string }) => error.code,
    )
    // 42501 is insufficient_privilege; 42704 is undefined_object, if the table has no index with that name.
    expect([statement, ['42501', '42704'].includes(String(code))]).toEqual([statement, true])
  }
})

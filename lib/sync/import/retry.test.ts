/** An import retries a batch that conflicted with another transaction. */
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { database } from '@/db/client'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeSeller, minimal } from '@/testing/seller'

withOwnDatabase()

it.each(['40001', '40P01', '23505'])('writes every row after four failures with SQLSTATE %s', async (state) => {
  const run = (statement: string) => database().use(({ orm }) => orm.execute(sql.raw(statement)))
  // The failures are counted with a sequence, because a rollback does not reset it.
  await run('create sequence failures')
  await run(`create function fail() returns trigger language plpgsql as $$ begin
    if nextval('failures') <= 4 then raise exception 'no' using errcode = '${state}'; end if; return new; end $$`)
  await run('create trigger fail before insert on coupons for each statement execute function fail()')
  const seller = await makeSeller()
  expect(await importLines('coupons', seller, [minimal('coupons')])).toMatchObject({ written: 1, rejects: [] })
  await run('drop trigger fail on coupons; drop function fail; drop sequence failures')
})

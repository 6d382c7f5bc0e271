/** An import retries a batch that conflicts with another transaction, waits for erasures, and fails without privileges. */
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { database, openDatabase, setDatabase } from '@/db/client'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { untilBlocking } from '@/testing/until-blocking'
import { lockWriters } from '../../accounts/erasure-lock'
import { newObjectId } from '../../core/object-id'
import { importRecords } from './import'

const testDatabase = withOwnDatabase()

it.each(['40001', '40P01', '23505'])('writes a batch that failed four times with SQLSTATE %s', async (state) => {
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

it('does not fail before the batches that are being written have ended', async () => {
  const seller = await makeSeller()
  const prefix = newObjectId().slice(0, 20)
  // The IDs end with the same digit, so that one worker writes all records in one batch.
  const lines = Array.from({ length: 250 }, (_, index) => minimal('customers', { id: `${prefix}${String(index).padStart(3, '0')}0` }))
  const failed: string[] = []
  let importing: Promise<unknown> | undefined
  await database().transaction(async (connection) => {
    await lockWriters(connection, seller)
    async function* input() {
      yield Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
      await untilBlocking(connection)
      failed.push('input')
      yield Buffer.from('{}\n')
    }
    const onReject = () => {
      throw new Error('The disk is full.')
    }
    importing = importRecords({ resource: 'customers', seller, input: Readable.from(input()), onReject }).catch((error: Error) =>
      failed.push(error.message),
    )
    await expect.poll(() => failed).toContain('input')
    for (let count = 0; count < 10; count += 1) await setImmediate()
    expect(failed).toEqual(['input'])
  })
  await importing
  expect(failed).toEqual(['input', 'The disk is full.'])
  expect(await database().use(({ rows }) => rows(sql`select id from customers where seller_id = ${seller}`))).toHaveLength(250)
})

it('waits for an erasure for longer than the lock timeout', async () => {
  const seller = await makeSeller()
  const shared = database()
  const shortTimeoutPool = openDatabase({ url: testDatabase.url, lockMs: 1 })
  const waiting = sql`select 1 from pg_locks where not granted and waitstart < clock_timestamp() - interval '0.1 s'`
  const imported = await shared.transaction(async (connection) => {
    await lockWriters(connection, seller)
    setDatabase(shortTimeoutPool)
    const result = importLines('customers', seller, [minimal('customers')])
    await Promise.race([result, expect.poll(() => shared.use(({ rows }) => rows(waiting))).toHaveLength(1)])
    return { result }
  })
  expect(await imported.result).toMatchObject({ written: 1 })
  setDatabase(shared)
  await shortTimeoutPool.close()
})

it('fails if the database user lacks a privilege, instead of rejecting every line', async () => {
  const run = (statement: string) => database().use(({ orm }) => orm.execute(sql.raw(statement)))
  const seller = await makeSeller()
  const [shared, role] = [database(), `reader_${newObjectId()}`]
  await run(`create role ${role} login password 'reader'`)
  await run(`grant select on all tables in schema public to ${role}`)
  const url = new URL(testDatabase.url)
  Object.assign(url, { username: role, password: 'reader' })
  const reader = openDatabase({ url: url.href })
  setDatabase(reader)
  try {
    await expect(importLines('coupons', seller, [minimal('coupons'), minimal('coupons')])).rejects.toMatchObject({ code: '42501' })
  } finally {
    setDatabase(shared)
    await reader.close()
    await run(`drop owned by ${role}`)
    await run(`drop role ${role}`)
  }
})

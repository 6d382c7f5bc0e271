/** A statement that exceeds its time limit is canceled without an error. */
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { database } from '@/db/client'
import { openTestDatabase } from '@/testing/seller'
import { withinTime } from './within-time'

openTestDatabase()

it('returns undefined for a statement that exceeds its limit, and the results of other statements', async () => {
  const wait = (seconds: number, ms: number) =>
    withinTime(database(), ms, ({ rows }) => rows<{ done: number }>(sql`select 1 as done from pg_sleep(${seconds}::float8)`))
  expect(await Promise.all([wait(20, 50), wait(0, 60_000)])).toEqual([undefined, [{ done: 1 }]])
})

it('applies the settings only to the statement', async () => {
  const read = sql`select current_setting('enable_seqscan') as setting`
  const own = await withinTime(database(), 5_000, ({ rows }) => rows(read), { enable_seqscan: 'off' })
  expect([own, await database().use(({ rows }) => rows(read))]).toEqual([[{ setting: 'off' }], [{ setting: 'on' }]])
})

it('throws other errors', async () => {
  await expect(withinTime(database(), 5_000, ({ rows }) => rows(sql`select 1 / 0`))).rejects.toMatchObject({ code: '22012' })
})

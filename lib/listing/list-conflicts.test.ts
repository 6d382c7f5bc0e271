/** Check-in conflicts are listed in order and in pages, with the details of their check-ins. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { makeOwner } from '@/testing/devices'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { reviewConflict } from '../admission/conflicts'
import { listConflicts } from './list-conflicts'

beforeAll(openTestDatabase)

it('a conflict contains the day of a check-in whose time is unknown', async () => {
  const seller = await makeSeller('Pacific/Honolulu')
  const importTicket = async (checkedInAt: string) => {
    const ticket = minimal('tickets', { checkIns: [{ method: 'QRSCAN', status: 'CHECKEDIN', checkedInAt }] })
    await importLines('tickets', seller, [ticket])
    await database().use(({ rows }) =>
      rows(sql`
        insert into offline_scans (seller_id, id, ticket_id, actor_id, method, decision, conflict, claimed_at, corrected_at)
        values (${seller}, ${ticket.id}, ${ticket.id}, 'd', 'QRSCAN', 'admitted', 'double_entry', now(), ${checkedInAt}::timestamptz)`),
    )
  }
  await importTicket('2026-03-06')
  await importTicket('2026-03-05T23:30:00.000Z')
  expect(await listConflicts(seller)).toMatchObject([
    { checkedInAt: null, checkedInDay: '2026-03-06' },
    { checkedInAt: '2026-03-05T23:30:00.000Z', checkedInDay: null },
  ])
})

it('open conflicts come before unreadable scans, no matter how many a device reports, and are listed in pages', async () => {
  const seller = await makeSeller()
  const { userId } = await makeOwner(seller)
  const add = (conflict: string, count: number, minutes: number) =>
    database().use(({ rows }) =>
      rows(sql`
        insert into offline_scans (seller_id, id, actor_id, method, decision, conflict, claimed_at, corrected_at)
        select ${seller}, ${conflict} || '-' || n, 'd', 'QRSCAN', 'admitted', ${conflict}, now(), now() - make_interval(mins => ${minutes}::int)
        from generate_series(1, ${count}::int) as n`),
    )
  await add('unreadable', 300, 0)
  await add('double_entry', 3, 1)
  await add('canceled', 1, 2)
  const ids = async (query: Parameters<typeof listConflicts>[1]) => (await listConflicts(seller, query)).map(({ id }) => id)
  expect((await ids({})).slice(0, 4)).toEqual(['double_entry-3', 'double_entry-2', 'double_entry-1', 'canceled-1'])
  const first = await listConflicts(seller, { limit: 2 })
  const { cursor } = first[1] ?? {}
  const next = ['double_entry-1', 'canceled-1', 'unreadable-99']
  expect(await ids({ cursor, limit: 3 })).toEqual(next)
  // Reviewing a conflict does not change the page that follows.
  await reviewConflict(seller, 'double_entry-2', 'A friend', userId)
  expect(await ids({ cursor, limit: 3 })).toEqual(next)
  expect(await ids({ cursor, direction: 'newer', limit: 3 })).toEqual(['double_entry-3'])
  expect((await listConflicts(seller, { limit: 400 })).at(-1)).toMatchObject({ id: 'double_entry-2', note: 'A friend' })
})

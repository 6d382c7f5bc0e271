/** Conflicts, and the note that staff add when they review one. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { conflictNote, listConflicts } from './conflicts'

beforeAll(openTestDatabase)

it('the note for a conflict is required, trimmed, and limited to 200 characters', () => {
  expect(conflictNote.safeParse('  ').success).toBe(false)
  expect(conflictNote.safeParse('x'.repeat(201)).success).toBe(false)
  expect(conflictNote.parse(' Paid at the door ')).toBe('Paid at the door')
})

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

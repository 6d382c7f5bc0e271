/** Refused scans are listed in pages with their ticket, event, device and reason, and deleted after 400 days. */
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { recountSums } from '@/lib/reports/recount-sums'
import { serializeResult } from '@/testing/admission'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeKey, makeSeller, minimal } from '@/testing/seller'
import { validateTicket } from '../admission/change-ticket'
import { purgeAttempts } from '../admission/purge-attempts'
import { listRefusals, NO_EVENT, type RefusalParams } from './list-refusals'

// Uses its own database, because a purge deletes every seller's attempts.
withOwnDatabase()

const run = (query: ReturnType<typeof sql>) => database().use(({ rows }) => rows(query))

async function openShop() {
  const seller = await makeSeller()
  const page = minimal('pages', { name: 'Jazz' })
  await importLines('pages', seller, [page])
  const booking = minimal('bookings', { orderId: 'BK-1' })
  await importLines('bookings', seller, [booking])
  const details = { customerName: 'Ada', orderId: 'BK-1', chargeId: booking.id, pageId: page.id }
  const ticket = minimal('tickets', { qrCode: 'code', ticketShortId: 'LH-1', ...details })
  await importLines('tickets', seller, [ticket])
  const { id: actorId } = await makeKey(seller)
  const scan = (code: string, options: { checkIn?: boolean; device?: string; onlyPageId?: string } = {}) =>
    validateTicket({ sellerId: seller, code, metadata: [], checkIn: true, actorId, body: {}, ...options }, serializeResult)
  return { seller, pageId: String(page.id), ticketId: String(ticket.id), bookingId: String(booking.id), scan }
}

describe('refused scans', () => {
  it('are listed with their reason, ticket, event, device and API key, unlike accepted scans', async () => {
    const { seller, ticketId, bookingId, scan } = await openShop()
    await scan('code', { checkIn: false })
    await scan('code')
    await scan('code', { device: 'Gate 1' })
    await scan('no-such-code')
    const { rows: refusals, hasPrevious, hasNext } = await listRefusals(seller)
    const common = { id: expect.any(Number), at: expect.any(String), who: 'Test', isLate: false }
    const none = { checkedInAt: null, checkedInDay: null, checkedInBy: null, canceledAt: null, ticketEvent: null }
    const noTicket = { ticketId: null, shortId: null, guest: null, order: null, bookingId: null, event: null, device: null }
    const ticket = { ticketId, shortId: 'LH-1', guest: 'Ada', order: 'BK-1', bookingId, event: 'Jazz', device: 'Gate 1' }
    expect(refusals).toEqual([
      { ...common, ...none, ...noTicket, reason: 'unknown' },
      {
        ...common,
        ...none,
        ...ticket,
        reason: 'already_checked_in',
        checkedInAt: expect.any(String),
        checkedInDay: null,
        checkedInBy: 'Test',
      },
    ])
    expect([hasPrevious, hasNext]).toEqual([false, false])
    expect((await listRefusals(await makeSeller())).rows).toEqual([])
  })

  it('show when the ticket was canceled, and which other event it is for', async () => {
    const { seller, scan } = await openShop()
    const [choir, canceledAt] = [minimal('pages', { name: 'Choir' }), '2026-11-01T10:00:00.000Z']
    await importLines('pages', seller, [choir])
    await importLines('tickets', seller, [
      minimal('tickets', { qrCode: 'canceled', status: 'CANCELED', canceledAt }),
      minimal('tickets', { qrCode: 'choir', pageId: choir.id }),
    ])
    await scan('canceled')
    await scan('choir', { onlyPageId: 'f'.repeat(24) })
    const { rows: refusals } = await listRefusals(seller)
    expect(refusals.map(({ reason, canceledAt, ticketEvent, checkedInAt }) => [reason, canceledAt, ticketEvent, checkedInAt])).toEqual([
      ['other_event', null, 'Choir', null],
      ['canceled', canceledAt, null, null],
    ])
  })

  it('show the day of an imported check-in whose time is unknown, unless it is later than the scan', async () => {
    const { seller, scan } = await openShop()
    await run(sql`update sellers set time_zone = 'America/New_York' where id = ${seller}`)
    const importTicket = (qrCode: string, checkedInAt: string) =>
      importLines('tickets', seller, [minimal('tickets', { qrCode, checkIns: [{ method: 'QRSCAN', status: 'CHECKEDIN', checkedInAt }] })])
    await importTicket('same day', '2026-03-05')
    await importTicket('next day', '2026-03-06')
    await scan('same day')
    await scan('next day')
    // In New York, it is still March 5.
    await run(sql`update validation_attempts set at = '2026-03-06T03:00Z' where seller_id = ${seller}`)
    const { rows: refusals } = await listRefusals(seller)
    expect(refusals.map(({ reason, checkedInAt, checkedInDay }) => [reason, checkedInAt, checkedInDay])).toEqual([
      ['already_checked_in', null, null],
      ['already_checked_in', null, '2026-03-05'],
    ])
  })

  it('are paginated in order of time, without skipping or repeating any', async () => {
    const { seller, scan } = await openShop()
    for (let i = 0; i < 5; i += 1) await scan(`guess-${i}`)
    // Scans with equal times are ordered by ID.
    await run(sql`update validation_attempts set at = '2026-11-01' where seller_id = ${seller}`)
    const all = (await listRefusals(seller)).rows.map(({ id }) => id)
    const [first, second] = [
      await listRefusals(seller, { limit: 2 }),
      await listRefusals(seller, { limit: 2, starting_after: String(all[1]) }),
    ]
    expect([first, second].flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(all.slice(0, 4))
    expect([first.hasNext, second.hasPrevious, second.hasNext]).toEqual([true, true, true])
    expect((await listRefusals(seller, { limit: 2, ending_before: String(all[2]) })).rows.map(({ id }) => id)).toEqual(all.slice(0, 2))
  })

  it('can be filtered by the day in the seller’s time zone, and by the event of the door or of the ticket', async () => {
    const { seller, pageId, scan } = await openShop()
    const choir = 'f'.repeat(24)
    await importLines('pages', seller, [minimal('pages', { id: choir, name: 'Choir' })])
    await scan('code')
    for (const options of [{}, { onlyPageId: choir }]) await scan('code', options)
    await scan('guess', { onlyPageId: choir })
    await scan('guess')
    await run(sql`update sellers set time_zone = 'America/New_York' where id = ${seller}`)
    const reasons = async (filters: Partial<RefusalParams>) =>
      (await listRefusals(seller, { limit: 20, ...filters })).rows.map(({ reason }) => reason)
    expect(await reasons({ pageId })).toEqual(['already_checked_in'])
    expect(await reasons({ pageId: choir })).toEqual(['unknown', 'other_event'])
    expect(await reasons({ pageId: NO_EVENT })).toEqual(['unknown'])
    // 03:30 UTC is still the day before in New York.
    await run(sql`update validation_attempts set at = case outcome when 'unknown' then '2026-03-02T03:30Z' else '2026-03-02T05:30Z' end::timestamptz
      where seller_id = ${seller} and outcome <> 'admitted'`)
    expect(await reasons({ date: '2026-03-01' })).toEqual(['unknown', 'unknown'])
    expect(await reasons({ date: '2026-03-01', pageId: choir })).toEqual(['unknown'])
    expect(await reasons({ date: '2026-03-02' })).toEqual(['other_event', 'already_checked_in'])
    expect(await reasons({ date: '2026-03-03' })).toEqual([])
  })

  it('are deleted after 400 days, unlike admissions, and are subtracted from the counts', async () => {
    const { seller, scan } = await openShop()
    await scan('code')
    for (let i = 0; i < 3; i += 1) await scan('code')
    await run(sql`update validation_attempts set at = now() - interval '401 days'
      where seller_id = ${seller} and id <> (select max(id) from validation_attempts where seller_id = ${seller})`)
    await run(sql`update admission_counts set minute = minute - interval '401 days' where seller_id = ${seller}`)
    await purgeAttempts()
    expect((await listRefusals(seller)).rows).toHaveLength(1)
    expect(
      await run(sql`select outcome, sum(scans)::int as scans from scan_counts where seller_id = ${seller} group by 1 order by 1`),
    ).toEqual([
      { outcome: 'admitted', scans: 1 },
      { outcome: 'already_checked_in', scans: 1 },
    ])
    expect(await recountSums(false)).toEqual([])
  })
})

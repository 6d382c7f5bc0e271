/** Tickets are generated once for a booking without tickets, even if it is imported concurrently, and are canceled with the booking. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { database } from '@/db/client'
import { parseResult, serializeResult } from '@/testing/admission'
import { insertRefusedScans } from '@/testing/devices'
import { createShop, waitForClock } from '@/testing/door-shop'
import { readEvents } from '@/testing/events'
import { importLines, importText, type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { untilBlocking } from '@/testing/until-blocking'
import { type DecidedResult, noteOnTicket, validateTicket } from '../../admission/change-ticket'
import { resources } from '../../catalog'
import { addNote } from '../edit/notes'
import { editTicket, type TicketPatch } from '../edit/tickets'
import { writerFor } from './writer-for'

beforeAll(openTestDatabase)
afterEach(() => void vi.useRealTimers())

const SEATS = [
  { name: 'Standing', ticketTypeId: 'standing', quantity: 2, price: 2200, originalPrice: 2400, bookingFeeAmount: 100 },
  { name: 'Balcony', ticketTypeId: 'balcony', price: 3400 },
]
const makeBooking = (members: Line = {}) => minimal('bookings', { orderId: 'BK-1', tickets: SEATS, ...members })

/** Returns the seller's tickets as the API returns them, with their codes, by type. */
async function readTickets(seller: string): Promise<Line[]> {
  const found = await database().use(({ rows }) =>
    rows<{ ticket: string; qrCode: string }>(
      sql`select desk_ticket(tickets)::text as ticket, qr_code as "qrCode" from tickets where seller_id = ${seller}`,
    ),
  )
  const all = found.map(({ ticket, qrCode }): Line => ({ ...JSON.parse(ticket), qrCode }))
  return all.sort((a, b) => String(b.ticketTypeId).localeCompare(String(a.ticketTypeId)) || (String(a.id) < String(b.id) ? -1 : 1))
}
const readStatuses = async (seller: string) => (await readTickets(seller)).map(({ status }) => status)

const makeInput = (sellerId: string, code: unknown) => ({
  sellerId,
  code: String(code),
  metadata: [],
  checkIn: true,
  actorId: 'door',
  body: {},
})
const admit = async (seller: string, code: unknown) =>
  parseResult(await validateTicket(makeInput(seller, code), serializeResult)) as Partial<DecidedResult>

describe('a booking without imported tickets', () => {
  it('gets one generated ticket per seat, with the booking’s data and an unguessable code', async () => {
    const seller = await makeSeller()
    const page = 'a'.repeat(24)
    const booking = makeBooking({
      pageId: page,
      customerEmail: 'ada@example.com',
      billing: { name: 'Ada' },
      currency: 'eur',
      livemode: true,
    })
    expect(await importLines('bookings', seller, [booking])).toMatchObject({ written: 1, rejects: [] })
    const generated = await readTickets(seller)
    expect(generated.map(({ ticketTypeId }) => ticketTypeId)).toEqual(['standing', 'standing', 'balcony'])
    expect(generated[0]).toMatchObject({
      chargeId: booking.id,
      pageId: page,
      status: 'PAID',
      orderId: 'BK-1',
      customerName: 'Ada',
      customerEmail: 'ada@example.com',
      originalPrice: 2400,
      discountAmount: 200,
      feeAmount: 100,
      revenue: 2200,
      currency: 'eur',
      livemode: true,
      orderedAt: booking.createdAt,
      checkIns: [],
    })
    expect(generated[2]).toMatchObject({ originalPrice: 3400, revenue: 3400 })
    // Each code has 128 random bits.
    expect(new Set(generated.map(({ qrCode }) => qrCode)).size).toBe(3)
    for (const { qrCode } of generated) expect(qrCode).toMatch(/^[0-9A-F]{32}$/)
    expect(await admit(seller, generated[0]?.qrCode)).toMatchObject({ success: true, ticket: { id: generated[0]?.id } })
  })

  it('gives its tickets times from the database’s clock, which erasures use too', async () => {
    const seller = await makeSeller()
    const start = new Date().toISOString()
    vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ['Date'] })
    await importLines('bookings', seller, [makeBooking()])
    const generated = await readTickets(seller)
    expect(generated).toHaveLength(3)
    for (const { createdAt, updatedAt } of generated) {
      expect(String(createdAt) >= start).toBe(true)
      expect(updatedAt).toBe(createdAt)
    }
  })

  it('keeps its tickets if it is imported again, changed or unchanged, even concurrently', async () => {
    const seller = await makeSeller()
    const bookings = Array.from({ length: 40 }, (_, index) => makeBooking({ orderId: `BK-${index}` }))
    const importAgain = (members: Line = {}) =>
      importLines(
        'bookings',
        seller,
        bookings.map((booking) => ({ ...booking, ...members })),
      )
    await Promise.all(Array.from({ length: 4 }, () => importAgain()))
    const generated = await readTickets(seller)
    expect(generated).toHaveLength(120)
    expect(await importAgain()).toMatchObject({ written: 0, unchanged: 40 })
    expect(await importAgain({ customerEmail: 'new@example.com' })).toMatchObject({ written: 40 })
    expect(await readTickets(seller)).toEqual(generated)
  })

  it.each([
    ['pending', 0],
    ['partially_paid', 0],
    ['refunded', 0],
    ['canceled', 0],
    ['partial_refund', 3],
  ])('with status %s gets %i tickets, and one per seat once it is paid', async (status, count) => {
    const seller = await makeSeller()
    const booking = makeBooking({ status })
    await importLines('bookings', seller, [booking])
    expect(await readTickets(seller)).toHaveLength(count)
    await importLines('bookings', seller, [{ ...booking, status: 'paid' }])
    expect(await readStatuses(seller)).toEqual(['PAID', 'PAID', 'PAID'])
  })

  it.each([
    ['has no seats', []],
    ['has a fractional quantity', [{ quantity: 1.5 }]],
    ['has a negative quantity', [{ quantity: 3 }, { quantity: -1 }]],
    ['has an extremely large quantity', [{ quantity: 1e12 }]],
    ['has 1,001 seats', [{ quantity: 600 }, { quantity: 401 }]],
  ])('gets no tickets if it %s', async (_, tickets) => {
    const seller = await makeSeller()
    const bookings = [makeBooking({ tickets }), makeBooking({ orderId: 'BK-2' })]
    expect(await importLines('bookings', seller, bookings)).toMatchObject({ written: 2 })
    expect((await readTickets(seller)).map(({ orderId }) => orderId)).toEqual(['BK-2', 'BK-2', 'BK-2'])
  })

  it('gets 1,000 tickets if it has 1,000 seats', async () => {
    const seller = await makeSeller()
    await importLines('bookings', seller, [makeBooking({ tickets: [{ quantity: 1000 }] })])
    expect(await readTickets(seller)).toHaveLength(1000)
  })

  it('gets tickets of the missing types if seats are added, and loses none if seats are removed', async () => {
    const seller = await makeSeller()
    const booking = makeBooking()
    await importLines('bookings', seller, [booking])
    const first = await readTickets(seller)
    const [standing, balcony] = SEATS
    const types = async () => (await readTickets(seller)).map(({ ticketTypeId }) => ticketTypeId)
    const importSeats = async (...tickets: object[]) => {
      await importLines('bookings', seller, [{ ...booking, tickets }])
      return types()
    }
    expect(await importSeats({ ...standing, quantity: 3 }, { ...balcony, quantity: 2 })).toEqual([
      'standing',
      'standing',
      'standing',
      'balcony',
      'balcony',
    ])
    expect(new Set((await readTickets(seller)).map(({ qrCode }) => qrCode)).size).toBe(5)
    // Codes that were sent to customers remain valid.
    const codes = (await readTickets(seller)).map(({ qrCode }) => qrCode)
    for (const { qrCode } of first) expect(codes).toContain(qrCode)
    expect(await importSeats({ ...standing, quantity: 1 })).toHaveLength(5)
    // There are as many seats as tickets, but of another type, so it is unknown which codes should be invalidated.
    expect(await importSeats({ ...balcony, quantity: 5 })).toHaveLength(5)
    expect(await importSeats({ ...balcony, quantity: 6 })).toEqual(['standing', 'standing', 'standing', 'balcony', 'balcony', 'balcony'])
    await importLines('tickets', seller, [minimal('tickets', { chargeId: booking.id, orderId: 'BK-1' })])
    expect(await importSeats({ ...standing, quantity: 9 })).toHaveLength(1)
  })
})

describe('a booking with imported tickets', () => {
  const makeTicket = (booking: Line, members: Line = {}) => minimal('tickets', { chargeId: booking.id, orderId: 'BK-1', ...members })

  it.each([
    ['tickets with the booking’s ID', (id: string) => id],
    ['tickets with the booking’s ID in uppercase', (id: string) => id.toUpperCase()],
    ['tickets with only the order ID', () => undefined],
    ['tickets with the order ID and an empty booking ID', () => ''],
  ])('has only the imported tickets, regardless of whether it is imported before or after them: %s', async (_, toChargeId) => {
    const [before, after] = [await makeSeller(), await makeSeller()]
    const booking = makeBooking()
    const members = { chargeId: toChargeId(String(booking.id)) }
    const tickets = [makeTicket(booking, members), makeTicket(booking, members)]
    await importLines('tickets', before, tickets)
    await importLines('bookings', before, [booking])
    await importLines('bookings', after, [booking])
    expect(await readTickets(after)).toHaveLength(3)
    await importLines('tickets', after, tickets)
    for (const seller of [before, after]) {
      expect((await readTickets(seller)).map(({ id }) => id)).toEqual(tickets.map(({ id }) => id))
    }
  })

  it('does not include other tickets with an empty order ID if its own order ID is empty', async () => {
    const seller = await makeSeller()
    const booking = makeBooking({ orderId: '', tickets: [{ quantity: 1 }] })
    const stranger = minimal('tickets', { orderId: '', status: 'PAID', customerName: 'Stranger' })
    await importLines('tickets', seller, [stranger])
    await importLines('bookings', seller, [booking])
    await importLines('tickets', seller, [{ ...stranger, customerName: 'Another stranger' }])
    expect(await readStatuses(seller)).toEqual(['PAID', 'PAID'])
    await importLines('bookings', seller, [{ ...booking, status: 'refunded' }])
    expect((await readTickets(seller)).find(({ id }) => id === stranger.id)).toMatchObject({ status: 'PAID' })
  })

  it('keeps generated tickets that have been scanned or edited, or have a note or metadata', async () => {
    const seller = await makeSeller()
    const booking = makeBooking({ tickets: [{ quantity: 6 }] })
    await importLines('bookings', seller, [booking])
    const [scanned, notedAtDoor, noted, renamed, seated] = (await readTickets(seller)).map(({ id, qrCode }) => ({
      id: String(id),
      qrCode,
    }))
    const by = { userId: 'user', email: 'staff@example.com' }
    const metadata = [{ key: 'seat', value: 'A1' }]
    const edit = (id: string, patch: TicketPatch) => editTicket(seller, by, id, () => true, patch)
    await admit(seller, scanned?.qrCode)
    await noteOnTicket({ ...makeInput(seller, notedAtDoor?.qrCode), metadata }, serializeResult)
    await addNote(seller, by, { resource: 'tickets', id: String(noted?.id) }, 'Called')
    await edit(String(renamed?.id), { customerName: 'Ada King' })
    await edit(String(seated?.id), { metadata })
    const imported = makeTicket(booking)
    expect(await importLines('tickets', seller, [imported])).toMatchObject({ written: 1, rejects: [] })
    const kept = new Set([scanned, notedAtDoor, noted, renamed, seated, imported].map((ticket) => ticket?.id))
    expect(new Set((await readTickets(seller)).map(({ id }) => id))).toEqual(kept)
  })

  it('keeps a generated ticket with which a device let a guest in after the refund, so that the guest’s exit counts', async () => {
    const { sellerId, pageId, device, seal, send, scanCodeOnline, turnout, findDifferences } = await createShop(0)
    const booking = makeBooking({ pageId, tickets: [{ quantity: 2 }] })
    await importLines('bookings', sellerId, [booking])
    const [scanned, unscanned] = await readTickets(sellerId)
    await importLines('bookings', sellerId, [{ ...booking, status: 'refunded' }])
    const [gate, exit] = [await device('Gate 1'), await device('Exit')]
    await send(gate, [await seal(0, 'in', Date.now(), { code: String(scanned?.qrCode), pageId })])
    expect(await turnout()).toMatchObject({ inside: 1 })
    const imported = makeTicket(booking)
    await importLines('tickets', sellerId, [imported])
    expect((await readTickets(sellerId)).map(({ id }) => id).sort()).toEqual([scanned?.id, imported.id].sort())
    expect(await turnout()).toMatchObject({ inside: 1 })
    await waitForClock()
    expect(await scanCodeOnline(exit, String(unscanned?.qrCode), 'out')).toBe('unknown')
    expect(await turnout()).toMatchObject({ inside: 1 })
    expect(await scanCodeOnline(exit, String(scanned?.qrCode), 'out')).toBe('not_checked_in')
    expect([await turnout(), await findDifferences()]).toMatchObject([{ inside: 0 }, []])
  })

  it('keeps generated tickets that a device refused offline, or that were scanned only at the exit', async () => {
    const { sellerId, pageId, device, seal, send, scanCodeOnline } = await createShop(0)
    const booking = makeBooking({ pageId, tickets: [{ quantity: 3 }] })
    await importLines('bookings', sellerId, [booking])
    const [refused, left] = await readTickets(sellerId)
    const [gate, exit] = [await device('Gate 1'), await device('Exit')]
    await send(gate, [await seal(0, 'in', Date.now(), { code: String(refused?.qrCode), decision: 'unknown', pageId })])
    expect(await scanCodeOnline(exit, String(left?.qrCode), 'out')).toBe('not_checked_in')
    const imported = makeTicket(booking)
    await importLines('tickets', sellerId, [imported])
    expect((await readTickets(sellerId)).map(({ id }) => id).sort()).toEqual([refused?.id, left?.id, imported.id].sort())
  })

  it('keeps a generated ticket that is scanned while the imported ones are written', async () => {
    const seller = await makeSeller()
    const booking = makeBooking({ tickets: [{ quantity: 1 }] })
    await importLines('bookings', seller, [booking])
    const [ticket] = await readTickets(seller)
    let replacement: Promise<unknown> | undefined
    await database().transaction(async (connection) => {
      const { rows } = connection
      await rows(sql`select from tickets where seller_id = ${seller} and id = ${ticket?.id} for no key update`)
      replacement = importLines('tickets', seller, [makeTicket(booking)])
      await untilBlocking(connection)
      await rows(insertRefusedScans(seller, String(ticket?.id), 'device', 1))
    })
    await replacement
    expect((await readTickets(seller)).map(({ id }) => id)).toContain(ticket?.id)
  })

  it('cancels its imported and scanned tickets when it is refunded, but not another seller’s tickets with the same IDs', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const booking = makeBooking({ tickets: [{ quantity: 2 }] })
    await importLines('bookings', seller, [booking])
    const generated = await readTickets(seller)
    await importLines('tickets', other, generated)
    expect(await admit(seller, generated[0]?.qrCode)).toMatchObject({ success: true })
    await importLines('tickets', seller, [minimal('tickets', { chargeId: booking.id })])
    expect(await readTickets(seller)).toHaveLength(2)
    await importLines('bookings', seller, [{ ...booking, status: 'refunded' }])
    expect(await readStatuses(seller)).toEqual(['CANCELED', 'CANCELED'])
    expect(await readStatuses(other)).toEqual(['PAID', 'PAID'])
  })

  it('has only the imported tickets if they and the booking are imported concurrently', async () => {
    const seller = await makeSeller()
    const bookings = Array.from({ length: 60 }, (_, index) => makeBooking({ orderId: `BK-${index}` }))
    const tickets = bookings.map((booking) => makeTicket(booking, { orderId: booking.orderId }))
    const half = (lines: Line[], remainder: number) => lines.filter((_, index) => index % 2 === remainder)
    await Promise.all([
      importLines('bookings', seller, half(bookings, 0)),
      importLines('tickets', seller, half(tickets, 0)),
      importLines('tickets', seller, half(tickets, 1)),
      importLines('bookings', seller, half(bookings, 1)),
    ])
    expect((await readTickets(seller)).map(({ id }) => id).sort()).toEqual(tickets.map(({ id }) => id).sort())
  })
})

describe('a booking that is refunded or canceled', () => {
  it.each(['refunded', 'canceled'])('with status %s cancels its tickets and keeps their check-ins', async (status) => {
    const seller = await makeSeller()
    const booking = makeBooking()
    await importLines('bookings', seller, [booking])
    const [inside, outside] = await readTickets(seller)
    await admit(seller, inside?.qrCode)
    const updatedAt = '2026-04-05T06:07:08.009Z'
    const refund = { ...booking, status, updatedAt }
    expect(await importLines('bookings', seller, [refund])).toMatchObject({ written: 1 })
    expect(await importLines('bookings', seller, [refund])).toMatchObject({ written: 0 })
    const after = await readTickets(seller)
    expect(after.map((ticket) => [ticket.status, ticket.canceledAt])).toEqual(Array(3).fill(['CANCELED', updatedAt]))
    expect(after[0]).toMatchObject({ id: inside?.id, checkInStatus: 'CHECKEDIN', checkIns: [{ status: 'CHECKEDIN' }] })
    expect(await admit(seller, outside?.qrCode)).toMatchObject({
      success: false,
      outcome: 'canceled',
      message: 'This ticket was canceled on April 5, 2026',
      ticket: { status: 'CANCELED', canceledAt: updatedAt, checkIns: [] },
    })
  })

  it.each([
    ['its ID', (booking: Line) => ({ chargeId: booking.id, orderId: 'BK-1' })],
    ['only its order ID', () => ({ orderId: 'BK-1' })],
  ])('cancels tickets with %s that are imported before or after it, even if they are imported again as PAID', async (_, link) => {
    const seller = await makeSeller()
    const booking = makeBooking({ status: 'refunded', orderId: 'BK-1' })
    const [before, after] = [1, 2].map(() => minimal('tickets', link(booking))) as [Line, Line]
    await importLines('tickets', seller, [before])
    await importLines('bookings', seller, [booking])
    await importLines('tickets', seller, [after])
    expect(await readStatuses(seller)).toEqual(['CANCELED', 'CANCELED'])
    expect(await importLines('tickets', seller, [before, after])).toMatchObject({ written: 0, unchanged: 2 })
    expect(await readStatuses(seller)).toEqual(['CANCELED', 'CANCELED'])
  })

  it('restores its tickets if it is paid again, except individually canceled ones, and cancels none after a partial refund', async () => {
    const seller = await makeSeller()
    const booking = makeBooking()
    const [valid, canceled] = ['PAID', 'CANCELED'].map((status) => minimal('tickets', { chargeId: booking.id, status })) as [Line, Line]
    await importLines('tickets', seller, [valid, canceled])
    const importWithStatus = async (status: string) => {
      await importLines('bookings', seller, [{ ...booking, status }])
      return new Map((await readTickets(seller)).map((ticket) => [ticket.id, ticket.status]))
    }
    const expected = (status: string) =>
      new Map([
        [valid.id, status],
        [canceled.id, 'CANCELED'],
      ])
    expect(await importWithStatus('partial_refund')).toEqual(expected('PAID'))
    expect(await importWithStatus('refunded')).toEqual(expected('CANCELED'))
    // This is neither a refund nor a payment, so the tickets do not change.
    expect(await importWithStatus('unpaid')).toEqual(expected('CANCELED'))
    expect(await importWithStatus('paid')).toEqual(expected('PAID'))
  })

  describe('whose order ID another booking has too', () => {
    const makeOrder = () => {
      const ticket = minimal('tickets', { orderId: 'BK-1' })
      const canceled = makeBooking({ status: 'canceled' })
      const paid = makeBooking()
      return { ticket, canceled, paid }
    }

    it.each(['canceled first', 'paid first'])(
      'does not cancel a ticket with only that ID while the other one is paid: %s',
      async (order) => {
        const seller = await makeSeller()
        const { ticket, canceled, paid } = makeOrder()
        const importBooking = async (booking: Line) => {
          await importLines('bookings', seller, [booking])
          return readStatuses(seller)
        }
        await importLines('tickets', seller, [ticket])
        const files = order === 'canceled first' ? [canceled, paid] : [paid, canceled]
        for (const booking of files) await importBooking(booking)
        expect(await readStatuses(seller)).toEqual(['PAID'])
        for (const booking of [...files, ...files]) expect(await importBooking(booking)).toEqual(['PAID'])
        // All lines in one file, and a ticket that is imported after both bookings.
        await importLines('bookings', seller, files)
        await importLines('tickets', seller, [ticket, minimal('tickets', { orderId: 'BK-1' })])
        expect(await readStatuses(seller)).toEqual(['PAID', 'PAID'])
        expect(await importBooking({ ...canceled, status: 'refunded' })).toEqual(['PAID', 'PAID'])
      },
    )

    it('cancels the ticket, at the later time, once neither is paid, and restores it once one is paid again', async () => {
      const seller = await makeSeller()
      const { ticket, canceled, paid } = makeOrder()
      const importBookings = async (...bookings: Line[]) => {
        await importLines('bookings', seller, bookings)
        return (await readTickets(seller)).map(({ status, canceledAt }) => [status, canceledAt])
      }
      const [early, late] = ['2026-04-01T00:00:00.000Z', '2026-04-02T00:00:00.000Z']
      await importLines('tickets', seller, [ticket])
      await importBookings({ ...canceled, updatedAt: early }, paid)
      const refunded = { ...paid, status: 'refunded', updatedAt: late }
      const expected = [['CANCELED', late]]
      expect(await importBookings(refunded)).toEqual(expected)
      expect(await importBookings({ ...canceled, updatedAt: early })).toEqual(expected)
      expect(await importBookings({ ...canceled, status: 'paid' })).toEqual([['PAID', undefined]])
      expect(await importBookings({ ...canceled, updatedAt: early })).toEqual(expected)
      expect(await importBookings(paid)).toEqual([['PAID', undefined]])
      // The booking that is no longer paid does not itself cancel tickets, but the other one does.
      expect(await importBookings({ ...paid, status: 'unpaid' })).toEqual([['CANCELED', early]])
    })

    it('cancels the tickets that have its own ID', async () => {
      const seller = await makeSeller()
      const { canceled, paid } = makeOrder()
      await importLines('tickets', seller, [minimal('tickets', { chargeId: canceled.id, orderId: 'BK-1' })])
      await importLines('tickets', seller, [minimal('tickets', { chargeId: paid.id, orderId: 'BK-1' })])
      await importLines('bookings', seller, [canceled, paid])
      expect((await readStatuses(seller)).sort()).toEqual(['CANCELED', 'PAID'])
    })

    it.each(['canceled', 'paid'])('does not cancel the ticket if both are written concurrently, the %s one first', async (first) => {
      const seller = await makeSeller()
      const { ticket, canceled, paid } = makeOrder()
      await importLines('tickets', seller, [ticket])
      const [one, other] = first === 'canceled' ? [canceled, paid] : [paid, canceled]
      let second: Promise<unknown> | undefined
      await database().transaction(async (connection) => {
        const writer = writerFor(resources.bookings)
        const line = { ...one }
        writer.complete(line, seller)
        await writer.write(connection, seller, [writer.toRow(writer.lineSchema.parse(line))])
        second = importLines('bookings', seller, [other])
        await untilBlocking(connection)
      })
      await second
      expect(await readStatuses(seller)).toEqual(['PAID'])
    })
  })

  it('never moves its tickets’ updatedAt back, even if an older file is imported later, and does not mark generated tickets as edited', async () => {
    const seller = await makeSeller()
    const booking = makeBooking()
    await importLines('bookings', seller, [booking])
    const [generated] = await readTickets(seller)
    const importBooking = async (status: string, updatedAt: string) => {
      await importText('bookings', seller, JSON.stringify({ ...booking, status, updatedAt }), { events: true })
      return (await readTickets(seller)).map((ticket) => [ticket.status, ticket.updatedAt])
    }
    const allWith = (status: string, updatedAt: string) => Array(3).fill([status, updatedAt])
    const [first, second, third] = ['2099-01-01T00:00:00.000Z', '2099-01-02T00:00:00.000Z', '2099-01-03T00:00:00.000Z'] as const
    expect(await importBooking('refunded', first)).toEqual(allWith('CANCELED', first))
    expect(await importBooking('paid', second)).toEqual(allWith('PAID', second))
    expect(await importBooking('refunded', third)).toEqual(allWith('CANCELED', third))
    // An older file.
    expect(await importBooking('paid', first)).toEqual(allWith('PAID', third))
    expect(await importBooking('canceled', second)).toEqual(allWith('CANCELED', third))
    expect(await importBooking('paid', second)).toEqual(allWith('PAID', third))
    // The response to a scan and the events agree with the list.
    expect(await admit(seller, generated?.qrCode)).toMatchObject({ success: true, ticket: { updatedAt: third } })
    const data = (await readEvents(seller)).map((event) => JSON.parse(event.data) as Line)
    const times = data.filter(({ id }) => id === generated?.id).map(({ updatedAt }) => updatedAt)
    expect(times).toEqual([first, first, second, third, third, third, third, third, third, third])
    const imported = minimal('tickets', { chargeId: booking.id })
    await importLines('tickets', seller, [imported])
    expect((await readTickets(seller)).map(({ id }) => id).sort()).toEqual([generated?.id, imported.id].sort())
  })

  it('never moves back the updatedAt of a ticket that is imported as CANCELED afterward', async () => {
    const seller = await makeSeller()
    const booking = makeBooking()
    const ticket = minimal('tickets', { chargeId: booking.id })
    const refundedAt = '2099-01-01T00:00:00.000Z'
    await importLines('bookings', seller, [{ ...booking, status: 'refunded', updatedAt: refundedAt }])
    for (const status of ['PAID', 'CANCELED']) {
      await importLines('tickets', seller, [{ ...ticket, status }])
      expect(await readTickets(seller)).toMatchObject([{ status: 'CANCELED', updatedAt: refundedAt }])
    }
  })

  it('keeps the check-ins of concurrent admissions, and admits no guest afterward', async () => {
    const seller = await makeSeller()
    const bookings = Array.from({ length: 5 }, (_, index) => makeBooking({ orderId: `BK-${index}` }))
    await importLines('bookings', seller, bookings)
    const generated = await readTickets(seller)
    const refunds = bookings.map((booking) => ({ ...booking, status: 'refunded' }))
    const [responses] = await Promise.all([
      Promise.all(generated.map(({ qrCode }) => admit(seller, qrCode))),
      importLines('bookings', seller, refunds),
    ])
    expect(responses.filter(({ success, outcome }) => !success && outcome !== 'canceled')).toEqual([])
    const after = await readTickets(seller)
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set(['CANCELED']))
    // Exactly the guests who were admitted are checked in.
    const admitted = generated.filter((_, index) => responses[index]?.success).map(({ id }) => id)
    expect(after.filter(({ checkInStatus }) => checkInStatus === 'CHECKEDIN').map(({ id }) => id)).toEqual(admitted)
    expect((await admit(seller, generated[0]?.qrCode)).outcome).toBe('canceled')
  })

  it('waits for a check-in that has locked a ticket’s row, and keeps that check-in', async () => {
    const seller = await makeSeller()
    const booking = makeBooking()
    await importLines('bookings', seller, [booking])
    const [ticket] = await readTickets(seller)
    let refund: Promise<unknown> | undefined
    await database().transaction(async (connection) => {
      const { rows } = connection
      await rows(sql`select from tickets where seller_id = ${seller} and id = ${ticket?.id} for no key update`)
      refund = importLines('bookings', seller, [{ ...booking, status: 'refunded' }])
      await untilBlocking(connection)
      await rows(sql`update tickets set check_in_status = 'CHECKEDIN', door_at = now() where seller_id = ${seller} and id = ${ticket?.id}`)
    })
    await refund
    expect((await readTickets(seller))[0]).toMatchObject({ id: ticket?.id, status: 'CANCELED', checkInStatus: 'CHECKEDIN' })
  })
})

/** A booking's tickets are found by the booking's ID or its order ID, and only through indexes. */
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { database } from '@/db/client'
import { validate } from '@/testing/admission'
import { withOwnDatabase } from '@/testing/own-database'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { readBookingTickets, selectTickets } from './booking-tickets'

// Uses its own database, because rows from other tests would affect the query planner.
withOwnDatabase()

test('returns a booking’s tickets, oldest first, with their codes and check-in status', async () => {
  const seller = await makeSeller('Europe/Amsterdam')
  const booking = minimal('bookings', { orderId: 'BK-1' })
  const ticket = (number: number, overrides: object = {}) =>
    minimal('tickets', {
      qrCode: `code-${number}-${booking.id}`,
      orderId: 'BK-1',
      chargeId: booking.id,
      createdAt: `2026-03-01T12:00:0${number}.000Z`,
      ...overrides,
    })
  await importLines('tickets', seller, [
    ticket(1, { ticketShortId: 'S1', customerName: 'Ada', ticketTypeId: 'type-1' }),
    ticket(2, { status: 'CANCELED' }),
    ticket(3, { chargeId: undefined }),
    // Its chargeId is the booking's ID; the order ID does not matter.
    ticket(4, { orderId: 'BK-10' }),
    // A ticket of another booking with the same order ID, and a ticket of another order.
    ticket(5, { chargeId: String(minimal('bookings').id) }),
    ticket(6, { orderId: 'BK-10', chargeId: undefined }),
  ])
  await validate({
    sellerId: seller,
    code: `code-1-${booking.id}`,
    metadata: [],
    checkIn: true,
    actorId: 'user',
    body: {},
  })
  const found = await readBookingTickets(seller, { id: String(booking.id), orderId: 'BK-1' })
  expect(found.map(({ code }) => code)).toEqual([1, 2, 3, 4].map((number) => `code-${number}-${booking.id}`))
  expect(found[0]).toMatchObject({
    shortId: 'S1',
    guest: 'Ada',
    typeId: 'type-1',
    status: 'PAID',
    checkInStatus: 'CHECKEDIN',
    method: 'QRSCAN',
  })
  expect(found[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(found[1]).toMatchObject({ status: 'CANCELED', checkInStatus: 'UNCHECKEDIN', method: null, at: null })
  expect(await readBookingTickets(await makeSeller(), { id: String(booking.id), orderId: 'BK-1' })).toEqual([])
})

test('returns only the 1,001 oldest tickets of a booking', async () => {
  const seller = await makeSeller()
  const lines = Array.from({ length: 1_002 }, (_, number) =>
    minimal('tickets', { orderId: 'BK-1', createdAt: new Date(Date.UTC(2026, 2, 1) - number * 1_000).toISOString() }),
  )
  await importLines('tickets', seller, lines)
  const found = await readBookingTickets(seller, { id: '0'.repeat(24), orderId: 'BK-1' })
  expect([found.length, found[0]?.id]).toEqual([1_001, lines.at(-1)?.id])
})

test('returns the tickets of a booking without an order ID', async () => {
  const seller = await makeSeller()
  const id = String(minimal('bookings').id)
  await importLines('tickets', seller, [minimal('tickets', { chargeId: id }), minimal('tickets')])
  expect(await readBookingTickets(seller, { id })).toHaveLength(1)
})

test('treats an empty order ID of a booking and an empty booking ID of a ticket as absent', async () => {
  const seller = await makeSeller()
  const id = String(minimal('bookings').id)
  const ticket = minimal('tickets', { orderId: 'BK-1', chargeId: '' })
  await importLines('tickets', seller, [ticket, minimal('tickets', { orderId: '' })])
  expect(await readBookingTickets(seller, { id, orderId: '' })).toEqual([])
  expect(await readBookingTickets(seller, { id, orderId: 'BK-1' })).toMatchObject([{ id: ticket.id }])
})

test('uses indexes instead of scanning the table', async () => {
  const seller = await makeSeller()
  const sold = Array.from({ length: 600 }, (_, index) =>
    minimal('tickets', { orderId: `OR-${index}`, chargeId: index.toString(16).padStart(24, 'a') }),
  )
  await importLines('tickets', seller, sold)
  const query = selectTickets(seller, { id: '0'.repeat(24), orderId: 'BK-1' })
  const plan = await database().transaction(async ({ rows }) => {
    await rows(sql`analyze tickets`)
    // PostgreSQL reads small tables sequentially, even if they have indexes.
    await rows(sql`set local enable_seqscan = off`)
    return rows<Record<string, string>>(sql`explain ${query}`)
  })
  const text = plan.map((row) => row['QUERY PLAN']).join('\n')
  for (const index of ['tickets_charge', 'tickets_order']) expect(text).toContain(index)
  expect(text).not.toContain('Seq Scan')
})

/** A ticket without a `chargeId` that has the order ID of a booking is shown with the booking's data wherever tickets are listed. */
import { createDecipheriv } from 'node:crypto'
import { expect, test } from 'vitest'
import { serializeResult } from '@/testing/admission'
import { importLines, type Line, makeSeller, minimal } from '@/testing/seller'
import { validateTicket } from '../admission/change-ticket'
import { findTickets } from '../admission/find-guests'
import { deriveIndexKey, deriveKey } from '../admission/seal-ticket'
import { decodeTicket, NONCE_BYTES, TAG_BYTES } from '../admission/sealed-ticket'
import { getTicketDetails } from '../admission/ticket-details'
import { readTicketList } from '../admission/ticket-list'
import { countTurnout } from '../admission/turnout'
import { findGuestCustomerIds } from './customer-orders'
import { findTicketBooking } from './find-ticket-booking'
import { listRefusals } from './list-refusals'
import { listTicketTable, listTicketTypes, toTicketQuery } from './ticket-table'

const CODE = 'b7Qx2LkP9vRtZ4mWcY8sHdJ30001'
const TYPE = { ticketTypeId: 'vip', name: 'VIP Balcony', quantity: 1 }

/** Imports a customer, their booking and a ticket into a new shop. */
async function sell(booking: Line, ticket: Line) {
  const [seller, customer] = [await makeSeller(), minimal('customers')]
  const guest = { customerName: 'Olga Order', customerEmail: 'olga@example.com' }
  // No tickets are generated for a booking that is not paid.
  const booked = minimal('bookings', {
    customerId: customer.id,
    customerEmail: 'olga@example.com',
    status: 'created',
    tickets: [TYPE],
    ...booking,
  })
  const sold = minimal('tickets', { qrCode: CODE, ticketTypeId: 'vip', ...guest, ...ticket })
  await importLines('customers', seller, [customer])
  await importLines('bookings', seller, [booked])
  await importLines('tickets', seller, [sold])
  return { seller, id: String(sold.id), bookingId: String(booked.id), customerId: String(customer.id) }
}

/** Opens the only entry of a device's ticket list with the ticket's code. */
async function readOffline(seller: string) {
  const owner = { sellerId: seller, deviceId: 'd'.repeat(24), hasNames: true, maySearch: false }
  const { entries } = await readTicketList(owner, undefined)
  const sealed = Buffer.from(entries[0]?.[2] ?? '', 'base64url')
  const { key } = deriveKey(await deriveIndexKey(seller), CODE)
  const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)).setAAD(
    Buffer.from(entries[0]?.[0] ?? '', 'base64url'),
  )
  cipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  return decodeTicket(cipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)).toString())
}

test('tables, guest lists, counts and refused scans contain the data of the booking with the ticket’s order ID', async () => {
  const { seller, id, bookingId, customerId } = await sell({ orderId: 'BK-1' }, { orderId: 'BK-1', chargeId: '' })
  const query = toTicketQuery(seller, { limit: 20 }, 'UTC')
  expect((await listTicketTable(query)).rows).toMatchObject([{ id, type: 'VIP Balcony' }])
  expect(await listTicketTypes(query)).toEqual([{ value: 'vip', label: 'VIP Balcony', count: 1 }])
  expect(await findGuestCustomerIds(seller, [id])).toEqual(new Map([[id, customerId]]))
  expect(JSON.parse(String(await findTicketBooking(seller, id)))).toMatchObject({ id: bookingId, orderId: 'BK-1' })
  expect((await findTickets(seller, 'olga', undefined)).guests).toMatchObject([{ id, type: 'VIP Balcony' }])
  expect((await getTicketDetails(seller, id, undefined)).guest).toMatchObject({ type: 'VIP Balcony' })
  expect((await countTurnout(seller, undefined)).types).toMatchObject([{ id: 'vip', name: 'VIP Balcony' }])
  expect(await readOffline(seller)).toMatchObject({ id, type: 'VIP Balcony' })
  const scan = { sellerId: seller, code: CODE, metadata: [], checkIn: true, actorId: 'door', body: {} }
  await validateTicket(scan, serializeResult)
  await validateTicket(scan, serializeResult)
  expect((await listRefusals(seller)).rows).toMatchObject([{ ticketId: id, bookingId }])
})

test.each([
  ['the booking in its chargeId, even if that booking is not stored', { orderId: 'BK-1' }, { orderId: 'BK-1', chargeId: 'f'.repeat(24) }],
  ['no booking if its order ID is empty', { orderId: '' }, { orderId: '' }],
  ['no booking if it has no order ID', {}, {}],
  ['no booking with another order ID', { orderId: 'BK-10' }, { orderId: 'BK-1' }],
])('a ticket belongs to %s', async (_, booking, ticket) => {
  const { seller, id } = await sell({ orderId: undefined, ...booking }, ticket)
  expect(await findTicketBooking(seller, id)).toBeUndefined()
  expect((await listTicketTable(toTicketQuery(seller, { limit: 20 }, 'UTC'))).rows).toMatchObject([{ type: 'vip' }])
})

test('a ticket belongs to the newest of several bookings with its order ID, and never to another shop’s', async () => {
  const { seller, id } = await sell({ orderId: 'BK-1' }, { orderId: 'BK-1' })
  const newest = minimal('bookings', { orderId: 'BK-1', createdAt: '2026-04-01T12:00:00.000Z' })
  await importLines('bookings', seller, [newest, minimal('bookings', { orderId: 'BK-1', createdAt: '2026-02-01T12:00:00.000Z' })])
  await importLines('bookings', await makeSeller(), [minimal('bookings', { orderId: 'BK-1', createdAt: '2026-05-01T12:00:00.000Z' })])
  expect(JSON.parse(String(await findTicketBooking(seller, id)))).toMatchObject({ id: newest.id })
})

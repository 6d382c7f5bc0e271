/** A record's activity includes scans, who refused a guest and why, gateway events, changes and notes. */
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { serializeResult, validate } from '@/testing/admission'
import { createShop, waitForClock } from '@/testing/door-shop'
import { deliver, makeAccount } from '@/testing/ingest'
import { importLines, makeKey, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { makeEvent, makeIntent, NOON } from '@/testing/stripe'
import { undoCheckIn } from '../admission/change-ticket'
import { listAudit } from '../listing/list-audit'
import { addCoupon, changeCoupon } from '../sync/edit/coupons'
import { lockTicket, updateTicket } from '../sync/edit/tickets'
import { findFailure, MAX_ACTIVITY, readActivity } from './activity'

beforeAll(openTestDatabase)

it('includes the scans and refusals of all tickets of a booking, or those of a single ticket', async () => {
  const sellerId = await makeSeller()
  const { id: actorId } = await makeKey(sellerId)
  const booking = minimal('bookings', { orderId: 'BK-1' })
  const makeTicket = (ticketShortId: string) =>
    minimal('tickets', { ticketShortId, chargeId: booking.id, orderId: 'BK-1', qrCode: `${ticketShortId} ${booking.id}` })
  const [first, second] = [makeTicket('T-1'), makeTicket('T-2')]
  await importLines('bookings', sellerId, [booking])
  await importLines('tickets', sellerId, [first, second, minimal('tickets')])
  const scan = (code: unknown) => validate({ sellerId, code: String(code), metadata: [], checkIn: true, actorId, body: {} })
  await scan(first.qrCode)
  await scan(first.qrCode)
  await scan(second.qrCode)
  const summarize = async (resource: 'bookings' | 'tickets', id: unknown, orderId?: string) =>
    (await readActivity(sellerId, { resource, id: String(id), orderId })).map(({ kind, type, ticket, who }) => [kind, type, ticket, who])
  expect(await summarize('bookings', booking.id, 'BK-1')).toEqual([
    ['scan', 'CHECKEDIN', 'T-2', 'Test'],
    ['refusal', 'already_checked_in', 'T-1', 'Test'],
    ['scan', 'CHECKEDIN', 'T-1', 'Test'],
  ])
  expect(await summarize('tickets', second.id)).toEqual([['scan', 'CHECKEDIN', 'T-2', 'Test']])
})

it('names a ticket by its ID if its short ID is empty', async () => {
  const sellerId = await makeSeller()
  const line = minimal('tickets', { ticketShortId: '', checkIns: [{ method: 'MANUAL', checkedInAt: '2026-03-05', status: 'CHECKEDIN' }] })
  await importLines('tickets', sellerId, [line])
  const id = String(line.id)
  expect((await readActivity(sellerId, { resource: 'tickets', id })).map(({ ticket }) => ticket)).toEqual([id])
  await database().transaction(async (connection) =>
    updateTicket(connection, sellerId, undefined, String(await lockTicket(connection, sellerId, id)), { customerName: 'Ada' }),
  )
  expect((await listAudit(sellerId)).rows).toMatchObject([{ action: 'ticket.changed', subject: id }])
})

it('includes which device refused a check-in or a check-out, and who undid a check-in and why', async () => {
  const sellerId = await makeSeller()
  const { id: actorId } = await makeKey(sellerId)
  const ticket = minimal('tickets', { ticketShortId: 'T-1', qrCode: sellerId })
  const id = String(ticket.id)
  await importLines('tickets', sellerId, [ticket])
  const scan = { sellerId, code: sellerId, metadata: [], checkIn: true, actorId, device: 'Gate 2', body: {} }
  await validate(scan)
  await validate(scan)
  await undoCheckIn({ sellerId, ticketId: id, actorId, sequence: 1, reason: 'Wrong guest', body: {} }, serializeResult)
  await validate({ ...scan, direction: 'out' })
  expect(await readActivity(sellerId, { resource: 'tickets', id })).toMatchObject([
    { kind: 'refusal', type: 'not_checked_in', who: 'Gate 2' },
    { kind: 'scan', type: 'UNCHECKEDIN', method: 'MANUAL', who: 'Test', text: 'Wrong guest' },
    { kind: 'refusal', type: 'already_checked_in', who: 'Gate 2' },
    { kind: 'scan', type: 'CHECKEDIN' },
  ])
})

it('returns the day of a check-in whose time is unknown, and the start of that day in the shop’s time zone', async () => {
  const sellerId = await makeSeller('America/New_York')
  const checkIn = (checkedInAt: string) => ({ method: 'MANUAL', status: 'CHECKEDIN', checkedInAt })
  const ticket = minimal('tickets', { checkIns: [checkIn('2026-03-05'), checkIn('2026-03-05T23:30:00.000Z')] })
  await importLines('tickets', sellerId, [ticket])
  expect(await readActivity(sellerId, { resource: 'tickets', id: String(ticket.id) })).toMatchObject([
    { at: '2026-03-05T23:30:00.000Z', day: null },
    { at: '2026-03-05T05:00:00.000Z', day: '2026-03-05' },
  ])
})

it('includes a scan only once if it was refused offline', async () => {
  const sellerId = await makeSeller()
  const ticket = minimal('tickets')
  await importLines('tickets', sellerId, [ticket])
  const id = String(ticket.id)
  await database().use(async ({ rows }) => {
    await rows(sql`
      insert into offline_scans (seller_id, id, ticket_id, actor_id, method, decision, claimed_at, corrected_at, is_decided)
      values (${sellerId}, 'offline', ${id}, 'gate', 'QRSCAN', 'already_checked_in', now(), now(), false),
        (${sellerId}, 'decided', ${id}, 'gate', 'QRSCAN', 'canceled', now(), now(), true)`)
    await rows(sql`
      insert into validation_attempts (seller_id, at, ticket_id, outcome, actor_id, is_late)
      values (${sellerId}, now(), ${id}, 'already_checked_in', 'gate', true), (${sellerId}, now(), ${id}, 'canceled', 'gate', false)`)
  })
  const entries = (await readActivity(sellerId, { resource: 'tickets', id })).map(({ kind, type }) => [kind, type])
  expect(entries.sort()).toEqual([
    ['offline', 'already_checked_in'],
    ['refusal', 'canceled'],
  ])
})

it('includes a check-out only once if a device was offline', async () => {
  const { sellerId, device, scanOnline, seal, send, ticketId } = await createShop()
  const gate = await device('Gate 1')
  await scanOnline(gate, 0, 'in')
  await waitForClock()
  // The device did not know that the guest was inside.
  await send(gate, [await seal(0, 'out', Date.now(), { decision: 'not_checked_in' })])
  const entries = (await readActivity(sellerId, { resource: 'tickets', id: ticketId })).map(({ kind, type }) => [kind, type])
  expect(entries).toEqual([
    ['scan', 'UNCHECKEDIN'],
    ['scan', 'CHECKEDIN'],
  ])
})

it('includes events of the payment gateway, and manual changes with the names of the changed members, but not their values', async () => {
  const sellerId = await makeAccount()
  const intent = makeIntent({ id: `pi_${sellerId}` })
  await deliver(sellerId, makeEvent('payment_intent.succeeded', intent))
  const [payment] = await database().use(({ rows }) => rows<{ id: string }>(sql`select id from payments where seller_id = ${sellerId}`))
  const gatewayIds = [`pi_${sellerId}`]
  expect(await readActivity(sellerId, { resource: 'payments', id: String(payment?.id), gatewayIds })).toMatchObject([
    { kind: 'gateway', type: 'payment_intent.succeeded', who: null },
  ])
  const [ticket, namesake] = [minimal('tickets', { ticketShortId: 'T-9' }), minimal('tickets', { ticketShortId: 'T-9' })]
  const id = String(ticket.id)
  await importLines('tickets', sellerId, [ticket, namesake])
  const by = { userId: 'user', email: 'staff@example.com' }
  await database().transaction(async (connection) => {
    await updateTicket(connection, sellerId, by, String(await lockTicket(connection, sellerId, id)), { customerName: 'Ada' })
  })
  expect(await readActivity(sellerId, { resource: 'tickets', id })).toMatchObject([
    { kind: 'change', type: 'ticket.changed', who: by.email, text: '{"members":{"after":["customerName"]}}' },
  ])
  expect(await readActivity(sellerId, { resource: 'tickets', id: String(namesake.id) })).toEqual([])
})

it('does not include changes to a deleted coupon with the same code', async () => {
  const sellerId = await makeSeller()
  const by = { userId: 'user', email: 'owner@example.com' }
  const coupon = { code: 'SAVE10', label: 'Save', percentOff: 10, duration: 'once' } as const
  const create = async () => String(JSON.parse(await addCoupon(sellerId, by, coupon)).id)
  const readActions = async (id: string) => (await readActivity(sellerId, { resource: 'coupons', id })).map(({ type }) => type)
  const deleted = await create()
  await changeCoupon(sellerId, by, deleted, { deleted: true })
  expect(await readActions(await create())).toEqual(['coupon.created'])
  expect(await readActions(deleted)).toEqual(['coupon.changed', 'coupon.created'])
})

it('finds when the payment gateway last reported a failure', async () => {
  const sellerId = await makeAccount()
  const intent = makeIntent({ id: `pi_${sellerId}`, last_payment_error: { type: 'card_error', message: 'Your card was declined.' } })
  await deliver(
    sellerId,
    makeEvent('payment_intent.payment_failed', intent, NOON + 10),
    makeEvent('payment_intent.payment_failed', intent, NOON + 60),
    makeEvent('payment_intent.amount_capturable_updated', intent, NOON + 3600),
  )
  const activity = await readActivity(sellerId, { resource: 'payments', id: 'any', gatewayIds: [`pi_${sellerId}`] })
  expect(activity).toHaveLength(3)
  expect(findFailure(activity)).toBe('2026-03-01T12:01:00.000Z')
  expect(findFailure([])).toBeUndefined()
})

it('includes a note even if more than the maximum number of other entries are newer', async () => {
  const sellerId = await makeSeller()
  const ticket = minimal('tickets')
  const id = String(ticket.id)
  await importLines('tickets', sellerId, [ticket])
  await database().use(({ rows }) =>
    rows(sql`
      with note as (
        insert into record_notes (seller_id, id, resource, record_id, user_id, text, created_at)
        values (${sellerId}, 'note', 'tickets', ${id}, 'user', 'wheelchair', now() - interval '1 day')
      )
      insert into offline_scans (seller_id, id, ticket_id, actor_id, method, decision, claimed_at, corrected_at)
      select ${sellerId}, 'scan ' || n, ${id}, 'actor', 'QRSCAN', 'refused', now(), now() from generate_series(1, ${MAX_ACTIVITY + 1}::int) as n`),
  )
  const kinds = (await readActivity(sellerId, { resource: 'tickets', id })).map(({ kind }) => kind)
  expect(kinds).toEqual([...Array(MAX_ACTIVITY).fill('offline'), 'note'])
})

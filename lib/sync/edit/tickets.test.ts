/** A ticket edit is rejected if the ticket has changed in the meantime, and writes nothing if no value differs. */
import { beforeAll, expect, it } from 'vitest'
import { database } from '@/db/client'
import { validate } from '@/testing/admission'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { findAssembled } from '../../listing/assembled-list'
import { listAudit } from '../../listing/list-audit'
import { ticketList } from '../../listing/list-tickets'
import { editTicket, lockTicket, updateTicket } from './tickets'

beforeAll(openTestDatabase)

it('rejects the edit if the ticket was scanned after the form was opened, is another seller’s, or is canceled and the edit adds metadata', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const [ticket, canceled] = [minimal('tickets', { customerName: 'Ada' }), minimal('tickets', { status: 'CANCELED' })]
  await importLines('tickets', seller, [ticket, canceled])
  const by = { userId: 'user', email: 'staff@example.com' }
  const id = String(ticket.id)
  const read = async (ticketId = id) =>
    Buffer.concat((await findAssembled(ticketList(seller, {}, false), seller, ticketId)) ?? []).toString()
  const edit = (version: string, sellerId = seller) =>
    editTicket(sellerId, by, id, (current) => current === version, { customerName: 'Ada King' })

  const opened = await read()
  await validate({ sellerId: seller, code: String(ticket.qrCode), metadata: [], checkIn: true, actorId: 'door', body: {} })
  expect(await edit(opened)).toBe('changed')
  expect(JSON.parse(await read())).toMatchObject({ customerName: 'Ada', checkInStatus: 'CHECKEDIN' })
  expect(await edit(await read(), other)).toBe('gone')
  expect(await edit(await read())).toBe('saved')
  expect(JSON.parse(await read())).toMatchObject({ customerName: 'Ada King', checkInStatus: 'CHECKEDIN' })
  const patch = { metadata: [{ key: 'seat', value: 'B 12' }] }
  await expect(editTicket(seller, by, String(canceled.id), () => true, patch)).rejects.toMatchObject({
    code: 'body_invalid',
    param: 'metadata',
  })
})

it('changes nothing if only nonexistent metadata keys are deleted', async () => {
  const seller = await makeSeller()
  const ticket = minimal('tickets')
  await importLines('tickets', seller, [ticket])
  const id = String(ticket.id)
  const [before, after, stored] = await database().transaction(async (connection) => {
    const current = String(await lockTicket(connection, seller, id))
    const changed = await updateTicket(connection, seller, undefined, current, { metadata: [{ key: 'never', value: null }] })
    return [current, changed, await lockTicket(connection, seller, id)]
  })
  expect([after, stored]).toEqual([before, before])
  expect((await listAudit(seller)).rows.filter(({ action }) => action === 'ticket.changed')).toEqual([])
})

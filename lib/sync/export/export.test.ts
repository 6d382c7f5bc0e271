/** If another seller imports an export and exports it again, the two files are identical, byte for byte. */
// @module-tag slow
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { validate } from '@/testing/admission'
import { importText, makeKey, makeSeller, minimal, openTestDatabase, readFixture } from '@/testing/seller'
import { editTicket } from '../edit/tickets'
import { IMPORT_NAMES, type ImportName } from '../import/import'
import { deriveCustomer } from '../writers/derived-customers'
import { countExport, exportRecords } from './export'

beforeAll(openTestDatabase)

async function readExport(resource: ImportName, seller: string): Promise<string> {
  let text = ''
  for await (const line of exportRecords(resource, seller)) text += `${line}\n`
  return text
}

const parseLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

async function importFixtures(seller: string): Promise<void> {
  for (const resource of IMPORT_NAMES) {
    const { rejects } = await importText(
      resource,
      seller,
      readFixture(resource)
        .map((line) => JSON.stringify(line))
        .join('\n'),
    )
    expect(rejects).toEqual([])
  }
}

/** Returns the IDs of the customers that the fixtures' orders reference. */
const listReferencedCustomers = () =>
  (['payments', 'bookings', 'subscriptions'] as const).flatMap((name) =>
    readFixture(name).flatMap((order) => deriveCustomer({ ...order, sellerId: 'x' })?.id ?? []),
  )

describe('exportRecords', () => {
  it('yields identical lines after an import by another seller in another time zone', async () => {
    const [first, second] = [await makeSeller('Asia/Tokyo'), await makeSeller('America/New_York')]
    await importFixtures(first)
    const { id: actorId } = await makeKey(first)
    for (const { qrCode } of readFixture('tickets').slice(0, 40)) {
      await validate({
        sellerId: first,
        code: String(qrCode),
        metadata: [{ key: 'gate', value: 'Tür 2 😀' }],
        checkIn: true,
        actorId,
        body: {},
      })
    }
    const by = { userId: 'user', email: 'staff@example.com' }
    for (const { id } of readFixture('tickets').slice(0, 3))
      expect(await editTicket(first, by, String(id), () => true, { customerName: 'Ada', customerEmail: 'ada@example.com' })).toBe('saved')
    for (const resource of IMPORT_NAMES) {
      const text = await readExport(resource, first)
      // Orders create the customers that they reference. For the second seller, this happens before the customers are imported.
      const isDerived = resource === 'customers'
      const count = isDerived
        ? new Set([...readFixture('customers').map(({ id }) => id), ...listReferencedCustomers()]).size
        : readFixture(resource).length
      expect(parseLines(text)).toHaveLength(count)
      expect(await countExport(resource, first)).toBe(count)
      const changes = isDerived ? { read: count } : { written: count }
      expect(await importText(resource, second, text)).toMatchObject({ ...changes, rejects: [] })
      expect(await readExport(resource, second)).toBe(text)
      // If the first seller imports its own export, nothing changes.
      expect(await importText(resource, first, text)).toMatchObject({ rejects: [] })
      expect(await readExport(resource, first)).toBe(text)
    }
  })

  it('includes every imported member except the seller’s ID and the secrets', async () => {
    const seller = await makeSeller()
    await importFixtures(seller)
    for (const resource of ['coupons', 'payments', 'bookings', 'subscriptions'] as const) {
      const text = await readExport(resource, seller)
      expect(text).not.toContain('CANARY')
      expect(text).not.toContain(seller)
      const byId = new Map(readFixture(resource).map((line) => [line.id, line]))
      for (const line of parseLines(text)) {
        const { gatewayPaymentIntentClientSecret: _, ...imported } = byId.get(line.id) ?? {}
        expect(line).toEqual({ ...imported, updatedAt: imported.updatedAt ?? imported.createdAt })
      }
    }
  })

  it('omits secrets, which are kept when the lines are imported again', async () => {
    const seller = await makeSeller()
    const payment = minimal('payments', { gatewayPaymentIntentClientSecret: 'pi_1_secret' })
    await importText('payments', seller, JSON.stringify(payment))
    const line = await readExport('payments', seller)
    expect(await importText('payments', seller, line)).toMatchObject({ unchanged: 1 })
    await importText('payments', seller, JSON.stringify({ ...parseLines(line)[0], sku: 'SKU' }))
    const stored = await database().use(({ rows }) => rows(sql`select secrets::text from payments where seller_id = ${seller}`))
    expect(stored).toEqual([{ secrets: '{"gatewayPaymentIntentClientSecret":"pi_1_secret"}' }])
  })

  it('includes metadata, and check-ins with their actors and times', async () => {
    const seller = await makeSeller('Europe/Amsterdam')
    const ticket = minimal('tickets', { checkIns: [{ method: 'MANUAL', checkedInAt: '2026-03-02', status: 'UNCHECKEDIN' }] })
    await importText('tickets', seller, JSON.stringify(ticket))
    const [before] = parseLines(await readExport('tickets', seller))
    expect(before).toEqual({ ...ticket, checkInStatus: 'UNCHECKEDIN', metadata: [], updatedAt: ticket.createdAt })
    await validate({
      sellerId: seller,
      code: String(ticket.qrCode),
      metadata: [],
      checkIn: true,
      actorId: 'me',
      body: {},
    })
    const [after] = parseLines(await readExport('tickets', seller))
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(String(after?.updatedAt) > String(before?.updatedAt)).toBe(true)
    expect(after).toMatchObject({
      checkIns: [
        { method: 'MANUAL', checkedInAt: '2026-03-02', status: 'UNCHECKEDIN' },
        { method: 'QRSCAN', checkedInAt: instant, checkedInByUserId: 'me', status: 'CHECKEDIN' },
      ],
      checkInStatus: 'CHECKEDIN',
      updatedAt: instant,
    })
  })

  it('omits the cancellation of tickets by their booking, and importing the booking cancels them again', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const importBooking = (to: string, status: string) => importText('bookings', to, JSON.stringify({ ...booking, status }))
    const booking = minimal('bookings', { tickets: [{ quantity: 2 }] })
    await importBooking(seller, 'paid')
    const paid = await readExport('tickets', seller)
    await importBooking(seller, 'refunded')
    const exported = await readExport('tickets', seller)
    expect(exported).toBe(paid)

    // The seller's booking is imported before the tickets, the other seller's booking after them.
    await importText('tickets', seller, exported)
    await importText('tickets', other, exported)
    await importBooking(other, 'refunded')
    const isOf = sql`seller_id in (${seller}, ${other})`
    const readStatuses = () => database().use(({ rows }) => rows(sql`select status from tickets where ${isOf}`))
    expect(await readStatuses()).toEqual(Array(4).fill({ status: 'CANCELED' }))
    for (const sellerId of [seller, other]) await importBooking(sellerId, 'paid')
    expect(await readStatuses()).toEqual(Array(4).fill({ status: 'PAID' }))
  })

  it('keeps the updatedAt of tickets whose booking was paid again, even if the booking’s updatedAt is older', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const booking = minimal('bookings', { tickets: [{ quantity: 1 }] })
    const [paidAt, refundedAt] = ['2099-01-01T00:00:00.000Z', '2099-01-02T00:00:00.000Z']
    const imports = [
      { status: 'paid' },
      { status: 'refunded', updatedAt: refundedAt },
      // An older file.
      { status: 'paid', updatedAt: paidAt },
    ]
    for (const change of imports) await importText('bookings', seller, JSON.stringify({ ...booking, ...change }))
    const exported = await readExport('tickets', seller)
    for (const resource of ['bookings', 'tickets'] as const) await importText(resource, other, await readExport(resource, seller))
    const read = (sellerId: string) =>
      database().use(({ rows }) =>
        rows(sql`select desk_ticket(ticket) ->> 'updatedAt' as "updatedAt" from tickets as ticket where seller_id = ${sellerId}`),
      )
    expect(await Promise.all([seller, other].map(read))).toEqual([[{ updatedAt: refundedAt }], [{ updatedAt: refundedAt }]])
    expect(await readExport('tickets', other)).toBe(exported)
  })

  it('yields all records in order across batches, even if they share a createdAt', async () => {
    const seller = await makeSeller()
    const lines = Array.from({ length: 2503 }, (_, index) =>
      minimal('coupons', { createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 700)).toISOString() }),
    )
    await importText('coupons', seller, lines.map((line) => JSON.stringify(line)).join('\n'))
    const order = lines.toSorted((a, b) => (`${a.createdAt}${a.id}` < `${b.createdAt}${b.id}` ? -1 : 1)).map(({ id }) => id)
    expect(parseLines(await readExport('coupons', seller)).map(({ id }) => id)).toEqual(order)
  })

  it('yields nothing for a seller without records', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    await importText('payments', other, JSON.stringify(minimal('payments')))
    for (const resource of IMPORT_NAMES) expect(await readExport(resource, seller)).toBe('')
  })

  it('yields all records with the same createdAt, even if the last record of a batch is deleted during the export', async () => {
    const seller = await makeSeller()
    const lines = Array.from({ length: 2003 }, () => minimal('coupons'))
    await importText('coupons', seller, lines.map((line) => JSON.stringify(line)).join('\n'))
    const ids = lines.map(({ id }) => String(id)).sort()
    const found: unknown[] = []
    for await (const line of exportRecords('coupons', seller)) {
      found.push(JSON.parse(line).id)
      if (found.length === 1000)
        await database().use(({ rows }) => rows(sql`delete from coupons where seller_id = ${seller} and id = ${ids[999]}`))
    }
    expect(found).toEqual(ids)
  })
})

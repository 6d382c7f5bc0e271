/** Tests the search in all lists by ID, order ID, email address, name, code or short ticket ID. */
import { expect, test } from 'vitest'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { newObjectId } from '../core/object-id'
import { findAnywhere } from './find-anywhere'

test('finds a record by its ID in any letter case, but not another seller’s', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const coupon = minimal('coupons', { code: 'SPRING' })
  const id = String(coupon.id)
  await importLines('coupons', seller, [coupon])
  await importLines('payments', seller, [minimal('payments', { orderId: `about ${id}` })])
  expect(await findAnywhere(seller, id.toUpperCase())).toEqual({
    found: [{ resource: 'coupons', id, title: 'SPRING', detail: coupon.label }],
    listsWithMore: [],
  })
  expect(await findAnywhere(other, id)).toEqual({ found: [], listsWithMore: [] })
})

test('finds orders and subscriptions by part of an email address, and returns the newest five of each list', async () => {
  const seller = await makeSeller()
  const customerEmail = 'ada@example.com'
  const day = (i: number) => `2026-03-0${i + 1}T00:00:00.000Z`
  await importLines(
    'payments',
    seller,
    Array.from({ length: 7 }, (_, i) => minimal('payments', { customerEmail, orderId: `P${i}`, createdAt: day(i), currency: 'eur' })),
  )
  await importLines('bookings', seller, [minimal('bookings', { customerEmail, orderId: 'B0' })])
  await importLines('subscriptions', seller, [minimal('subscriptions', { customerEmail, status: 'active' })])
  const { found, listsWithMore } = await findAnywhere(seller, 'ADA@exam')
  expect(listsWithMore).toEqual(['payments'])
  expect(found.filter(({ resource }) => resource === 'payments').map(({ title }) => title)).toEqual(['P6', 'P5', 'P4', 'P3', 'P2'])
  expect(found.filter(({ resource }) => resource !== 'payments').map(({ resource }) => resource)).toEqual(['bookings', 'subscriptions'])
  expect(found.find(({ title }) => title === 'P6')).toMatchObject({ detail: customerEmail, status: 'paid', amount: 1000, currency: 'eur' })
})

test('returns an exact match of an order ID before newer records with the same prefix', async () => {
  const seller = await makeSeller()
  await importLines(
    'payments',
    seller,
    ['OR-1', ...Array.from({ length: 9 }, (_, i) => `OR-1${i}`)].map((orderId, i) =>
      minimal('payments', { orderId, createdAt: `2026-03-01T00:00:0${i}.000Z` }),
    ),
  )
  const titles = (await findAnywhere(seller, 'or-1')).found.map(({ title }) => title)
  expect(titles).toEqual(['OR-1', 'OR-18', 'OR-17', 'OR-16', 'OR-15'])
})

test('finds a coupon by part of its code, and treats wildcards literally', async () => {
  const seller = await makeSeller()
  await importLines('coupons', seller, [minimal('coupons', { code: 'OFF_50%' }), minimal('coupons', { code: 'OFFX50' })])
  expect((await findAnywhere(seller, 'f_50')).found.map(({ title }) => title)).toEqual(['OFF_50%'])
  expect((await findAnywhere(seller, '%%')).found).toEqual([])
})

test('finds only the seller’s own tickets, by ID or part of a short ID or guest name, and returns whether they are canceled', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const ticket = minimal('tickets', { ticketShortId: 'K7-QX2', customerName: 'Zoë Lindqvist', qrCode: 'anywhere-1' })
  await importLines('tickets', seller, [ticket])
  const expected = [{ resource: 'tickets', id: ticket.id, title: 'K7-QX2', detail: 'Zoë Lindqvist', status: 'UNCHECKEDIN' }]
  for (const term of ['k7-qx', 'lindq', String(ticket.id)]) {
    expect((await findAnywhere(seller, term)).found, term).toEqual(expected)
    expect((await findAnywhere(other, term)).found, term).toEqual([])
  }
  await importLines('tickets', seller, [minimal('tickets', { ticketShortId: 'K8', status: 'CANCELED', qrCode: 'anywhere-2' })])
  expect((await findAnywhere(seller, 'K8')).found).toMatchObject([{ title: 'K8', status: 'CANCELED' }])
})

test('returns exact matches of a short ID, order ID or email address before newer tickets that contain the term', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const toLine = (_: unknown, i: number) =>
    minimal('tickets', {
      ticketShortId: `T${i + 1}`,
      orderId: `BK-${i + 1}`,
      customerEmail: `${'a'.repeat(i + 1)}@example.com`,
      customerName: i === 24 ? 'T1' : 'Ada',
      createdAt: `2026-03-01T00:00:${10 + i}.000Z`,
    })
  const lines = Array.from({ length: 25 }, toLine)
  await importLines('tickets', seller, lines)
  await importLines(
    'tickets',
    other,
    lines.map((line) => ({ ...line, id: newObjectId() })),
  )
  const find = async (term: string) => (await findAnywhere(seller, term)).found.map(({ title }) => title)
  expect(await find('t1')).toEqual(['T1', 'T25', 'T19', 'T18', 'T17'])
  expect(await find('bk-2')).toEqual(['T2', 'T25', 'T24', 'T23', 'T22'])
  expect(await find('AAAAAAAA@example.com')).toEqual(['T8', 'T25', 'T24', 'T23', 'T22'])
  expect((await findAnywhere(seller, 't1')).listsWithMore).toEqual(['tickets'])
})

test('finds names regardless of accents and word order, in each list that has names', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const billing = { name: 'Uma Petrović' }
  await importLines('payments', seller, [minimal('payments', { orderId: 'P1', billing })])
  await importLines('bookings', seller, [minimal('bookings', { orderId: 'B1', billing })])
  await importLines('subscriptions', seller, [minimal('subscriptions', { billing })])
  await importLines('customers', seller, [minimal('customers', { name: 'Uma Petrović', email: 'u@example.com' })])
  await importLines('tickets', seller, [minimal('tickets', { ticketShortId: 'T1', customerName: 'Uma Petrović', qrCode: 'anywhere-3' })])
  const findLists = async (sellerId: string, term: string) =>
    (await findAnywhere(sellerId, term)).found.map(({ resource }) => resource).sort()
  for (const term of ['Uma Petrovic', 'petrović uma', 'PETROVI um']) {
    expect(await findLists(seller, term), term).toEqual(['bookings', 'customers', 'payments', 'subscriptions', 'tickets'])
    expect(await findLists(other, term), term).toEqual([])
  }
  expect(await findLists(seller, 'Uma Kovac')).toEqual([])
})

test('shows the customer’s name, and the email address only if it matches or there is no name', async () => {
  const seller = await makeSeller()
  const person = { customerEmail: 'guest1@example.com', billing: { name: 'Zoë Lindqvist' } }
  await importLines('payments', seller, [minimal('payments', person), minimal('payments', { customerEmail: 'guest2@example.com' })])
  await importLines('tickets', seller, [
    minimal('tickets', { customerEmail: 'guest1@example.com', customerName: 'Zoë Lindqvist', qrCode: 'anywhere-4' }),
  ])
  const findDetails = async (term: string) =>
    (await findAnywhere(seller, term)).found.map(({ detail, email }) => [detail, email].filter(Boolean))
  expect(await findDetails('zoe')).toEqual([['Zoë Lindqvist'], ['Zoë Lindqvist']])
  expect(await findDetails('GUEST1@')).toEqual([
    ['Zoë Lindqvist', 'guest1@example.com'],
    ['Zoë Lindqvist', 'guest1@example.com'],
  ])
  expect(await findDetails('guest2')).toEqual([['guest2@example.com']])
  await importLines('payments', seller, [minimal('payments', { customerEmail: "o'brien@example.com", billing: { name: 'Maeve' } })])
  expect(await findDetails('o’brien@example')).toEqual([['Maeve', "o'brien@example.com"]])
})

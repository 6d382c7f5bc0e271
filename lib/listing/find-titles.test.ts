/** The titles of records of any resource are found by ID. */
import { beforeAll, expect, it } from 'vitest'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { findTitles } from './find-titles'

beforeAll(openTestDatabase)

it('finds the titles of a seller’s records, which are the same as on the records’ pages in the dashboard', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const records = {
    payments: [minimal('payments', { orderId: 'OR-1' }), minimal('payments', { orderId: '' })],
    coupons: [minimal('coupons', { code: 'SPRING' })],
    customers: [minimal('customers', { name: 'Ada', email: 'ada@example.com' }), minimal('customers', { email: 'zoe@example.com' })],
    tickets: [minimal('tickets', { ticketShortId: 'LH1', orderId: 'BK-1' }), minimal('tickets', { orderId: 'BK-1' })],
  }
  for (const [name, lines] of Object.entries(records)) await importLines(name as keyof typeof records, seller, lines)
  const ids = Object.values(records).flatMap((lines) => lines.map(({ id }) => String(id)))
  const found = await findTitles(seller, [...ids, '0'.repeat(24)])
  expect(new Map(found.map(({ resource, id, title }) => [id, `${resource} ${title}`]))).toEqual(
    new Map(
      [
        'payments OR-1',
        `payments ${ids[1]}`,
        'coupons SPRING',
        'customers Ada',
        'customers zoe@example.com',
        'tickets LH1',
        `tickets ${ids[6]}`,
      ].map((text, index) => [ids[index], text]),
    ),
  )
  expect(await findTitles(other, ids)).toEqual([])
  expect(await findTitles(seller, [])).toEqual([])
})

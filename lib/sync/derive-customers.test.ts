/** Missing customers can be created from orders that are already stored. */
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { database } from '@/db/client'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { newObjectId } from '../core/object-id'
import { deriveCustomers } from './derive-customers'

const run = <Row>(query: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(query))

it('creates each missing customer once, from the customer’s oldest order of any type, and does not change existing customers', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const [existing, missingId] = [minimal('customers', { email: 'known@example.com' }), newObjectId()]
  const importOrder = (name: 'payments' | 'bookings' | 'subscriptions', day: string, members: object) =>
    importLines(name, seller, [minimal(name, { createdAt: `2026-03-${day}T00:00:00.000Z`, ...members })])
  await importOrder('payments', '03', { customerId: missingId, customerEmail: 'third@example.com' })
  await importOrder('bookings', '01', { customerId: missingId, customerEmail: 'first@example.com', billing: { name: 'Ada' } })
  await importOrder('subscriptions', '02', { customerId: missingId, customerEmail: 'second@example.com' })
  await importOrder('payments', '04', { customerId: existing.id, customerEmail: 'other@example.com' })
  await importOrder('payments', '05', { customerEmail: 'nobody@example.com' })
  await importLines('payments', other, [minimal('payments', { customerId: newObjectId(), customerEmail: 'theirs@example.com' })])
  await run(sql`delete from customers where seller_id in (${seller}, ${other})`)
  await importLines('customers', seller, [existing])

  expect(await deriveCustomers(seller)).toEqual({ read: 4, written: 1 })
  const readStored = () =>
    run<{ seller: string; email: string; name: string | null }>(
      sql`select seller_id as seller, record ->> 'email' as email, record ->> 'name' as name from customers where seller_id in (${seller}, ${other}) order by 2`,
    )
  const expected = [
    { seller, email: 'first@example.com', name: 'Ada' },
    { seller, email: 'known@example.com', name: null },
  ]
  expect(await readStored()).toEqual(expected)
  expect(await deriveCustomers(seller)).toEqual({ read: 4, written: 0 })
  expect(await readStored()).toEqual(expected)
})

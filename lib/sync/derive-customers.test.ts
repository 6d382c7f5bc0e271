/** Customers can be created from orders that are already stored. */
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { database } from '@/db/client'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { newObjectId } from '../core/object-id'
import { deriveCustomers } from './derive-customers'

const run = <Row>(query: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(query))

it('creates each missing customer once, from the customer’s oldest order of any type, and changes no existing customer', async () => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const [existing, missingId] = [minimal('customers', { email: 'known@example.com' }), newObjectId()]
  const order = (name: 'payments' | 'bookings' | 'subscriptions', day: string, given: object) =>
    importLines(name, seller, [minimal(name, { createdAt: `2026-03-${day}T00:00:00.000Z`, ...given })])
  await order('payments', '03', { customerId: missingId, customerEmail: 'third@example.com' })
  await order('bookings', '01', { customerId: missingId, customerEmail: 'first@example.com', billing: { name: 'Ada' } })
  await order('subscriptions', '02', { customerId: missingId, customerEmail: 'second@example.com' })
  await order('payments', '04', { customerId: existing.id, customerEmail: 'other@example.com' })
  await order('payments', '05', { customerEmail: 'nobody@example.com' })
  await importLines('payments', other, [minimal('payments', { customerId: newObjectId(), customerEmail: 'theirs@example.com' })])
  await run(sql`delete from customers where seller_id in (${seller}, ${other})`)
  await importLines('customers', seller, [existing])

  expect(await deriveCustomers(seller)).toEqual({ read: 4, written: 1 })
  const stored = () =>
    run<{ seller: string; email: string; name: string | null }>(
      sql`select seller_id as seller, record ->> 'email' as email, record ->> 'name' as name from customers where seller_id in (${seller}, ${other}) order by 2`,
    )
  const expected = [
    { seller, email: 'first@example.com', name: 'Ada' },
    { seller, email: 'known@example.com', name: null },
  ]
  expect(await stored()).toEqual(expected)
  expect(await deriveCustomers(seller)).toEqual({ read: 4, written: 0 })
  expect(await stored()).toEqual(expected)
})

/** Customers are created from the orders that reference them. */
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { importLines, makeSeller, minimal } from '@/testing/seller'
import { resources } from '../../catalog'
import { newObjectId } from '../../core/object-id'
import { toListQuery } from '../../listing/list-query'
import { listRecords } from '../../listing/list-records'
import { deriveCustomer } from './derived-customers'

const read = (seller: string) =>
  database().use(({ rows }) =>
    rows<{ record: string }>(sql`select record::text as record from customers where seller_id = ${seller} order by id`),
  )
const readCustomers = async (seller: string) => (await read(seller)).map(({ record }) => JSON.parse(record) as Record<string, unknown>)

const address = { line1: 'Quay Street 12', city: 'Rotterdam' }
const billing = {
  name: 'Zoë Haddad',
  companyName: 'Haddad B.V.',
  email: 'z@example.com',
  phone: '+316',
  billingEmail: 'a@example.com',
  address,
}

describe('an order that references a customer', () => {
  it.each(['payments', 'bookings', 'subscriptions'] as const)('creates the customer when it is imported into %s', async (name) => {
    const seller = await makeSeller()
    const customerId = newObjectId()
    const order = minimal(name, { customerId: customerId.toUpperCase(), customerEmail: 'zoe@example.com', billing })
    expect(await importLines(name, seller, [order])).toMatchObject({ written: 1, rejects: [] })
    const [customer] = await read(seller)
    const record = {
      id: customerId,
      email: 'zoe@example.com',
      name: 'Zoë Haddad',
      companyName: 'Haddad B.V.',
      phone: '+316',
      billingEmail: 'a@example.com',
      address,
      sellerId: seller,
      createdAt: order.createdAt,
      updatedAt: order.createdAt,
    }
    expect(customer).toEqual({ record: JSON.stringify(record) })
    expect(JSON.stringify(resources.customers.record.parse(record))).toBe(customer?.record)
    const [stored] = (await listRecords(toListQuery(resources[name], seller, { limit: 1 }))).rows
    expect(JSON.parse(String(stored)).customerId).toBe(customerId)
  })

  it('creates no customer without a customer ID of 24 hex digits and an email address, which may be the one in the billing details', () => {
    const customerId = newObjectId()
    expect(deriveCustomer({ customerEmail: 'a@example.com' })).toBeUndefined()
    expect(deriveCustomer({ customerId: 'c-17', customerEmail: 'a@example.com' })).toBeUndefined()
    expect(deriveCustomer({ customerId, billing: { name: 'A' } })).toBeUndefined()
    expect(deriveCustomer({ customerId, customerEmail: '', billing: { email: 'b@example.com' } })?.record).toContain('b@example.com')
  })

  it('creates the customer once, from the earliest order of the batch', async () => {
    const seller = await makeSeller()
    const customerId = newObjectId()
    const orders = ['2026-03-02', '2026-03-01', '2026-03-03'].map((day) =>
      minimal('payments', { customerId, customerEmail: `${day}@example.com`, createdAt: `${day}T00:00:00.000Z` }),
    )
    // All IDs end with 0, so that the same worker writes all of the orders.
    for (const [index, order] of orders.entries()) order.id = `${newObjectId().slice(0, -2)}${index * 2}0`
    await importLines('payments', seller, orders)
    expect((await readCustomers(seller)).map(({ email }) => email)).toEqual(['2026-03-01@example.com'])
  })

  it('never changes an existing customer, and creates customers that a later import can replace', async () => {
    const seller = await makeSeller()
    const [existing, derived] = [minimal('customers', { email: 'known@example.com' }), newObjectId()]
    await importLines('customers', seller, [existing])
    await importLines('payments', seller, [
      minimal('payments', { customerId: existing.id, customerEmail: 'other@example.com' }),
      minimal('payments', { customerId: derived, customerEmail: 'first@example.com' }),
    ])
    await importLines('payments', seller, [minimal('payments', { customerId: derived, customerEmail: 'second@example.com' })])
    expect((await readCustomers(seller)).map(({ email }) => email).sort()).toEqual(['first@example.com', 'known@example.com'])
    await importLines('customers', seller, [minimal('customers', { id: derived, email: 'imported@example.com' })])
    expect((await readCustomers(seller)).map(({ email }) => email).sort()).toEqual(['imported@example.com', 'known@example.com'])
  })

  it('creates the customer only if the order is written', async () => {
    const seller = await makeSeller()
    const { rejects } = await importLines('payments', seller, [
      minimal('payments', {
        customerId: newObjectId(),
        customerEmail: 'a@example.com',
        createdAt: '0001-01-01T00:00:00.000Z',
        amount: 'x',
      }),
    ])
    expect(rejects).toHaveLength(1)
    expect(await read(seller)).toEqual([])
  })
})

it('finishes two imports that reference the same customers in opposite orders without a deadlock', { tags: 'slow' }, async () => {
  const seller = await makeSeller()
  const ids = Array.from({ length: 3000 }, () => newObjectId())
  const makeOrders = (customerIds: string[]) =>
    customerIds.map((customerId, index) => minimal('payments', { customerId, customerEmail: `${index}@example.com` }))
  const countDeadlocks = async () => {
    const [row] = await database().use(({ rows }) =>
      rows<{ deadlocks: number }>(sql`select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`),
    )
    return row?.deadlocks
  }
  const before = await countDeadlocks()
  const results = await Promise.all([makeOrders(ids), makeOrders(ids.toReversed())].map((lines) => importLines('payments', seller, lines)))
  for (const result of results) expect(result).toMatchObject({ written: ids.length, rejects: [] })
  expect(await read(seller)).toHaveLength(ids.length)
  expect(await countDeadlocks()).toBe(before)
})

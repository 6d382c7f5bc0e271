/** Creates customers from the orders that reference them. */
import { type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { customers as table } from '@/db/schema'
import type { customers } from '../../catalog/customers'
import type { payments } from '../../catalog/payments'
import type { Resource } from '../../catalog/resource'
import type { subscriptions } from '../../catalog/subscriptions'
import { OBJECT_ID } from '../../core/object-id-pattern'
import { textTable } from '../../core/sql'

/** A customer derived from an order. `createdAt` is the order's, and `record` is the customer's JSON. */
export type DerivedCustomer = { id: string; createdAt: string; record: string }

type Customer = z.output<typeof customers.record>
type Order = Pick<z.output<typeof payments.record>, 'customerId' | 'customerEmail' | 'billing' | 'sellerId' | 'createdAt'> &
  Pick<z.output<typeof subscriptions.record>, 'gatewayCustomerId'>

/** Returns whether the records of a resource can reference a customer. */
export const referencesCustomers = ({ record }: Pick<Resource, 'record'>) => 'customerId' in record.shape && 'customerEmail' in record.shape

/** Derives an order's customer. Returns undefined if the order lacks a customer ID of 24 hex digits or an email address. */
export function deriveCustomer(order: Record<string, unknown>): DerivedCustomer | undefined {
  const { customerId, customerEmail, billing = {}, gatewayCustomerId, sellerId, createdAt } = order as Order
  const email = customerEmail || billing.email
  if (customerId === undefined || !OBJECT_ID.test(customerId) || !email) return undefined
  const id = customerId.toLowerCase()
  const { name, companyName, phone, billingEmail, address } = billing
  // The members are in the order of the schema, as in an imported customer. JSON.stringify omits undefined members.
  const customer: { [Name in keyof Customer]: Customer[Name] | undefined } = {
    id,
    email,
    name,
    companyName,
    phone,
    billingEmail,
    gatewayCustomerId,
    address,
    sellerId,
    createdAt,
    updatedAt: createdAt,
  }
  return { id, createdAt, record: JSON.stringify(customer) }
}

/** Returns one entry per customer in a batch, derived from the customer's earliest order. Entries are sorted by ID. */
function keepEarliest(customers: readonly DerivedCustomer[]): DerivedCustomer[] {
  const byId = new Map<string, DerivedCustomer>()
  for (const customer of customers) {
    const existing = byId.get(customer.id)
    if (!existing || customer.createdAt < existing.createdAt) byId.set(customer.id, customer)
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * Returns an INSERT that creates the customers that do not exist yet, and never changes existing ones. Rows are inserted in the order of
 * their IDs, so that concurrent imports that reference the same customers cannot deadlock.
 */
export function insertNewCustomers(seller: string, derived: readonly DerivedCustomer[]): SQL {
  const customers = keepEarliest(derived)
  // Existing customers are left out first, because the trigger parses each inserted row before conflicts are detected. The scalar
  // subquery makes the planner look up each ID instead of reading all of the seller's customers.
  return sql`
    insert into ${table} (seller_id, record)
    select ${seller}, line.record::json
    from ${textTable({ id: customers.map(({ id }) => id), record: customers.map(({ record }) => record) })} as line
    where (select true from ${table} where ${table.sellerId} = ${seller} and ${table.id} = line.id) is null
    order by line.id
    on conflict (seller_id, id) do nothing
    returning 1`
}

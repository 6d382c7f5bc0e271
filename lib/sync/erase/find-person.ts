/** Finds and locks a person's records. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { tickets } from '@/db/schema'
import { selectBookingTickets } from '../../admission/booking-tickets'
import { type ResourceName, resources } from '../../catalog'
import { customers } from '../../catalog/customers'
import { escapeLike, textArray } from '../../core/sql'
import { CUSTOMER_RESOURCES, type CustomerResource, customerRecordIds, idsByEmail } from '../../listing/customer-orders'
import type { PersonalRecord } from './erased-people'
import { OTHER_PERSONAL_RESOURCES } from './personal-resources'
import { type JsonObject, listIds, readRecords, type StoredRecord } from './rewrite'

export type Customer = JsonObject & { id: string; email: string; createdAt: string; updatedAt: string }
type Item = JsonObject & PersonalRecord

/** A person's records, as stored and parsed. */
export type Person = {
  /** The customer records with the person's email address, beginning with the given one. */
  customers: Customer[]
  /** The records of each resource, except for customers and tickets. */
  stored: ReadonlyMap<ResourceName, StoredRecord[]>
  orders: Item[]
  bookings: { id: string; orderId?: string }[]
  /** Records of resources other than customers, orders and tickets. */
  others: Item[]
  /** The tickets of the bookings and those with the email address. They may include tickets of other guests. */
  storedTickets: StoredRecord[]
  tickets: Item[]
}

/**
 * Selects the IDs of a person's orders: those with the ID of one of the person's customer records, and those with the person's email
 * address, even if it is only in the billing details.
 *
 * @param duplicates the IDs of the person's other customer records
 */
const orderIds = (name: CustomerResource, seller: string, customer: { id: string; email: string }, duplicates: string[]) => {
  const { table } = resources[name]
  return sql`${customerRecordIds(name, seller, customer)}
    union select id from ${table}
    where seller_id = ${seller}
      and customer_digest in (select hashtextextended(duplicate, 0) from unnest(${textArray(duplicates)}) as duplicate)
      and desk_lower(record ->> 'customerId') = any(${textArray(duplicates)})
    union select id from ${table}
    where seller_id = ${seller} and ${customer.email} <> '' and desk_fold(record -> 'billing' ->> 'email') = desk_fold(${customer.email}::text)`
}

/** Selects the IDs of the tickets of the given bookings, and of other tickets with the email address. */
const ticketIds = (seller: string, bookings: string[], email: string) => sql`
  select ticket.id from ${resources.bookings.table} as booking
    cross join lateral ${selectBookingTickets(seller, sql`booking.id`, sql`(booking.record ->> 'orderId')`)} as ticket
  where booking.seller_id = ${seller} and booking.id = any(${textArray(bookings)})
  union select id from ${tickets}
  where seller_id = ${seller} and ${email} <> '' and search like '%' || desk_search_text(${escapeLike(email)}::text) || '%'
    and desk_fold(record ->> 'customerEmail') = desk_fold(${email}::text)`

/**
 * Selects the IDs of another resource's records that contain one of the customer IDs or the email address, and of those without an email
 * address that contain the ID of one of the orders.
 */
const otherIds = (name: ResourceName, seller: string, email: string, customerIds: string[], orders: string[]) => sql`
  select id from ${resources[name].table}
  where seller_id = ${seller} and (
    desk_lower(record ->> 'customerId') = any(${textArray(customerIds)})
    or ${email} <> '' and desk_fold(${email}::text) in (desk_fold(record ->> 'customerEmail'), desk_fold(record -> 'billing' ->> 'email'))
    or coalesce(record ->> 'customerEmail', record -> 'billing' ->> 'email', '') = ''
      and exists (select from json_each_text(record) as field where desk_lower(field.value) = any(${textArray(orders)})))`

const parse = <T>(stored: readonly StoredRecord[]) => stored.map(({ record }) => JSON.parse(record) as T)

/**
 * Finds and locks the records of a person: all customer records with the same email address, the orders with one of their customer IDs or
 * the address, other records about the person, the tickets of the bookings, and other tickets with the address.
 */
export async function findPerson(connection: Connection, seller: string, customer: Customer): Promise<Person> {
  const { id, email } = customer
  const customerIds = email === '' ? sql`select ${id}` : idsByEmail('customers', seller, email, 'email')
  const duplicates = (await readRecords(connection, customers.table, seller, customerIds)).filter((other) => other.id !== id)
  const people = [customer, ...parse<Customer>(duplicates)]
  const stored = new Map<ResourceName, StoredRecord[]>()
  for (const name of CUSTOMER_RESOURCES)
    stored.set(name, await readRecords(connection, resources[name].table, seller, orderIds(name, seller, customer, listIds(duplicates))))
  const orders = parse<Item>([...stored.values()].flat())
  const others: Item[] = []
  for (const name of OTHER_PERSONAL_RESOURCES) {
    const found = await readRecords(
      connection,
      resources[name].table,
      seller,
      otherIds(name, seller, email, listIds(people), listIds(orders)),
    )
    stored.set(name, found)
    others.push(...parse<Item>(found))
  }
  const bookings = parse<Person['bookings'][number]>(stored.get('bookings') ?? [])
  const storedTickets = await readRecords(connection, tickets, seller, ticketIds(seller, listIds(bookings), email))
  return { customers: people, stored, orders, bookings, others, storedTickets, tickets: parse<Item>(storedTickets) }
}

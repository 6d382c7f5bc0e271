/** Erases a person: replaces their data in the customer record, their orders and tickets, and every stored copy. */
import { sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Connection } from '@/db/client'
import { checkIns, offlineScans, tickets } from '@/db/schema'
import { type Editor, writeAudit } from '../../accounts/audit'
import { lockWriters } from '../../accounts/erasure-lock'
import { resources } from '../../catalog'
import { ERASURE_MS } from '../../catalog/customer-operations'
import { customers } from '../../catalog/customers'
import { textArray } from '../../core/sql'
import { lockCustomer } from '../edit/customers'
import { changeLocked, setChangeTime } from '../edit/edit-record'
import { lockAccount } from '../stripe/account'
import { eraseCopies, type Redactors } from './erase-copies'
import { getIdentifiers, storeErasure } from './erased-people'
import { type Customer, findPerson, type Person } from './find-person'
import { collectTexts, type PersonTexts } from './person-texts'
import { createTextRedactor, erasedEmail, redactRecord } from './redact'
import { type JsonObject, listIds, mentionsAny, readRecords, rewriteColumn, rewriteRecords } from './rewrite'

/**
 * The erased customer's JSON, and the numbers of changed or deleted values by table. Customers, check-ins, offline scans and metadata are
 * not counted.
 */
type ErasureResult = { record: string; changed: Record<string, number> }

/**
 * Locks a customer for an erasure, and extends the statement timeout. Returns the customer's JSON, or undefined if the seller has no such
 * customer. Locks the Stripe account first, like the processing of events, to prevent deadlocks. After this call, no import or event can
 * write personal data until the transaction ends.
 */
export async function lockForErasure(connection: Connection, seller: string, id: string): Promise<string | undefined> {
  await connection.rows(sql`select set_config('statement_timeout', ${String(ERASURE_MS)}, true)`)
  await lockAccount(connection, seller)
  await lockWriters(connection, seller)
  return lockCustomer(connection, seller, id)
}

/** Erases the person's customer records. @returns the JSON of the first one */
async function eraseCustomers(connection: Connection, seller: string, people: readonly Customer[], email: string): Promise<string> {
  const now = await setChangeTime(connection)
  for (const customer of people) {
    const updatedAt = now > customer.updatedAt ? now : customer.updatedAt
    const erased = customers.record.parse({ ...redactRecord(customer, email), updatedAt })
    await connection.rows(sql`
      update ${customers.table} set record = ${JSON.stringify(erased)}::text::json
      where seller_id = ${seller} and id = ${customer.id}`)
  }
  const [first] = await readRecords(connection, customers.table, seller, sql`select ${people[0]?.id ?? ''}`)
  if (!first) throw new Error('The locked customer does not exist.')
  return first.record
}

/**
 * Erases the person's orders, other records and tickets, and the notes and reasons entered at check-in.
 *
 * @returns the number of changed rows by table
 */
async function eraseRecords(
  connection: Connection,
  seller: string,
  { stored, storedTickets }: Person,
  texts: PersonTexts,
  redactors: Redactors,
): Promise<Record<string, number>> {
  const changed: Record<string, number> = {}
  for (const [name, records] of stored)
    changed[name] = await rewriteRecords(connection, resources[name].table, seller, records, redactors.record)
  changed.tickets = await rewriteRecords(connection, tickets, seller, storedTickets, redactors.ticket)
  const ticketIds = textArray(listIds(storedTickets))
  await rewriteColumn(connection, seller, tickets.metadata as PgColumn, sql`id = any(${ticketIds})`, redactors.texts)
  for (const column of [checkIns.reason, offlineScans.note]) {
    const isNoted = sql`ticket_id = any(${ticketIds}) and ${column} is not null or ${mentionsAny(column, [...texts.all])}`
    await rewriteColumn(connection, seller, column, isNoted, redactors.texts)
  }
  return changed
}

/**
 * Erases a person: all customer records with the same email address, the orders with one of their customer IDs or the address, other
 * records about the person, their tickets, and the copies in events, Stripe's payloads, stored responses, notes, saved views, check-in
 * reasons, webhook responses and the audit log. In these copies, data from earlier versions of the records is erased too, if an event still
 * contains the version. Erasing a customer again also erases data that has been stored since then.
 *
 * @param current the result of `lockForErasure`
 */
export async function eraseCustomer(connection: Connection, seller: string, by: Editor, current: string): Promise<ErasureResult> {
  const customer = JSON.parse(current) as Customer
  const { id } = customer
  const person = await findPerson(connection, seller, customer)
  const texts = await collectTexts(connection, seller, person)
  const email = erasedEmail(id)
  const redactTexts = createTextRedactor(texts.all)
  const redactors: Redactors = {
    texts: redactTexts,
    record: (record) => redactTexts(redactRecord(record as JsonObject, email)),
    ticket: (ticket) => redactTexts(texts.isOwnTicket(ticket as JsonObject) ? redactRecord(ticket as JsonObject, email) : ticket),
  }
  const record = await eraseCustomers(connection, seller, person.customers, email)
  const changed = {
    ...(await eraseRecords(connection, seller, person, texts, redactors)),
    ...(await eraseCopies(connection, seller, person, texts, redactors)),
  }
  const customerIds = new Set(listIds(person.customers))
  // Only orders that reference the customer: other orders may contain an email address that the person shares with someone else.
  const ownOrders = person.orders.filter(({ customerId }) => customerIds.has(String(customerId).toLowerCase()))
  await storeErasure(connection, seller, id, [
    ...person.customers.map(getIdentifiers),
    ...ownOrders.map(({ customerEmail, billing }) => ({ emails: [customerEmail, billing?.email] })),
    ...[...person.tickets.filter(texts.isOwnTicket), ...person.others].map(({ id: recordId }) => ({ recordId })),
    ...person.bookings.map(({ id: bookingId, orderId }) => ({ bookingId, orderId })),
  ])
  await writeAudit(connection, { sellerId: seller, by, action: 'customer.erased', subject: id, recordId: id })
  return { record, changed }
}

/** Erases a person in a new transaction. Returns undefined if the seller has no such customer. */
export const eraseCustomerById = (seller: string, by: Editor, id: string): Promise<ErasureResult | undefined> =>
  changeLocked(lockForErasure)(seller, id, (connection, current) => eraseCustomer(connection, seller, by, current), ERASURE_MS)

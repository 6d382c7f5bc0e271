/** Erases a person: replaces their data in the customer, their orders and tickets, and every stored copy. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Connection, database } from '@/db/client'
import { auditLog, checkIns, events, idempotencyKeys, offlineScans, stripeEvents, tickets, webhookAttempts } from '@/db/schema'
import { type Editor, writeAudit } from '../../accounts/audit'
import { ticketsOf } from '../../admission/booking-tickets'
import { resources } from '../../catalog'
import { customers } from '../../catalog/customers'
import { escapeLike, textArray, textTable } from '../../core/sql'
import { CUSTOMER_LISTS, type CustomerList, customerRecordIds } from '../../listing/customer'
import { lockCustomer } from '../edit/customers'
import { holdAccount } from '../stripe/account'
import { identifiersOf, lockWriters, rememberErasure } from './erased-people'
import { erasedEmail, identifyingTexts, redactRecord, redactStripe, textRedactor } from './redact'

type Json = Record<string, unknown>
type Redact = (value: unknown) => unknown

/** The number of changed records by table. */
export type Erased = { record: string; changed: Record<string, number> }

/**
 * Locks a customer for an erasure. Returns its JSON, or undefined if the seller has no such customer. The account's lock comes first, as in
 * every writer of Stripe's events; then no import or event can write personal data until the transaction ends.
 */
export async function lockForErasure(connection: Connection, seller: string, id: string): Promise<string | undefined> {
  await holdAccount(connection, seller)
  await lockWriters(connection, seller)
  return lockCustomer(connection, seller, id)
}

const readRecords = ({ rows }: Connection, table: PgTable, seller: string, ids: SQL) =>
  rows<{ id: string; record: string }>(
    sql`select id, record::text as record from ${table} where seller_id = ${seller} and id in (${ids}) order by id for no key update`,
  )

/** Writes the records that a function changes. @returns the number of changed records */
async function rewrite(connection: Connection, table: PgTable, seller: string, stored: { id: string; record: string }[], redact: Redact) {
  const changed = stored.flatMap(({ id, record }) => {
    const next = JSON.stringify(redact(JSON.parse(record)))
    return next === record ? [] : [{ id, record: next }]
  })
  if (changed.length > 0) {
    await connection.rows(sql`
      update ${table} as stored set record = line.record::json
      from ${textTable({ id: changed.map(({ id }) => id), record: changed.map(({ record }) => record) })} as line
      where stored.seller_id = ${seller} and stored.id = line.id`)
  }
  return changed.length
}

/** Selects the tickets of bookings, and other tickets with the email address. */
const ticketIds = (seller: string, bookings: string[], email: string) => sql`
  select ticket.id from ${resources.bookings.table} as booking
    cross join lateral ${ticketsOf(seller, sql`booking.id`, sql`(booking.record ->> 'orderId')`)} as ticket
  where booking.seller_id = ${seller} and booking.id = any(${textArray(bookings)})
  union select id from ${tickets}
  where seller_id = ${seller} and search like '%' || desk_fold(${escapeLike(email)}::text) || '%'
    and desk_fold(record ->> 'customerEmail') = desk_fold(${email}::text)`

/** Returns a text as ASCII JSON, as some of Stripe's payloads have it. */
const toAscii = (json: string) => json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the condition that a column contains one of the texts, as it is or in JSON. */
function mentions(column: PgColumn, texts: readonly string[]): SQL {
  const spellings = texts.flatMap((text) => {
    const json = JSON.stringify(text).slice(1, -1)
    return [text, json, toAscii(json)]
  })
  const patterns = [...new Set(spellings)].map((text) => `%${escapeLike(text)}%`)
  return sql`desk_fold(${column}::text) like any (select desk_fold(pattern) from unnest(${textArray(patterns)}) as pattern)`
}

const isJson = (column: PgColumn) => column.getSQLType() === 'json'

/** Rewrites a column in the seller's rows that match a condition. */
async function rewriteColumn({ rows }: Connection, seller: string, column: PgColumn, where: SQL, redact: Redact): Promise<number> {
  const { table } = column
  const found = await rows<{ place: string; value: string | null }>(
    sql`select ${table}.ctid::text as place, ${column}::text as value from ${table} where seller_id = ${seller} and (${where}) for no key update`,
  )
  const changed = found.flatMap(({ place, value }) => {
    if (value === null) return []
    const next = isJson(column) ? JSON.stringify(redact(JSON.parse(value))) : redactTextOrJson(value, redact)
    return next === value ? [] : [{ place, next }]
  })
  if (changed.length === 0) return 0
  // The rows are locked, so their places do not change.
  await rows(sql`
    update ${table} set ${sql.identifier(column.name)} = ${isJson(column) ? sql`line.next::json` : sql`line.next::json #>> '{}'`}
    from ${textTable({
      place: changed.map(({ place }) => place),
      next: changed.map(({ next }) => (isJson(column) ? next : JSON.stringify(next))),
    })} as line
    where ${table}.ctid = line.place::tid and ${table}.seller_id = ${seller}`)
  return changed.length
}

/** Redacts a text that can be JSON, such as a stored response. */
function redactTextOrJson(text: string, redact: Redact): string {
  if (text.startsWith('{')) {
    try {
      return JSON.stringify(redact(JSON.parse(text)))
    } catch {
      // It is cut off, or other text that begins with a brace.
    }
  }
  return String(redact(text))
}

const GATEWAY_IDS = ['gatewayPaymentIntentId', 'gatewayChargeId', 'gatewaySubscriptionId', 'gatewayCustomerId', 'invoiceId']

/**
 * Erases a person: the customer, the orders with the customer's ID or email address, their tickets, and the copies in events, Stripe's payloads,
 * stored responses, check-in reasons, webhook responses and the audit log. Erasing a customer again erases what was stored since.
 *
 * @param current the result of `lockForErasure`
 * @returns the erased customer's JSON, and how many rows of each table were changed
 */
export async function eraseCustomer(connection: Connection, seller: string, by: Editor, current: string): Promise<Erased> {
  const customer = JSON.parse(current) as Json & { id: string; email: string; createdAt: string }
  const { id } = customer
  const email = erasedEmail(id)
  const changed: Record<string, number> = {}
  const orders = new Map<CustomerList, { id: string; record: string }[]>()
  for (const name of CUSTOMER_LISTS) {
    orders.set(name, await readRecords(connection, resources[name].table, seller, customerRecordIds(name, seller, customer)))
  }
  const orderRecords = [...orders.values()].flat().map(({ record }) => JSON.parse(record) as Json)
  const bookings = (orders.get('bookings') ?? []).map((booking) => booking.id)
  const owned = await readRecords(connection, tickets, seller, ticketIds(seller, bookings, customer.email))
  const texts = new Set([customer, ...orderRecords].flatMap((record) => [...identifyingTexts(record)]))
  const redactTexts = textRedactor(texts)

  // A ticket of the person's booking can be another guest's.
  const isTheirs = ({ customerEmail, customerName }: Json) =>
    customerEmail === undefined || redactTexts(customerEmail) !== customerEmail || redactTexts(customerName) !== customerName
  const redactTicket: Redact = (ticket) => redactTexts(isTheirs(ticket as Json) ? redactRecord(ticket as Json, email) : ticket)
  const redactOrder: Redact = (order) => redactTexts(redactRecord(order as Json, email))

  const erased = { ...redactRecord(customer, email), updatedAt: new Date().toISOString() }
  const record = JSON.stringify(customers.record.parse(erased))
  await connection.rows(sql`
    update ${customers.table} set record = ${record}::text::json, source = 'erasure' where seller_id = ${seller} and id = ${id}`)
  for (const [name, stored] of orders) changed[name] = await rewrite(connection, resources[name].table, seller, stored, redactOrder)
  changed.tickets = await rewrite(connection, tickets, seller, owned, redactTicket)
  const ticketList = owned.map((ticket) => ticket.id)
  await rewriteColumn(connection, seller, tickets.metadata as PgColumn, sql`id = any(${textArray(ticketList)})`, redactTexts)
  for (const column of [checkIns.reason, offlineScans.note]) {
    await rewriteColumn(connection, seller, column, sql`ticket_id = any(${textArray(ticketList)}) and ${column} is not null`, redactTexts)
  }

  const ids = new Set([id, ...orderRecords.map((order) => String(order.id))])
  const gatewayIds = [customer, ...orderRecords].flatMap((one) => GATEWAY_IDS.flatMap((name) => (one[name] ? [String(one[name])] : [])))
  const all = [...texts]
  const redactEvent: Redact = (data) => {
    const { id: about } = data as Json
    if (ids.has(String(about))) return redactOrder(data)
    return ticketList.includes(String(about)) ? redactTicket(data) : redactTexts(data)
  }
  const about = sql`data ->> 'id' = any(${textArray([...ids, ...ticketList])})`
  changed.events = await rewriteColumn(
    connection,
    seller,
    events.data as PgColumn,
    sql`${about} or ${mentions(events.data as PgColumn, all)}`,
    redactEvent,
  )
  // A payload that only has the same name is about somebody else.
  const identifiers = [...gatewayIds, ...all.filter((text) => text.includes('@'))].map((text) => JSON.stringify(text).toLowerCase())
  const isAbout = (payload: unknown) => {
    const text = JSON.stringify(payload).toLowerCase()
    return identifiers.some((identifier) => text.includes(identifier))
  }
  changed.stripe_events = await rewriteColumn(
    connection,
    seller,
    stripeEvents.payload as PgColumn,
    sql`links && ${textArray(gatewayIds)} or ${mentions(stripeEvents.payload as PgColumn, all)}`,
    (payload) => redactTexts(isAbout(payload) ? redactStripe(payload) : payload),
  )
  for (const column of [idempotencyKeys.answer, webhookAttempts.answer, auditLog.subject, auditLog.details] as PgColumn[]) {
    const name = getTableName(column.table)
    changed[name] = (changed[name] ?? 0) + (await rewriteColumn(connection, seller, column, mentions(column, all), redactTexts))
  }
  await rememberErasure(connection, seller, id, identifiersOf(customer))
  await writeAudit(connection, { sellerId: seller, by, action: 'customer.erased', subject: id })
  return { record, changed }
}

/** Erases a person in a transaction of its own. Returns undefined if the seller has no such customer. */
export const eraseCustomerById = (seller: string, by: Editor, id: string): Promise<Erased | undefined> =>
  database().transaction(async (connection) => {
    const current = await lockForErasure(connection, seller, id)
    return current === undefined ? undefined : eraseCustomer(connection, seller, by, current)
  })

/** Erases a person: replaces their data in the customer record, their orders and tickets, and every stored copy. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Connection, database } from '@/db/client'
import {
  auditLog,
  checkIns,
  events,
  idempotencyKeys,
  offlineScans,
  recordNotes,
  savedViews,
  stripeEvents,
  tickets,
  webhookAttempts,
} from '@/db/schema'
import { type Editor, writeAudit } from '../../accounts/audit'
import { lockWriters } from '../../accounts/erasure-lock'
import { selectBookingTickets } from '../../admission/booking-tickets'
import { type ResourceName, resources } from '../../catalog'
import { ERASURE_MS } from '../../catalog/customer-operations'
import { customers } from '../../catalog/customers'
import { mapInSlices } from '../../core/slices'
import { escapeLike, textArray, textTable } from '../../core/sql'
import { eventData } from '../../events/event-data'
import { CUSTOMER_RESOURCES, type CustomerResource, customerRecordIds, idsByEmail } from '../../listing/customer-orders'
import { lockCustomer } from '../edit/customers'
import { setChangeTime } from '../edit/edit-record'
import { lockAccount } from '../stripe/account'
import { getIdentifiers, type PersonalRecord, rememberErasure } from './erased-people'
import { OTHER_PERSONAL_RESOURCES } from './personal-resources'
import { erasedEmail, identifyingTexts, redactRecord, redactStripe, textRedactor, walkTexts } from './redact'

type JsonObject = Record<string, unknown>
type Redact = (value: unknown) => unknown

/** The number of rows rewritten per statement. */
const REWRITE_BATCH = 200

/** The erased customer's JSON, and the numbers of changed rows by table, except for customers, check-ins and offline scans. */
export type ErasureResult = { record: string; changed: Record<string, number> }

/**
 * Locks a customer for an erasure, and extends the statement timeout. Returns the customer's JSON, or undefined if the seller has no such
 * customer. Locks the Stripe account first, like the processing of events. Until the transaction ends, no import or event can then write
 * personal data.
 */
export async function lockForErasure(connection: Connection, seller: string, id: string): Promise<string | undefined> {
  await connection.rows(sql`select set_config('statement_timeout', ${String(ERASURE_MS)}, true)`)
  await lockAccount(connection, seller)
  await lockWriters(connection, seller)
  return lockCustomer(connection, seller, id)
}

/** Locks records, and returns them in the order of their IDs. @param ids a query for IDs */
const readRecords = ({ rows }: Connection, table: PgTable, seller: string, ids: SQL) =>
  rows<{ id: string; record: string }>(
    sql`select id, record::text as record from ${table} where seller_id = ${seller} and id in (${ids}) order by id for no key update`,
  )

/** Applies a function to records, and writes those that it changes. @returns the number of changed records */
async function rewriteRecords(
  connection: Connection,
  table: PgTable,
  seller: string,
  stored: { id: string; record: string }[],
  redact: Redact,
) {
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

/**
 * Selects the IDs of a person's orders: those with the ID of one of the person's customer records, and those with the person's email
 * address, even if it is only in the billing details.
 *
 * @param twins the IDs of the person's other customer records
 */
const orderIds = (name: CustomerResource, seller: string, customer: { id: string; email: string }, twins: string[]) => {
  const { table } = resources[name]
  return sql`${customerRecordIds(name, seller, customer)}
    union select id from ${table}
    where seller_id = ${seller}
      and customer_digest in (select hashtextextended(twin, 0) from unnest(${textArray(twins)}) as twin)
      and desk_lower(record ->> 'customerId') = any(${textArray(twins)})
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

/** Escapes the non-ASCII characters of a JSON string, as in some of Stripe's payloads. */
const toAscii = (json: string) => json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the condition that a column contains one of the texts, in any letter case, unchanged or escaped as in JSON. */
function mentions(column: PgColumn | SQL, texts: readonly string[]): SQL {
  const spellings = texts.flatMap((text) => {
    const json = JSON.stringify(text).slice(1, -1)
    return [text, json, toAscii(json)]
  })
  const patterns = [...new Set(spellings)].map((text) => `%${escapeLike(text)}%`)
  return sql`desk_fold(${column}::text) like any (select desk_fold(pattern) from unnest(${textArray(patterns)}) as pattern)`
}

const isJson = (column: PgColumn) => column.getSQLType() === 'json'

/**
 * Locks the seller's rows that match a condition, and yields the values of a column in batches, because a short name can occur in many
 * rows: for example, "customer" contains Tom.
 *
 * @param value the expression to read, such as the column itself
 */
async function* readColumn({ rows }: Connection, seller: string, { table }: PgColumn, where: SQL, value: SQL) {
  // The rows are locked, so their physical locations do not change.
  const found = await rows<{ place: string }>(
    sql`select ${table}.ctid::text as place from ${table} where seller_id = ${seller} and (${where}) for no key update`,
  )
  for (let start = 0; start < found.length; start += REWRITE_BATCH) {
    const places = textArray(found.slice(start, start + REWRITE_BATCH).map(({ place }) => place))
    yield await rows<{ place: string; value: string | null }>(sql`
      select ${table}.ctid::text as place, ${value}::text as value from ${table}
      where ${table}.ctid = any(${places}::tid[]) and ${table}.seller_id = ${seller}`)
  }
}

/**
 * Redacts a column in the seller's rows that match a condition.
 *
 * @param value the expression that is read and redacted, if it is not the column itself
 * @returns the number of changed rows
 */
async function rewriteColumn(
  connection: Connection,
  seller: string,
  column: PgColumn,
  where: SQL,
  redact: Redact,
  value = sql`${column}`,
): Promise<number> {
  const { table } = column
  let total = 0
  for await (const batch of readColumn(connection, seller, column, where, value)) {
    const redacted = await mapInSlices(batch, ({ place, value }) => {
      if (value === null) return []
      const next = isJson(column) ? JSON.stringify(redact(JSON.parse(value))) : redactTextOrJson(value, redact)
      return next === value ? [] : [{ place, next }]
    })
    const changed = redacted.flat()
    total += changed.length
    if (changed.length === 0) continue
    await connection.rows(sql`
      update ${table} set ${sql.identifier(column.name)} = ${isJson(column) ? sql`line.next::json` : sql`line.next::json #>> '{}'`}
      from ${textTable({
        place: changed.map(({ place }) => place),
        next: changed.map(({ next }) => (isJson(column) ? next : JSON.stringify(next))),
      })} as line
      where ${table}.ctid = line.place::tid and ${table}.seller_id = ${seller}`)
  }
  return total
}

/** Redacts a string that may be JSON, such as a stored response. */
function redactTextOrJson(text: string, redact: Redact): string {
  if (text.startsWith('{')) {
    try {
      return JSON.stringify(redact(JSON.parse(text)))
    } catch {
      // The text is truncated JSON, or it is not JSON but starts with a brace.
    }
  }
  return String(redact(text))
}

/** Returns the condition that an event is about one of the records. @param ids the IDs of the records */
const isEventAbout = (ids: string[]) => sql`coalesce(record_id, data ->> 'id') = any(${textArray(ids)})`

/** An earlier version of a record: its customer ID in lowercase, and the texts in it that identify a person. */
type Version = { id: string; customerId: string; texts: string[] }

/** Returns the earlier versions of records that are stored with events. */
async function readVersions(connection: Connection, seller: string, ids: string[]): Promise<Version[]> {
  const versions: Version[] = []
  const data = events.data as PgColumn
  for await (const batch of readColumn(connection, seller, data, sql`${isEventAbout(ids)} and data is not null`, sql`${data}`)) {
    const read = await mapInSlices(batch, ({ value }): Version => {
      const version = JSON.parse(String(value)) as JsonObject
      const { id, customerId } = version
      return { id: String(id), customerId: String(customerId).toLowerCase(), texts: [...identifyingTexts(version)] }
    })
    versions.push(...read)
  }
  return versions
}

/**
 * Removes the responses to events about the given records, which can repeat a part of any version of them, and to events that have been
 * deleted, because they could have been about the records.
 *
 * @returns the number of removed responses
 */
async function removeResponses({ rows }: Connection, seller: string, ids: string[]): Promise<number> {
  const removed = await rows(sql`
    update ${webhookAttempts} as attempt set response = null
    where seller_id = ${seller} and response is not null and (
      event_id in (select id from ${events} where seller_id = ${seller} and ${isEventAbout(ids)})
      or not exists (select from ${events} as event where event.seller_id = ${seller} and event.id = attempt.event_id))
    returning 1`)
  return removed.length
}

/** Deletes the saved views that search for the person, because they no longer find anything. @returns the number of deleted views */
async function deleteSearches({ rows }: Connection, seller: string, redact: Redact): Promise<number> {
  const views = await rows<{ id: string; query: string }>(sql`select id, query from ${savedViews} where seller_id = ${seller}`)
  // Only the search term counts: a filter or a sort order can contain a short name by chance, as `sort=customer` contains Tom.
  const searches = views.filter(({ query }) => new URLSearchParams(query).getAll('search').some((search) => redact(search) !== search))
  if (searches.length > 0)
    await rows(sql`delete from ${savedViews} where seller_id = ${seller} and id = any(${textArray(searches.map(({ id }) => id))})`)
  return searches.length
}

const listIds = (records: readonly { id: string }[]) => records.map(({ id }) => id)

type Customer = JsonObject & { id: string; email: string; createdAt: string; updatedAt: string }

const GATEWAY_IDS = ['gatewayPaymentIntentId', 'gatewayChargeId', 'gatewaySubscriptionId', 'gatewayCustomerId', 'invoiceId']

/**
 * Erases a person: all customer records with the same email address, the orders with one of their customer IDs or the address, other
 * records about the person, their tickets, and the copies in events, Stripe's payloads, stored responses, notes, saved views, check-in
 * reasons, webhook responses and the audit log. In these copies, data from earlier versions of the records is erased too, if an event still
 * contains the version. Erasing a customer again erases data that was stored since.
 *
 * @param current the result of `lockForErasure`
 */
export async function eraseCustomer(connection: Connection, seller: string, by: Editor, current: string): Promise<ErasureResult> {
  const customer = JSON.parse(current) as Customer
  const { id } = customer
  const email = erasedEmail(id)
  const changed: Record<string, number> = {}
  const customerIdsByEmail = customer.email === '' ? sql`select ${id}` : idsByEmail('customers', seller, customer.email, 'email')
  const twins = (await readRecords(connection, customers.table, seller, customerIdsByEmail)).filter((twin) => twin.id !== id)
  const people = [customer, ...twins.map(({ record }) => JSON.parse(record) as Customer)]
  const orders = new Map<ResourceName, { id: string; record: string }[]>()
  for (const name of CUSTOMER_RESOURCES) {
    const selected = orderIds(name, seller, customer, listIds(twins))
    orders.set(name, await readRecords(connection, resources[name].table, seller, selected))
  }
  const orderRecords = [...orders.values()].flat().map(({ record }) => JSON.parse(record) as JsonObject & PersonalRecord)
  const others = new Map<ResourceName, { id: string; record: string }[]>()
  for (const name of OTHER_PERSONAL_RESOURCES) {
    const selected = otherIds(name, seller, customer.email, listIds(people), listIds(orderRecords))
    others.set(name, await readRecords(connection, resources[name].table, seller, selected))
  }
  const otherRecords = [...others.values()].flat().map(({ record }) => JSON.parse(record) as JsonObject & PersonalRecord)
  const bookings = (orders.get('bookings') ?? []).map(({ record }) => JSON.parse(record) as { id: string; orderId?: string })
  const owned = await readRecords(connection, tickets, seller, ticketIds(seller, listIds(bookings), customer.email))
  const records = [...people, ...orderRecords, ...otherRecords]
  const known = records.flatMap((record) => [...identifyingTexts(record)])
  const versions = await readVersions(connection, seller, [...listIds(records), ...listIds(owned)])
  const customerIds = new Set(listIds(people))
  const former = versions.filter((version) => customerIds.has(version.id)).flatMap((version) => version.texts)

  // A ticket of the person's booking can belong to another guest.
  const redactKnown = textRedactor(new Set([...known, ...former]))
  const isTheirs = ({ customerEmail, customerName }: JsonObject) =>
    [customerEmail, customerName].some((text) => text !== undefined && redactKnown(text) !== text)
  const ownedTickets = owned.map(({ record }) => JSON.parse(record) as JsonObject & PersonalRecord)
  const theirTickets = ownedTickets.filter(isTheirs)
  // The person's name can be written differently on a ticket.
  const currentTexts = new Set([...known, ...theirTickets.flatMap((ticket) => [...identifyingTexts(ticket)])])
  // An earlier version of an order or ticket can be about someone else, such as a guest who now has a different ticket.
  const theirIds = new Set(listIds([...orderRecords, ...otherRecords, ...theirTickets]))
  const isTheirVersion = ({ id: recordId, customerId, texts: found }: Version) =>
    theirIds.has(recordId) && (customerIds.has(customerId) || found.some((text) => redactKnown(text) !== text))
  const guestTexts = new Set(ownedTickets.filter((ticket) => !isTheirs(ticket)).flatMap((ticket) => [...identifyingTexts(ticket)]))
  const earlier = versions.filter(isTheirVersion).flatMap((version) => version.texts.filter((text) => !guestTexts.has(text)))
  const texts = new Set([...currentTexts, ...former, ...earlier])
  const redactTexts = textRedactor(texts)
  const redactTicket: Redact = (ticket) => redactTexts(isTheirs(ticket as JsonObject) ? redactRecord(ticket as JsonObject, email) : ticket)
  const redactOrder: Redact = (order) => redactTexts(redactRecord(order as JsonObject, email))

  const now = await setChangeTime(connection)
  for (const person of people) {
    const updatedAt = now > person.updatedAt ? now : person.updatedAt
    const erased = customers.record.parse({ ...redactRecord(person, email), updatedAt })
    await connection.rows(sql`
      update ${customers.table} set record = ${JSON.stringify(erased)}::text::json
      where seller_id = ${seller} and id = ${person.id}`)
  }
  const [{ record } = { record: current }] = await readRecords(connection, customers.table, seller, sql`select ${id}`)
  for (const [name, stored] of [...orders, ...others])
    changed[name] = await rewriteRecords(connection, resources[name].table, seller, stored, redactOrder)
  changed.tickets = await rewriteRecords(connection, tickets, seller, owned, redactTicket)
  const ticketList = listIds(owned)
  await rewriteColumn(connection, seller, tickets.metadata as PgColumn, sql`id = any(${textArray(ticketList)})`, redactTexts)
  for (const column of [checkIns.reason, offlineScans.note]) {
    const isNoted = sql`ticket_id = any(${textArray(ticketList)}) and ${column} is not null or ${mentions(column, [...texts])}`
    await rewriteColumn(connection, seller, column, isNoted, redactTexts)
  }

  const ids = new Set(listIds(records))
  const ticketSet = new Set(ticketList)
  const recordIds = [...ids, ...ticketList]
  const gatewayIds = records.flatMap((item: JsonObject) => GATEWAY_IDS.flatMap((name) => (item[name] ? [String(item[name])] : [])))
  const all = [...texts]
  // A former email address can belong to someone else.
  const emails = [...currentTexts].filter((text) => text.includes('@'))
  // A copy that contains the name but none of these identifiers is about someone else.
  const identifiers = new Set([...recordIds, ...gatewayIds, ...emails].map((text) => text.toLowerCase()))
  const isAbout = (value: unknown) => [...walkTexts(value)].some((text) => identifiers.has(text.toLowerCase()))
  const redactRecords: Redact = (value) => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(redactRecords)
    const { id: recordId } = value as JsonObject
    if (ids.has(String(recordId))) return redactOrder(value)
    if (ticketSet.has(String(recordId))) return redactTicket(value)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redactRecords(inner)]))
  }
  /** Redacts an event or a stored response, which can contain values that are no longer in the records. */
  const redactCopy: Redact = (value) => (isAbout(value) ? redactTexts(redactRecords(value)) : value)
  const data = eventData('events')
  const isEvent = sql`${isEventAbout(recordIds)} or ${mentions(data, all)}`
  changed.events = await rewriteColumn(connection, seller, events.data as PgColumn, isEvent, redactCopy, data)
  const customersAtStripe = people.flatMap(({ gatewayCustomerId }) => (gatewayCustomerId ? [String(gatewayCustomerId)] : []))
  changed.stripe_events = await rewriteColumn(
    connection,
    seller,
    stripeEvents.payload as PgColumn,
    sql`links && ${textArray(gatewayIds)} or ${mentions(stripeEvents.payload as PgColumn, [...emails, ...customersAtStripe])}`,
    (payload) => (isAbout(payload) ? redactTexts(redactStripe(payload)) : payload),
  )
  const isResponse = mentions(idempotencyKeys.response, [...all, ...recordIds])
  changed.idempotency_keys = await rewriteColumn(connection, seller, idempotencyKeys.response, isResponse, redactCopy)
  // In a note about someone else, only the texts that identify the person are removed.
  const isNote = sql`record_id = any(${textArray(recordIds)}) or ${mentions(recordNotes.text, all)}`
  changed.record_notes = await rewriteColumn(connection, seller, recordNotes.text, isNote, redactTexts)
  changed.webhook_attempts = await removeResponses(connection, seller, recordIds)
  for (const column of [webhookAttempts.response, auditLog.subject, auditLog.details, savedViews.name] as PgColumn[]) {
    const name = getTableName(column.table)
    changed[name] = (changed[name] ?? 0) + (await rewriteColumn(connection, seller, column, mentions(column, all), redactTexts))
  }
  changed.saved_views = (changed.saved_views ?? 0) + (await deleteSearches(connection, seller, redactTexts))
  // Only orders that reference the customer: other orders may contain an email address that the person shares with someone else.
  const ownOrders = orderRecords.filter(({ customerId }) => customerIds.has(String(customerId).toLowerCase()))
  await rememberErasure(connection, seller, id, [
    ...people.map(getIdentifiers),
    ...ownOrders.map(({ customerEmail, billing }) => ({ emails: [customerEmail, billing?.email] })),
    ...[...theirTickets, ...otherRecords].map(({ id: recordId }) => ({ recordId })),
    ...bookings.map(({ id: bookingId, orderId }) => ({ bookingId, orderId })),
  ])
  await writeAudit(connection, { sellerId: seller, by, action: 'customer.erased', subject: id, recordId: id })
  return { record, changed }
}

/** Erases a person in a new transaction. Returns undefined if the seller has no such customer. */
export const eraseCustomerById = (seller: string, by: Editor, id: string): Promise<ErasureResult | undefined> =>
  database().transaction(
    async (connection) => {
      const current = await lockForErasure(connection, seller, id)
      return current === undefined ? undefined : eraseCustomer(connection, seller, by, current)
    },
    undefined,
    ERASURE_MS,
  )

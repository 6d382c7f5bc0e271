/** Erases a person from the copies of their records. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Connection } from '@/db/client'
import { auditLog, events, idempotencyKeys, recordNotes, savedViews, stripeEvents, webhookAttempts } from '@/db/schema'
import { textArray } from '../../core/sql'
import { eventData } from '../../events/event-data'
import type { Person } from './find-person'
import { isEventAbout, type PersonTexts } from './person-texts'
import { redactStripe, walkTexts } from './redact'
import { type JsonObject, listIds, mentionsAny, type Redactor, rewriteColumn } from './rewrite'

/**
 * Removes the responses to events about the given records, because a response may repeat a part of any version of a record, and to events
 * that have been deleted, because those may have been about the records.
 *
 * @returns the number of removed responses
 */
async function clearWebhookResponses({ rows }: Connection, seller: string, ids: string[]): Promise<number> {
  const removed = await rows(sql`
    update ${webhookAttempts} as attempt set response = null
    where seller_id = ${seller} and response is not null and (
      event_id in (select id from ${events} where seller_id = ${seller} and ${isEventAbout(ids)})
      or not exists (select from ${events} as event where event.seller_id = ${seller} and event.id = attempt.event_id))
    returning 1`)
  return removed.length
}

/** Deletes the saved views that search for the person, because they no longer find anything. @returns the number of deleted views */
async function deleteSearchViews({ rows }: Connection, seller: string, redact: Redactor): Promise<number> {
  const views = await rows<{ id: string; query: string }>(sql`select id, query from ${savedViews} where seller_id = ${seller}`)
  // Only the search term counts: a filter or a sort order may contain a short name by chance, as `sort=customer` contains Tom.
  const searches = views.filter(({ query }) => new URLSearchParams(query).getAll('search').some((search) => redact(search) !== search))
  if (searches.length > 0)
    await rows(sql`delete from ${savedViews} where seller_id = ${seller} and id = any(${textArray(searches.map(({ id }) => id))})`)
  return searches.length
}

const GATEWAY_IDS = ['gatewayPaymentIntentId', 'gatewayChargeId', 'gatewaySubscriptionId', 'gatewayCustomerId', 'invoiceId']

/** The functions that redact a person's texts, orders (and other records), and tickets. */
export type Redactors = Record<'texts' | 'record' | 'ticket', Redactor>

/** Returns a function that redacts the person's records wherever they occur in a value. */
function createRecordRedactor(person: Person, redactors: Redactors): Redactor {
  const recordIds = new Set(listIds([...person.customers, ...person.orders, ...person.others]))
  const ticketIds = new Set(listIds(person.tickets))
  const redact: Redactor = (value) => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(redact)
    const id = String((value as JsonObject).id)
    if (recordIds.has(id)) return redactors.record(value)
    if (ticketIds.has(id)) return redactors.ticket(value)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redact(inner)]))
  }
  return redact
}

/**
 * Erases a person from events, Stripe's payloads, stored responses, notes, saved views, webhook responses and the audit log.
 *
 * @returns the number of changed or deleted values by table
 */
export async function eraseCopies(
  connection: Connection,
  seller: string,
  person: Person,
  texts: PersonTexts,
  redactors: Redactors,
): Promise<Record<string, number>> {
  const changed: Record<string, number> = {}
  const rewrite = async (column: PgColumn, where: SQL, redact: Redactor, value?: SQL) => {
    const table = getTableName(column.table)
    changed[table] = (changed[table] ?? 0) + (await rewriteColumn(connection, seller, column, where, redact, value))
  }
  const all = [...texts.all]
  // A former email address may now belong to someone else.
  const emails = [...texts.current].filter((text) => text.includes('@'))
  const records: JsonObject[] = [...person.customers, ...person.orders, ...person.others]
  const gatewayIds = records.flatMap((record) => GATEWAY_IDS.flatMap((name) => (record[name] ? [String(record[name])] : [])))
  const recordIds = listIds([...person.customers, ...person.orders, ...person.others, ...person.tickets])
  // A copy that contains the name but none of these identifiers is about someone else.
  const identifiers = new Set([...recordIds, ...gatewayIds, ...emails].map((text) => text.toLowerCase()))
  const isAbout = (value: unknown) => [...walkTexts(value)].some((text) => identifiers.has(text.toLowerCase()))
  const redactRecords = createRecordRedactor(person, redactors)
  const redactCopy: Redactor = (value) => (isAbout(value) ? redactors.texts(redactRecords(value)) : value)

  const data = eventData('events')
  await rewrite(events.data as PgColumn, sql`${isEventAbout(recordIds)} or ${mentionsAny(data, all)}`, redactCopy, data)
  const payload = stripeEvents.payload as PgColumn
  const stripeCustomerIds = person.customers.flatMap(({ gatewayCustomerId }) => (gatewayCustomerId ? [String(gatewayCustomerId)] : []))
  // Old events about a subscription's invoices are no longer linked to it.
  const subscriptionIds = records.flatMap(({ gatewaySubscriptionId }) => (gatewaySubscriptionId ? [String(gatewaySubscriptionId)] : []))
  const mentioned = mentionsAny(payload, [...emails, ...stripeCustomerIds, ...subscriptionIds])
  await rewrite(payload, sql`links && ${textArray(gatewayIds)} or ${mentioned}`, (value) =>
    isAbout(value) ? redactors.texts(redactStripe(value)) : value,
  )
  await rewrite(idempotencyKeys.response, mentionsAny(idempotencyKeys.response, [...all, ...recordIds]), redactCopy)
  // In a note about someone else, only the texts that identify the person are removed.
  const isNote = sql`record_id = any(${textArray(recordIds)}) or ${mentionsAny(recordNotes.text, all)}`
  await rewrite(recordNotes.text, isNote, redactors.texts)
  changed.webhook_attempts = await clearWebhookResponses(connection, seller, recordIds)
  for (const column of [webhookAttempts.response, auditLog.subject, auditLog.details, savedViews.name] as PgColumn[])
    await rewrite(column, mentionsAny(column, all), redactors.texts)
  changed.saved_views = (changed.saved_views ?? 0) + (await deleteSearchViews(connection, seller, redactors.texts))
  return changed
}

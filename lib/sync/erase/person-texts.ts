/**
 * Collects the texts that identify a person, such as their names and addresses, from their records and from earlier versions of those
 * records.
 */
import { sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Connection } from '@/db/client'
import { events } from '@/db/schema'
import { mapInSlices } from '../../core/slices'
import { textArray } from '../../core/sql'
import type { Person } from './find-person'
import { createTextRedactor, identifyingTexts } from './redact'
import { type JsonObject, listIds, readColumn } from './rewrite'

/** Returns the condition that an event is about one of the records. @param ids the IDs of the records */
export const isEventAbout = (ids: string[]) => sql`coalesce(record_id, data ->> 'id') = any(${textArray(ids)})`

/** An earlier version of a record: its customer ID in lowercase, and the texts in it that identify a person. */
type Version = { id: string; customerId: string; texts: string[] }

/** Returns the earlier versions of the records with these IDs, which are stored with events. */
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

export type PersonTexts = {
  /** The texts in the current records. */
  current: ReadonlySet<string>
  /** The current texts and those in earlier versions of the records. */
  all: ReadonlySet<string>
  /** Whether one of the person's `tickets` is the person's own. A ticket of a person's booking may belong to another guest. */
  isOwnTicket(ticket: JsonObject): boolean
}

const listTexts = (records: readonly JsonObject[]) => records.flatMap((record) => [...identifyingTexts(record)])

/** Collects the texts that identify a person. */
export async function collectTexts(connection: Connection, seller: string, person: Person): Promise<PersonTexts> {
  const { customers, orders, others, tickets } = person
  const records: (JsonObject & { id: string })[] = [...customers, ...orders, ...others]
  const known = listTexts(records)
  const versions = await readVersions(connection, seller, listIds([...records, ...tickets]))
  const customerIds = new Set(listIds(customers))
  const former = versions.filter((version) => customerIds.has(version.id)).flatMap((version) => version.texts)

  const redactKnown = createTextRedactor(new Set([...known, ...former]))
  const isOwnTicket = ({ customerEmail, customerName }: JsonObject) =>
    [customerEmail, customerName].some((text) => text !== undefined && redactKnown(text) !== text)
  const ownTickets = tickets.filter(isOwnTicket)
  // The person's name may be spelled differently on a ticket.
  const current = new Set([...known, ...listTexts(ownTickets)])

  // An earlier version of an order or ticket may be about someone else, such as a guest who now has a different ticket.
  const ownIds = new Set(listIds([...orders, ...others, ...ownTickets]))
  const isOwnVersion = ({ id, customerId, texts }: Version) =>
    ownIds.has(id) && (customerIds.has(customerId) || texts.some((text) => redactKnown(text) !== text))
  const guestTexts = new Set(listTexts(tickets.filter((ticket) => !isOwnTicket(ticket))))
  const earlier = versions.filter(isOwnVersion).flatMap(({ texts }) => texts.filter((text) => !guestTexts.has(text)))
  return { current, all: new Set([...current, ...former, ...earlier]), isOwnTicket }
}

/** Stores digests that identify erased people, and redacts data about these people that is written later. */
import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { erasures } from '@/db/schema'
import { normalizeEmail } from '../../accounts/email'
import { waitForErasure } from '../../accounts/erasure-lock'
import { instantText, textTable } from '../../core/sql'
import { createTextRedactor, erasedEmail, identifyingTexts, parseErasedId, redactLaterRecord, redactStripe } from './redact'

/** The identifiers of a person. */
export type Identifiers = {
  /** The ID of one record, such as a ticket without an email address. */
  recordId?: string | undefined
  customerId?: string | undefined
  gatewayCustomerId?: string | undefined
  /** The ID and the order ID of a booking. Only tickets without an email address are compared with them. */
  bookingId?: string | undefined
  orderId?: string | undefined
  emails?: readonly (string | undefined)[]
}

/** Returns the texts whose digests identify a person. */
const listSubjects = ({ recordId, customerId, gatewayCustomerId, bookingId, orderId, emails = [] }: Identifiers): string[] => [
  ...(recordId ? [`record ${recordId.toLowerCase()}`] : []),
  ...(customerId ? [`customer ${customerId.toLowerCase()}`] : []),
  ...(gatewayCustomerId ? [`gateway ${gatewayCustomerId}`] : []),
  ...(bookingId ? [`booking ${bookingId}`] : []),
  ...(orderId ? [`order ${orderId}`] : []),
  ...emails.flatMap((email) => (email ? [`email ${normalizeEmail(email)}`] : [])),
]

const hashSubject = (subject: string, salt: Buffer) => createHmac('sha256', salt).update(subject).digest()

const readSalt = async ({ rows }: Connection, seller: string): Promise<Buffer | undefined> => {
  const [row] = await rows<{ salt: Buffer }>(sql`select salt from ${erasures} where seller_id = ${seller} limit 1`)
  return row?.salt
}

/** Stores the digests of an erased person. @param id the ID of the customer @param person the identifiers in the person's records */
export async function storeErasure(connection: Connection, seller: string, id: string, person: Identifiers[]): Promise<void> {
  const salt = (await readSalt(connection, seller)) ?? randomBytes(32)
  // Uses the current time instead of the start of the transaction, because a saved view or a note may have been deleted while the erasure
  // was running.
  const at = sql`statement_timestamp()`
  const subjects = [...new Set(person.flatMap(listSubjects))].map((subject) => hashSubject(subject, salt).toString('hex'))
  // One parameter for all digests, because a statement has at most 65,535 parameters and a person can have tens of thousands of tickets.
  await connection.rows(sql`
    insert into ${erasures} (seller_id, subject, salt, customer_id, at)
    select ${seller}, decode(line.subject, 'hex'), ${salt}, ${id}, ${at} from ${textTable({ subject: subjects })} as line
    on conflict (seller_id, subject) do update set at = excluded.at, customer_id = excluded.customer_id`)
}

/**
 * Returns, for each item, the ID of the erased customer that it is about, or undefined. An item created after the erasure is about the
 * customer only if it contains the email address that replaced the person's.
 */
async function findErased(
  connection: Connection,
  seller: string,
  items: readonly (Identifiers & { createdAt: string })[],
): Promise<(string | undefined)[]> {
  const salt = await readSalt(connection, seller)
  if (!salt) return items.map(({ emails = [] }) => emails.map(parseErasedId).find((id) => id !== undefined))
  const digests = items.map((item) => listSubjects(item).map((subject) => hashSubject(subject, salt).toString('hex')))
  const wanted = [...new Set(digests.flat())].join('\n')
  const found = await connection.rows<{ subject: string; customerId: string; at: string }>(sql`
    select encode(subject, 'hex') as subject, customer_id as "customerId", ${instantText(erasures.at)} as at from ${erasures}
    where seller_id = ${seller} and subject in (select decode(line, 'hex') from string_to_table(${wanted}::text, E'\n') as line)`)
  const erased = new Map(found.map((row) => [row.subject, row]))
  return items.map(({ createdAt, emails = [] }, index) => {
    const placeholder = emails.map(parseErasedId).find((id) => id !== undefined)
    const match = digests[index]?.flatMap((digest) => erased.get(digest) ?? []).find((row) => createdAt <= row.at)
    return placeholder ?? match?.customerId
  })
}

export type PersonalRecord = {
  id: string
  createdAt: string
  email?: string
  customerEmail?: string
  customerId?: string
  gatewayCustomerId?: string
  billing?: { email?: string }
}

/**
 * Returns the identifiers in a record: its ID, its customer's ID (its own ID if it is a customer), Stripe's customer ID, and email
 * addresses.
 */
export const getIdentifiers = ({ id, email, customerEmail, customerId, gatewayCustomerId, billing }: PersonalRecord): Identifiers => ({
  recordId: id,
  customerId: email === undefined ? customerId : id,
  gatewayCustomerId,
  emails: [email, customerEmail, billing?.email],
})

type PersonalRow = { record: string; metadata?: string }

/**
 * Redacts the records that are about an erased person according to `findErased`, and returns all rows. Call it in the transaction that
 * writes them, before any row is locked. After the call, no erasure can start until the transaction ends.
 *
 * @param rows rows whose `record` and `metadata` are JSON
 * @param identify returns the identifiers in each record
 */
export async function redactErased<R extends PersonalRow>(
  connection: Connection,
  seller: string,
  rows: R[],
  identify: (records: PersonalRecord[]) => Identifiers[] | Promise<Identifiers[]> = (records) => records.map(getIdentifiers),
): Promise<R[]> {
  await waitForErasure(connection, seller)
  const hasErasures = (await readSalt(connection, seller)) !== undefined
  if (!hasErasures) return rows
  const records = rows.map(({ record }) => JSON.parse(record) as PersonalRecord)
  const identifiers = await identify(records)
  const erased = await findErased(
    connection,
    seller,
    records.map(({ createdAt }, index) => ({ ...identifiers[index], createdAt })),
  )
  return rows.map((row, index) => {
    const [id, record] = [erased[index], records[index]]
    return id === undefined || !record ? row : redactRow(row, record, erasedEmail(id))
  })
}

/** Redacts a row. Removes its derived customer, so that the person's customer record is not created again. */
function redactRow<R extends PersonalRow>(row: R, record: PersonalRecord, email: string): R {
  const redacted = { ...row, record: JSON.stringify(redactLaterRecord(record, email)), customer: undefined }
  if (row.metadata === undefined) return redacted
  const redactTexts = createTextRedactor(identifyingTexts(record))
  return { ...redacted, metadata: JSON.stringify(redactTexts(JSON.parse(row.metadata))) }
}

type StripePayload = { created: number; data: { object: Record<string, unknown> } }

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined)

/**
 * Returns a Stripe event's payload, redacted if its object belongs to an erased person and was created before the erasure. Call it in the
 * transaction that stores the event, after `tryBlockErasures`.
 */
export async function redactErasedEvent(connection: Connection, seller: string, event: StripePayload, payload: string): Promise<string> {
  const { object, id, email, customer, receipt_email, customer_email, billing_details, created } = event.data.object
  const isCustomer = object === 'customer'
  const seconds = typeof created === 'number' ? created : event.created
  const identifiers: Identifiers = {
    gatewayCustomerId: asText(isCustomer ? id : customer),
    emails: [isCustomer && email, receipt_email, customer_email, (billing_details as { email?: unknown } | null | undefined)?.email].map(
      asText,
    ),
  }
  const [erased] = await findErased(connection, seller, [{ ...identifiers, createdAt: new Date(seconds * 1000).toISOString() }])
  return erased === undefined ? payload : JSON.stringify(redactStripe(JSON.parse(payload)))
}

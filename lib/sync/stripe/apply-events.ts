/** Creates and updates the records of a Stripe object from all of its events. */
import { createHash } from 'node:crypto'
import { type SQLWrapper, sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { auditLog, recordNotes } from '@/db/schema'
import { idDigest } from '@/db/schema/columns'
import { type ResourceName, resources } from '../../catalog'
import type { Resource } from '../../catalog/resource'
import { mapInSlices } from '../../core/slices'
import { textArray } from '../../core/sql'
import { describeIssue, formatIssuePath } from '../../core/validation-issue'
import { hasCode, lockCodes } from '../edit/coupons'
import { editedWith } from '../edit/edit-record'
import { clean, InvalidValueError } from '../writers/clean'
import { completeRecord } from '../writers/writer'
import { writerFor } from '../writers/writer-for'
import { couponPatches } from './coupon'
import { customerPatches } from './customer'
import type { StripeObject } from './objects'
import { applyPatches, toIsoTime } from './patch'
import { paymentPatches } from './payment'
import { listLinkedIds, type StripeEvent } from './stripe-event'
import { subscriptionPatches } from './subscription'

/** Thrown if an event cannot be processed. The message explains why, and contains no values from the event. */
export class InvalidEventError extends Error {
  override name = 'InvalidEventError'
}

type ObjectKind = {
  /** The resources that can contain records of this kind. New records are created in the first one. */
  tables: readonly [Resource, ...Resource[]]
  /** The kinds of Stripe objects that a record is created from. The record's `createdAt` is the earliest of their creation times. */
  createdBy: readonly StripeObject['object'][]
  /** Returns the changes that the events make to a record, in increasing order of precedence. */
  patches: (events: StripeEvent[]) => Record<string, unknown>[]
  /** Required members of a new record that Stripe does not provide. */
  defaults?: (gatewayId: string) => Record<string, unknown>
  /** A required member that Stripe does not always provide. No record is created until an event contains it. */
  requiredMember?: string
}

export type KindName = 'payment' | 'subscription' | 'coupon' | 'customer'

const KINDS: Record<KindName, ObjectKind> = {
  payment: {
    // An imported booking may have been paid with the same payment intent.
    tables: [resources.payments, resources.bookings],
    createdBy: ['payment_intent', 'charge'],
    patches: paymentPatches,
  },
  subscription: {
    tables: [resources.subscriptions],
    createdBy: ['subscription'],
    patches: subscriptionPatches,
  },
  coupon: {
    tables: [resources.coupons],
    createdBy: ['coupon'],
    patches: couponPatches,
    defaults: (gatewayId) => ({ label: gatewayId, code: gatewayId }),
  },
  customer: {
    tables: [resources.customers],
    createdBy: ['customer'],
    patches: customerPatches,
    requiredMember: 'email',
  },
}

/** Returns the kinds of Stripe objects whose records can belong to a resource. */
export const listKinds = (name: ResourceName): KindName[] =>
  (Object.keys(KINDS) as KindName[]).filter((kind) => KINDS[kind].tables.some((resource) => resource.name === name))

/** Returns the resource of new records of a kind. */
export const getResource = (name: KindName): Resource => KINDS[name].tables[0]

/** Returns a member's name, or those of its parts if a later value may replace only some of them (see `applyPatches`). */
const listParts = (name: string, value: unknown): string[] =>
  (name === 'billing' || name === 'address') && value
    ? Object.entries(value).flatMap(([part, inner]) => listParts(part, inner).map((inside) => `${name}.${inside}`))
    : [name]

/** Returns the names of the members that an event sets, in records of all kinds, and the Stripe IDs that it connects its object to. */
export function listMembers(event: StripeEvent): string[] {
  const patches = Object.values(KINDS).flatMap((kind) => kind.patches([event]))
  return [...patches.flatMap(Object.entries<unknown>).flatMap(([name, value]) => listParts(name, value)), ...listLinkedIds(event)]
}

/** Returns the ID for a record created from events, which depends only on the seller and the Stripe ID. */
export const deriveId = (seller: string, gatewayId: string) =>
  createHash('sha256').update(`${seller} ${gatewayId}`).digest('hex').slice(0, 24)

/** The maximum number of records with the same Stripe ID. Without this limit, one event could rewrite any number of records. */
const MAX_RECORDS = 1000

type FoundRecord = {
  resource: Resource
  /** The record with its secret members. */
  record: Record<string, unknown>
  /** The members that were set manually, which events do not change. */
  edited: readonly string[]
}

type StoredRow = { record: string; secrets?: string | null; edited?: string[] | null | undefined }

/** Parses a stored or imported row. */
export const parseRow = (resource: Resource, { record, secrets, edited }: StoredRow): FoundRecord => ({
  resource,
  record: { ...JSON.parse(record), ...JSON.parse(secrets ?? '{}') },
  edited: edited ?? [],
})

const storedColumns = ({ table }: Resource) =>
  sql`${table.record}::text as record, ${table.secrets}::text as secrets, ${'edited' in table ? table.edited : sql`null::text[]`} as edited`

/** Finds and locks a coupon that was created manually with a Stripe ID as its code, so that it is merged with Stripe's coupon. */
async function findManualCoupon({ rows }: Connection, seller: string, code: string): Promise<FoundRecord[]> {
  const { coupons } = resources
  const found = await rows<StoredRow>(sql`
    select ${storedColumns(coupons)} from ${coupons.table}
    where ${hasCode(seller, code)} and 'code' = any(${coupons.table.edited}) and ${coupons.table.gatewayId} is null
      and ${coupons.table.record} ->> 'deleted' = 'false'
    limit 1 for no key update`)
  return found.map((row) => parseRow(coupons, row))
}

/** Returns whether all of a Stripe coupon's records are deleted, but the coupon exists in Stripe, where an ID can be used again. */
const isRecreated = (found: FoundRecord[], events: StripeEvent[]): boolean =>
  found.every(({ record }) => record.deleted === true) && events.at(-1)?.type !== 'coupon.deleted'

/**
 * Returns the condition that a record has the given Stripe ID. It also compares digests of the IDs, because the index contains only those.
 */
const hasGatewayId = ({ table }: Resource, seller: string, gatewayId: SQLWrapper | string) =>
  sql`(${idDigest(table.sellerId, table.gatewayId)} = ${idDigest(seller, gatewayId)} and ${table.gatewayId} = ${gatewayId})`

/**
 * Finds and locks the record created for a Stripe object and all imported records with its ID, such as a booking and its payment.
 *
 * @throws {InvalidEventError} if more than `MAX_RECORDS` records have the ID
 */
async function findRecords({ rows }: Connection, seller: string, { tables }: ObjectKind, gatewayId: string): Promise<FoundRecord[]> {
  const id = deriveId(seller, gatewayId)
  const found: FoundRecord[] = []
  for (const resource of tables) {
    const matching = await rows<StoredRow>(sql`
      select ${storedColumns(resource)} from ${resource.table}
      where ${resource.table.sellerId} = ${seller} and (${resource.table.id} = ${id} or ${hasGatewayId(resource, seller, gatewayId)})
      order by ${resource.table.id} limit ${MAX_RECORDS + 1} for no key update`)
    found.push(...matching.map((row) => parseRow(resource, row)))
  }
  if (found.length > MAX_RECORDS) throw new InvalidEventError(`more than ${MAX_RECORDS} records have the Stripe ID of the event’s object`)
  return found
}

/** Returns which of the Stripe IDs also belong to records other than the given ones. @param ids the IDs of the given records */
export async function findSharedIds(
  { rows }: Connection,
  seller: string,
  kind: KindName,
  gatewayIds: string[],
  { name, ids }: { name: ResourceName; ids: string[] },
): Promise<string[]> {
  const derivedIds = gatewayIds.map((gatewayId) => deriveId(seller, gatewayId))
  const shared = new Set<string>()
  for (const resource of KINDS[kind].tables) {
    const { table } = resource
    const found = await rows<{ gatewayId: string }>(sql`
      select named.gateway_id as "gatewayId"
      from unnest(${textArray(gatewayIds)}, ${textArray(derivedIds)}) as named(gateway_id, derived_id)
      where exists (
        select from ${table} where ${table.sellerId} = ${seller}
          and (${table.id} = named.derived_id or ${hasGatewayId(resource, seller, sql`named.gateway_id`)})
          and ${table.id} <> all(${textArray(resource.name === name ? ids : [])}))`)
    for (const { gatewayId } of found) shared.add(gatewayId)
  }
  return gatewayIds.filter((gatewayId) => shared.has(gatewayId))
}

const minTime = (a: string, b: unknown) => (typeof b === 'string' && b < a ? b : a)
const maxTime = (a: string, b: unknown) => (typeof b === 'string' && b > a ? b : a)

/**
 * Returns the `createdAt` of a record: the creation time of its earliest Stripe object or, if the record was imported or none of the events
 * create a record, its current `createdAt`.
 */
function findCreatedAt(creating: StripeEvent[], id: string, record: Record<string, unknown>): unknown {
  const [first] = creating.map(({ object }) => object.created).sort((a, b) => a - b)
  return first === undefined || (record.id !== undefined && record.id !== id)
    ? record.createdAt
    : minTime(toIsoTime(first), record.createdAt)
}

/** Validates a record. @throws {InvalidEventError} */
function validate(resource: Resource, line: Record<string, unknown>): Record<string, unknown> {
  try {
    const record = clean(line)
    const checked = resource.record.safeParse(record)
    if (checked.success) return checked.data
    const [issue] = checked.error.issues
    throw new InvalidEventError(
      issue ? `${resource.name}: ${formatIssuePath(issue)} ${describeIssue(issue, record)}` : `${resource.name}: is not valid`,
    )
  } catch (error) {
    throw error instanceof InvalidValueError ? new InvalidEventError(`${resource.name}: ${error.path} ${error.reason}`) : error
  }
}

/** Returns the members of a record that were set manually. */
const pickEdited = ({ record, edited }: FoundRecord) => Object.fromEntries(edited.map((member) => [member, record[member]]))

/** Locks and returns the stored records of rows, by ID, if they can have manually edited members. */
export async function readEdited(
  { rows }: Connection,
  seller: string,
  resource: Resource,
  lines: readonly { id: string }[],
): Promise<Map<unknown, FoundRecord>> {
  const { table } = resource
  if (!('edited' in table)) return new Map()
  const found = await rows<StoredRow>(sql`
    select ${storedColumns(resource)} from ${table}
    where ${table.sellerId} = ${seller} and ${table.id} = any(${textArray(lines.map(({ id }) => id))})
    order by ${table.id} for no key update`)
  return new Map(found.map((row) => parseRow(resource, row)).map((stored) => [stored.record.id, stored]))
}

/** Returns an imported record with the values of the stored record's manually edited members, and with its `updatedAt` if that is later. */
export function keepEdited(imported: FoundRecord, stored: FoundRecord | undefined): FoundRecord {
  if (!stored || stored.edited.length === 0) return imported
  const updatedAt = maxTime(String(stored.record.updatedAt), imported.record.updatedAt)
  return { ...imported, record: { ...imported.record, ...pickEdited(stored), updatedAt }, edited: stored.edited }
}

/**
 * Returns the order ID of an imported record, unless it is from the events. Other events do not change it, because a booking's tickets may be
 * found by it.
 */
const pickOwnOrderId = (derivedId: string, { id, orderId }: Record<string, unknown>, patches: readonly Record<string, unknown>[]) =>
  id !== derivedId && orderId && !patches.some((patch) => patch.orderId === orderId) ? { orderId } : {}

/** A record to write. */
type Line = { resource: Resource; line: Record<string, unknown> }

/** Returns whether records of this kind are created from an event's object. */
const isCreating = (name: KindName, { object }: StripeEvent) => KINDS[name].createdBy.includes(object.object)

/**
 * Applies all events of a Stripe object to its records, without writing them. A member is unchanged if no patch contains it, if it was
 * edited manually, or if it is an imported record's own order ID.
 *
 * @param events every known event about the object, in order
 * @param overrides values that take precedence over those in the patches
 * @throws {InvalidEventError} if the result is not a valid record
 */
export async function patchRecords(
  seller: string,
  name: KindName,
  gatewayId: string,
  events: StripeEvent[],
  records: FoundRecord[],
  overrides: Record<string, unknown> = {},
): Promise<Line[]> {
  const id = deriveId(seller, gatewayId)
  const creating = events.filter((event) => isCreating(name, event))
  const patches = KINDS[name].patches(events)
  const newest = toIsoTime(Math.max(...events.map(({ created }) => created)))
  return mapInSlices(records, (found) => {
    const { resource, record } = found
    const times = { createdAt: findCreatedAt(creating, id, record), updatedAt: maxTime(newest, record.updatedAt) }
    const kept = pickOwnOrderId(id, record, patches)
    const line = { ...applyPatches(record, patches), ...kept, ...overrides, ...pickEdited(found), ...times }
    completeRecord(line, seller)
    return { resource, line: validate(resource, line) }
  })
}

/**
 * Deletes a record that imported records replace. Moves its notes and audit log entries to the first imported record, and marks its edited
 * members as edited in all imported records.
 */
async function deleteReplaced(
  { rows }: Connection,
  seller: string,
  { resource, record, edited }: FoundRecord,
  lines: Line[],
): Promise<void> {
  const { name, table } = resource
  const [first] = lines
  if (first) {
    const newId = first.line.id
    await rows(sql`
      update ${recordNotes} set resource = ${first.resource.name}, record_id = ${newId}
      where seller_id = ${seller} and resource = ${name} and record_id = ${record.id}`)
    // In entries about a note or a customer, the subject is the record's ID.
    await rows(sql`
      update ${auditLog} set record_id = ${newId}, subject = case subject when ${record.id} then ${newId} else subject end
      where seller_id = ${seller} and record_id = ${record.id}`)
  }
  if (edited.length > 0)
    await rows(sql`
      update ${table} set edited = ${editedWith(edited)}
      where seller_id = ${seller} and id = any(${textArray(lines.map(({ line }) => String(line.id)))})`)
  await rows(sql`delete from ${table} where seller_id = ${seller} and id = ${record.id}`)
}

/**
 * Creates or updates the records of a Stripe object from all of its events. Neither the order of arrival nor repetition matters.
 *
 * @param events every known event about the object, in order
 * @param isReplacing whether imported records replace a record that was created from events
 * @throws {InvalidEventError} if too many records have the Stripe ID or a result is not a valid record; in both cases, nothing is written
 */
export async function applyEvents(
  connection: Connection,
  seller: string,
  name: KindName,
  gatewayId: string,
  events: StripeEvent[],
  isReplacing = false,
): Promise<void> {
  const kind = KINDS[name]
  const id = deriveId(seller, gatewayId)
  if (name === 'coupon') await lockCodes(connection, seller, [gatewayId])
  const stored = await findRecords(connection, seller, kind, gatewayId)
  const replaced = isReplacing ? stored.find(({ resource, record }) => resource === getResource(name) && record.id === id) : undefined
  const found = stored.filter((candidate) => candidate !== replaced)
  if (name === 'coupon' && (found.length === 0 || isRecreated(found, events)))
    found.push(...(await findManualCoupon(connection, seller, gatewayId)))
  if (found.length === 0) {
    const lacksMember = kind.requiredMember !== undefined && !applyPatches({}, kind.patches(events))[kind.requiredMember]
    if (isReplacing || lacksMember || !events.some((event) => isCreating(name, event))) return
    found.push({ resource: getResource(name), record: { id, ...kind.defaults?.(gatewayId) }, edited: [] })
  }
  const lines = await patchRecords(seller, name, gatewayId, events, found, replaced && pickEdited(replaced))
  if (replaced) await deleteReplaced(connection, seller, replaced, lines)
  for (const resource of kind.tables) {
    const writer = writerFor(resource)
    const rows = lines.filter((line) => line.resource === resource).map(({ line }) => writer.toRow(line))
    if (rows.length > 0) await writer.write(connection, seller, rows)
  }
}

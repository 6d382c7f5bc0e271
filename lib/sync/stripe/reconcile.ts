/** Reconciles imported records with Stripe's events about the same objects: each object has one record, whichever arrives first. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { type ResourceName, resources } from '../../catalog'
import type { Resource } from '../../catalog/resource'
import { log } from '../../core/log'
import { textArray } from '../../core/sql'
import { redactErased } from '../erase/erased-people'
import type { Row } from '../writers/writer'
import { writerFor } from '../writers/writer-for'
import {
  applyEvents,
  deriveId,
  findSharedIds,
  getResource,
  InvalidEventError,
  type KindName,
  kindsIn,
  patchRecords,
  toFound,
} from './apply-events'
import type { StripeEvent } from './event'
import { RETENTION_DAYS } from './events'
import { readProcessedEvents } from './related-events'

/** Returns the Stripe IDs in the given records for which there are processed events. */
export async function findMentionedIds(
  connection: Connection,
  seller: string,
  name: ResourceName,
  rows: Pick<Row, 'record'>[],
): Promise<string[]> {
  const { gatewayId = '' }: Resource = resources[name]
  const ids = new Set(rows.map(({ record }) => (JSON.parse(record) as Record<string, unknown>)[gatewayId]))
  const named = [...ids].filter((id) => typeof id === 'string' && id !== '') as string[]
  if (named.length === 0) return []
  const found = await connection.rows<{ id: string }>(sql`
    select named.id from unnest(${textArray(named)}) as named(id)
    where exists (select from ${stripeEvents} where seller_id = ${seller} and state = 'done' and links @> array[named.id])
    order by named.id`)
  return found.map(({ id }) => id)
}

/** Returns the manually edited members of stored records, by ID. */
async function readEdited(connection: Connection, seller: string, { table }: Resource, rows: Row[]): Promise<Map<string, string[]>> {
  if (!('edited' in table)) return new Map()
  const found = await connection.rows<{ id: string; edited: string[] }>(sql`
    select id, edited from ${table} where seller_id = ${seller} and id = any(${textArray(rows.map(({ id }) => id))})`)
  return new Map(found.map(({ id, edited }) => [id, edited]))
}

/** Runs `apply` with an object's stored events, if there are any. If they do not fit the records, logs a warning. */
async function withStoredEvents(
  connection: Connection,
  seller: string,
  kind: KindName,
  gatewayId: string,
  apply: (events: StripeEvent[]) => Promise<void>,
): Promise<void> {
  try {
    const events = await readProcessedEvents(connection, seller, kind, gatewayId)
    if (events.length > 0) await apply(events)
  } catch (error) {
    if (!(error instanceof InvalidEventError)) throw error
    log().warn({ seller, kind, reason: error.message }, 'Stripe events do not fit the imported record')
  }
}

/**
 * Returns imported rows with stored events applied, so that a row whose record is already up to date changes nothing when it is written. If
 * an event does not fit a record, its row is returned as imported, and a warning is logged. Call it in the transaction that writes the rows,
 * after it has locked the seller's account and before any row is locked.
 *
 * @param gatewayIds the Stripe IDs that `findMentionedIds` returned
 */
export async function applyStoredEvents(
  connection: Connection,
  seller: string,
  name: ResourceName,
  gatewayIds: string[],
  rows: Row[],
): Promise<Row[]> {
  if (gatewayIds.length === 0) return rows
  const resource: Resource = resources[name]
  // An event can replace the email address by which an erased person is recognized.
  const redacted = await redactErased(connection, seller, rows)
  const edited = await readEdited(connection, seller, resource, redacted)
  const found = redacted.map((row) => toFound(resource, { ...row, edited: edited.get(row.id) }))
  const patched = new Map<unknown, Row>()
  for (const kind of kindsIn(name)) {
    for (const gatewayId of gatewayIds) {
      const records = found.filter(({ record }) => record[resource.gatewayId ?? ''] === gatewayId)
      await withStoredEvents(connection, seller, kind, gatewayId, async (events) => {
        const lines = await patchRecords(seller, kind, gatewayId, events, records)
        for (const { line } of lines) patched.set(line.id, writerFor(resource, 'import').toRow(line))
      })
    }
  }
  return redacted.map((row) => patched.get(row.id) ?? row)
}

/**
 * Returns the IDs of records that were created from events about the given objects and can be replaced. Replacing older records would lose
 * data, because some of their events might have been deleted.
 */
async function findReplaceable({ rows }: Connection, seller: string, kind: KindName, gatewayIds: string[]): Promise<Set<string>> {
  const ids = gatewayIds.map((gatewayId) => deriveId(seller, gatewayId))
  const found = await rows<{ id: string }>(sql`
    select id from ${getResource(kind).table} where seller_id = ${seller} and id = any(${textArray(ids)})
      and created_at > now() - make_interval(days => ${RETENTION_DAYS}::int)`)
  return new Set(found.map(({ id }) => id))
}

/**
 * Applies stored events to all records of the given Stripe objects, in the transaction that wrote imported records and locked the seller's
 * account. The imported records replace records that were created from the events. If an event does not fit a record, all records of its
 * object are unchanged, and a warning is logged.
 *
 * @param ids the IDs of the imported records
 */
export async function reconcile(
  connection: Connection,
  seller: string,
  kind: KindName,
  gatewayIds: string[],
  ids: string[],
): Promise<void> {
  if (gatewayIds.length === 0) return
  const replaceable = await findReplaceable(connection, seller, kind, gatewayIds)
  for (const gatewayId of gatewayIds) {
    const ownId = deriveId(seller, gatewayId)
    await withStoredEvents(connection, seller, kind, gatewayId, (events) =>
      applyEvents(connection, seller, kind, gatewayId, events, replaceable.has(ownId) && !ids.includes(ownId)),
    )
  }
}

/** Reconciles the rows that `applyStoredEvents` returned with other records of the same Stripe objects, after the rows have been written. */
export async function reconcileOthers(
  connection: Connection,
  seller: string,
  name: ResourceName,
  gatewayIds: string[],
  ids: string[],
): Promise<void> {
  if (gatewayIds.length === 0) return
  for (const kind of kindsIn(name)) {
    const shared = await findSharedIds(connection, seller, kind, gatewayIds, { name, ids })
    await reconcile(connection, seller, kind, shared, ids)
  }
}

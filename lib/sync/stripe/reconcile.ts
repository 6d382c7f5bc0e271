/** Reconciles imported records with Stripe's events about the same objects, so that it does not matter which arrives first. */
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
  keepEdited,
  listKinds,
  parseRow,
  patchRecords,
  readEdited,
} from './apply-events'
import { readProcessedEvents } from './related-events'
import { RETENTION_DAYS } from './retention'
import type { StripeEvent } from './stripe-event'

/** Returns the Stripe IDs in the given rows that appear in processed events. The resource's `gatewayId` names the field with the ID. */
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

/** Runs `apply` with an object's processed events, if there are any. If they cannot be applied, only logs a warning. */
async function withProcessedEvents(
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
    log().warn({ seller, kind, reason: error.message }, 'could not apply Stripe events to imported records')
  }
}

/**
 * Applies processed events to imported rows, so that writing an outdated row does not undo changes that events have already made to the
 * stored record, and keeps the values of the stored record's manually edited members. If there are such events, first redacts rows about
 * erased people. Call this in the transaction that writes the rows, after locking the seller's Stripe account and before locking any row.
 *
 * @param gatewayIds the Stripe IDs that `findMentionedIds` returned
 * @returns all rows. If the events about an object cannot be applied, its rows are returned unchanged, and a warning is logged
 */
export async function applyProcessedEvents(
  connection: Connection,
  seller: string,
  name: ResourceName,
  gatewayIds: string[],
  rows: Row[],
): Promise<Row[]> {
  if (gatewayIds.length === 0) return rows
  const resource: Resource = resources[name]
  // An event may replace the email address that identifies an erased person.
  const redacted = await redactErased(connection, seller, rows)
  const edited = await readEdited(connection, seller, resource, redacted)
  const found = redacted.map((row) => keepEdited(parseRow(resource, row), edited.get(row.id)))
  const patched = new Map<unknown, Row>()
  for (const kind of listKinds(name)) {
    for (const gatewayId of gatewayIds) {
      const records = found.filter(({ record }) => record[resource.gatewayId ?? ''] === gatewayId)
      await withProcessedEvents(connection, seller, kind, gatewayId, async (events) => {
        const lines = await patchRecords(seller, kind, gatewayId, events, records)
        for (const { line } of lines) patched.set(line.id, writerFor(resource).toRow(line))
      })
    }
  }
  return redacted.map((row) => patched.get(row.id) ?? row)
}

/**
 * Returns the IDs of the records that were created from events about the given objects and can be replaced: those that are at most
 * `RETENTION_DAYS` days old. Replacing older ones would lose data, because some of their events might have been deleted.
 */
async function findReplaceable({ rows }: Connection, seller: string, kind: KindName, gatewayIds: string[]): Promise<Set<string>> {
  const ids = gatewayIds.map((gatewayId) => deriveId(seller, gatewayId))
  const found = await rows<{ id: string }>(sql`
    select id from ${getResource(kind).table} where seller_id = ${seller} and id = any(${textArray(ids)})
      and created_at > now() - make_interval(days => ${RETENTION_DAYS}::int)`)
  return new Set(found.map(({ id }) => id))
}

/**
 * Applies processed events to all records of the given Stripe objects. A record that was created from the events is replaced by the
 * object's imported records, unless it is too old (see `findReplaceable`) or was itself imported. If the events about an object cannot be
 * applied, its records are unchanged, and a warning is logged. Call this in the transaction that wrote the imported records, after locking
 * the seller's Stripe account.
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
    const derivedId = deriveId(seller, gatewayId)
    await withProcessedEvents(connection, seller, kind, gatewayId, (events) =>
      applyEvents(connection, seller, kind, gatewayId, events, replaceable.has(derivedId) && !ids.includes(derivedId)),
    )
  }
}

/** Reconciles the Stripe objects that rows share with other records, after the rows have been written. @param ids the IDs of the rows */
export async function reconcileSharedObjects(
  connection: Connection,
  seller: string,
  name: ResourceName,
  gatewayIds: string[],
  ids: string[],
): Promise<void> {
  if (gatewayIds.length === 0) return
  for (const kind of listKinds(name)) {
    const shared = await findSharedIds(connection, seller, kind, gatewayIds, { name, ids })
    await reconcile(connection, seller, kind, shared, ids)
  }
}

/** Creates, changes, deletes and lists webhook endpoints, for the API and the settings. */
import { type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { sellers, webhookAttempts, webhookDeliveries, webhookEndpoints } from '@/db/schema'
import { type Changes, changesBetween, type Editor, writeAudit } from '../accounts/audit'
import type { WebhookEndpoint } from '../catalog/webhook-endpoint'
import type { createEndpointBody, updateEndpointBody } from '../catalog/webhook-operations'
import { ApiError } from '../core/errors'
import { newObjectId } from '../core/object-id'
import { PURGE_BATCH } from '../core/purge'
import { seal } from '../core/seal'
import { instantText, textArray } from '../core/sql'
import { type AssembledList, listAssembled } from '../listing/assembled-list'
import { changeLocked } from '../sync/edit/edit-record'
import { generateSecret } from './sign'

/** The maximum number of a seller's endpoints. More would slow down every change, because each event can have a delivery per endpoint. */
const MAX_ENDPOINTS = 16
/** How long the old secret is still used for signing after a rotation. */
const OLD_SECRET_LIFETIME = sql`interval '24 hours'`

/** An endpoint as the API returns it. */
const RECORD = sql`json_strip_nulls(json_build_object('id', id, 'url', url, 'events', to_json(events), 'description', description, 'enabled', enabled,
  'failingSince', ${instantText(sql`failing_since`)}, 'disabledReason', disabled_reason,
  'createdAt', ${instantText(sql`created_at`)}, 'updatedAt', ${instantText(sql`updated_at`)}))::text`

const isEndpoint = (sellerId: string, id: string) => sql`seller_id = ${sellerId} and id = ${id}`

type Row = { record: string }

/** Returns an endpoint's JSON, or undefined if the seller has no such endpoint. @param lock a locking clause */
const readEndpoint = async ({ rows }: Connection, sellerId: string, id: string, lock = sql``): Promise<string | undefined> =>
  (await rows<Row>(sql`select ${RECORD} as record from ${webhookEndpoints} where ${isEndpoint(sellerId, id)} ${lock}`))[0]?.record

/** Returns an endpoint's JSON, or undefined if the seller has no such endpoint. */
export const findEndpoint = (sellerId: string, id: string) => database().use((connection) => readEndpoint(connection, sellerId, id))

/** Locks an endpoint until the transaction ends. Returns its JSON, or undefined if the seller has no such endpoint. */
export const lockEndpoint = (connection: Connection, sellerId: string, id: string) =>
  readEndpoint(connection, sellerId, id, sql`for no key update`)

export const endpointList: AssembledList = {
  table: webhookEndpoints,
  recordName: 'webhook endpoint',
  columns: (row) => sql`(select ${RECORD} from (select (${row}).*) as endpoint) as record, null as secrets`,
}

/** Returns all endpoints of a seller, newest first. */
export const listAllEndpoints = async (sellerId: string): Promise<WebhookEndpoint[]> =>
  (await listAssembled(endpointList, sellerId, { limit: MAX_ENDPOINTS })).rows.map((pieces) => parse(Buffer.concat(pieces).toString()))

const parse = (record: string) => JSON.parse(record) as WebhookEndpoint

const withSecret = (record: string, secret: string) => JSON.stringify({ ...parse(record), secret })

/** Runs a statement that creates or changes an endpoint. Returns the endpoint's JSON. */
async function writeEndpoint({ rows }: Connection, statement: SQL): Promise<string> {
  const [endpoint] = await rows<Row>(sql`${statement} returning ${RECORD} as record`)
  if (!endpoint) throw new Error('The webhook endpoint does not exist.')
  return endpoint.record
}

type NewEndpoint = z.output<typeof createEndpointBody>
type EndpointPatch = z.output<typeof updateEndpointBody>

/**
 * Creates an endpoint.
 *
 * @returns its JSON with the secret, which cannot be read again
 * @throws {ApiError} `body_invalid` if the seller already has `MAX_ENDPOINTS` endpoints
 */
export async function createEndpoint(connection: Connection, sellerId: string, by: Editor, endpoint: NewEndpoint): Promise<string> {
  const { url, events, description, enabled = true } = endpoint
  // Serialized per seller, so that concurrent calls count each other's endpoints.
  await connection.rows(sql`select 1 from ${sellers} where id = ${sellerId} for no key update`)
  const existing = await connection.rows(sql`select 1 from ${webhookEndpoints} where seller_id = ${sellerId}`)
  if (existing.length >= MAX_ENDPOINTS)
    throw new ApiError('body_invalid', `You already have ${MAX_ENDPOINTS} webhook endpoints, which is the maximum. Delete one first.`)
  const id = `we_${newObjectId()}`
  const secret = generateSecret()
  const record = await writeEndpoint(
    connection,
    sql`
    insert into ${webhookEndpoints} (seller_id, id, url, events, description, enabled, secret)
    values (${sellerId}, ${id}, ${url}, ${textArray(events)}, ${description ?? null}, ${enabled}::bool, ${await seal(secret, sellerId)})`,
  )
  const changes = { events: { after: events } }
  await writeAudit(connection, { sellerId, by, action: 'webhook.created', subject: url, changes })
  return withSecret(record, secret)
}

/** Returns the values of an endpoint that the audit log contains. */
const toAuditValues = ({ url, events, description, enabled }: Pick<WebhookEndpoint, 'url' | 'events' | 'description' | 'enabled'>) => ({
  url,
  events,
  description: description ?? null,
  enabled: String(enabled),
})

/** Returns a statement that marks deliveries as failed. @param places selects the physical locations of at most `PURGE_BATCH` deliveries */
const createFailStatement = (places: SQL) =>
  sql`update ${webhookDeliveries} set state = 'failed' where ctid = any(array(${places})) returning 1`
const PENDING = sql`select delivery.ctid from ${webhookDeliveries} as delivery`
/**
 * Skips rows that other transactions have locked. Each statement reads rows in its own order, so waiting for locked rows could end in a
 * deadlock.
 */
const BATCH = sql`limit ${PURGE_BATCH} for no key update of delivery skip locked`

/**
 * Fails up to `PURGE_BATCH` pending deliveries of an endpoint. An endpoint that hangs for days can have so many that a statement for all of
 * them would time out. `failDeliveriesOfDisabledEndpoints` fails the others, and those that another transaction has locked.
 */
export const failPending = ({ rows }: Connection, sellerId: string, id: string) =>
  rows(createFailStatement(sql`${PENDING} where seller_id = ${sellerId} and endpoint_id = ${id} and state = 'pending' ${BATCH}`))

const FAIL_PENDING_OF_DISABLED = createFailStatement(sql`
  select pending.* from ${webhookEndpoints} as endpoint cross join lateral (
    ${PENDING} where delivery.seller_id = endpoint.seller_id and delivery.endpoint_id = endpoint.id and delivery.state = 'pending' ${BATCH}) as pending
  where not endpoint.enabled limit ${PURGE_BATCH}`)

/** Fails up to `PURGE_BATCH` pending deliveries of disabled endpoints. The limit keeps a backlog from delaying other endpoints. */
export const failDeliveriesOfDisabledEndpoints = () => database('jobs').query(FAIL_PENDING_OF_DISABLED)

/** Changes a locked endpoint. If this enables or disables it, fails pending deliveries, like `failPending`. @returns its JSON */
export async function updateEndpoint(
  connection: Connection,
  sellerId: string,
  by: Editor,
  current: string,
  patch: EndpointPatch,
): Promise<string> {
  const before = parse(current)
  const description = patch.description === undefined ? before.description : (patch.description ?? undefined)
  const after = { ...before, ...patch, description } as WebhookEndpoint
  const changes: Changes | undefined = changesBetween(toAuditValues(before), toAuditValues(after))
  const isReenabled = patch.enabled === true && (!before.enabled || before.failingSince !== undefined)
  if (!changes && !isReenabled) return current
  const sets: SQL[] = [
    sql`url = ${after.url}, events = ${textArray(after.events)}, description = ${after.description ?? null}, enabled = ${after.enabled}::bool`,
    ...(isReenabled ? [sql`disabled_reason = null`] : []),
    // The failures at the old URL do not count against the new one.
    ...(isReenabled || after.url !== before.url ? [sql`failing_since = null`] : []),
  ]
  const record = await writeEndpoint(
    connection,
    sql`update ${webhookEndpoints} set ${sql.join(sets, sql`, `)}, updated_at = clock_timestamp() where ${isEndpoint(sellerId, before.id)}`,
  )
  // Pending deliveries also fail if the endpoint is enabled: a transaction that did not see it being disabled may have added some.
  if (after.enabled !== before.enabled) await failPending(connection, sellerId, before.id)
  await writeAudit(connection, { sellerId, by, action: 'webhook.changed', subject: before.url, changes: changes ?? {} })
  return record
}

/**
 * Deletes a locked endpoint, at most `PURGE_BATCH` of its deliveries, and as many of its attempts. `purgeDeliveries` deletes the other
 * deliveries, and the other attempts once they expire.
 */
export async function deleteEndpoint(connection: Connection, sellerId: string, by: Editor, current: string): Promise<void> {
  const { id, url } = parse(current)
  for (const table of [webhookAttempts, webhookDeliveries]) {
    await connection.rows(sql`
      delete from ${table} where ctid = any(array(
        select ctid from ${table} where seller_id = ${sellerId} and endpoint_id = ${id} limit ${PURGE_BATCH} for update skip locked))`)
  }
  await connection.rows(sql`delete from ${webhookEndpoints} where ${isEndpoint(sellerId, id)}`)
  await writeAudit(connection, { sellerId, by, action: 'webhook.deleted', subject: url })
}

/**
 * Replaces the secret of a locked endpoint. Earlier failures no longer count, because the old secret may have caused them. A second
 * rotation within 24 hours keeps the first secret, because receivers may not have the second one, for example if the response with it was
 * lost.
 *
 * @returns the endpoint's JSON with the new secret
 */
export async function rotateSecret(connection: Connection, sellerId: string, by: Editor, current: string): Promise<string> {
  const { id, url } = parse(current)
  const secret = generateSecret()
  const record = await writeEndpoint(
    connection,
    sql`
    update ${webhookEndpoints} set old_secret = coalesce(case when old_secret_until > now() then old_secret end, secret),
      old_secret_until = now() + ${OLD_SECRET_LIFETIME}, secret = ${await seal(secret, sellerId)}, failing_since = null, updated_at = clock_timestamp()
    where ${isEndpoint(sellerId, id)}`,
  )
  await writeAudit(connection, { sellerId, by, action: 'webhook.secret_rotated', subject: url })
  return withSecret(record, secret)
}

/** Changes an endpoint in a new transaction that locks it. */
export const changeEndpoint = changeLocked(lockEndpoint)

/** Creates an endpoint in a new transaction. Returns and throws the same as `createEndpoint`. */
export const addEndpoint = (sellerId: string, by: Editor, endpoint: NewEndpoint): Promise<string> =>
  database().transaction((connection) => createEndpoint(connection, sellerId, by, endpoint))

/** The SQL statements of a ticket change. Each is built once, with placeholders, because building one takes longer than running it. */
import { type SQL, sql } from 'drizzle-orm'
import { checkIns, events, idempotencyKeys, pages, sellers, tickets, validationAttempts } from '@/db/schema'
import { instantText } from '../core/sql'
import { TYPED_TICKET_ID } from './find-code'

// Not specified: how long an idempotency key is kept.
export const KEY_LIFETIME = sql`interval '30 days'`

const param = {
  seller: sql.placeholder('seller'),
  key: sql.placeholder('key'),
  now: sql.placeholder('now'),
  ticketId: sql.placeholder('ticketId'),
  actorId: sql.placeholder('actorId'),
  status: sql.placeholder('status'),
  sequence: sql.placeholder('sequence'),
}

/** How a ticket is looked up: by the content of its QR code, by the typed text, or by its ID. */
export type TicketLookup = 'code' | 'typed' | 'ticketId'

const isTicket = {
  code: sql`${tickets.qrCode} = ${sql.placeholder('code')}`,
  typed: sql`${tickets.id} = ${TYPED_TICKET_ID}`,
  ticketId: sql`${tickets.id} = ${param.ticketId}`,
}

const lock = (lookup: TicketLookup) => sql`
  select ${tickets.id} as id, ${tickets.qrCode} as code, ${tickets.record}::text as record, ${tickets.metadata}::text as metadata,
    ${tickets.checkInStatus} as "checkInStatus", ${tickets.checkInCount} as "checkInCount",
    ${instantText(sql`greatest(${tickets.doorAt}, ${tickets.revokedAt}, ${tickets.reinstatedAt})`)} as "changedAt", ${instantText(tickets.revokedAt)} as "revokedAt",
    ${tickets.extraInside} as "extraInside"
  from ${tickets} where ${tickets.sellerId} = ${param.seller} and ${isTicket[lookup]}
  for no key update`

export const LOCK_TICKET = { code: lock('code'), typed: lock('typed'), ticketId: lock('ticketId') }

/** Selects the response stored under an idempotency key, as JSON; null if there is none. */
export const STORED_RESPONSE = sql`(
  select json_build_object('fingerprint', encode(fingerprint, 'hex'), 'status', status, 'response', response) from ${idempotencyKeys}
  where ${idempotencyKeys.sellerId} = ${param.seller} and ${idempotencyKeys.key} = ${param.key}
    and ${idempotencyKeys.createdAt} > now() - ${KEY_LIFETIME})`

/**
 * Stores a response under an idempotency key. Returns no row if a concurrent request has already stored a response. When an offline scan is
 * recorded, the check-in that belongs to a response is found by the response's time, so both are stored with the same `now`. If `now` is
 * null, the transaction's time is stored.
 */
export const STORE_RESPONSE = sql`
  insert into ${idempotencyKeys} as existing (seller_id, key, fingerprint, status, response, created_at)
  values (${param.seller}, ${param.key}, ${sql.placeholder('fingerprint')}, ${sql.placeholder('responseStatus')}, ${sql.placeholder('response')}, coalesce(${param.now}::timestamptz, now()))
  on conflict (seller_id, key) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, response = excluded.response, created_at = excluded.created_at
    where existing.created_at <= now() - ${KEY_LIFETIME}
  returning 1`

/**
 * Turns off the triggers that write events, for the rest of the transaction: the write already has the ticket as JSON, and assembling it in
 * PostgreSQL would be half the cost of writing an event. `desk.scan` selects faster triggers, which support only transactions that
 * change a single ticket (0045_scan_triggers.sql).
 */
const PREPARE_TRIGGERS = sql`set_config('desk.events', 'off', true), set_config('desk.scan', 'on', true)`

/** A ticket's entries as JSON, oldest first: each with its time, its source, and whether it is the current check-in. */
const ENTRIES = sql`(
  select json_agg(json_strip_nulls(json_build_object('method', method, 'checkedInAt', to_char(day, 'YYYY-MM-DD'),
    'checkedInByUserId', actor_id, 'status', status, 'at', ${instantText(sql`at`)}, 'source', source, 'isCurrent', is_current)) order by sequence)::text
  from ${checkIns} where ${checkIns.sellerId} = ${param.seller} and ${checkIns.ticketId} = ${tickets.id})`

const context = (lookup: TicketLookup, isKeyed: boolean) => sql`
  select ${sellers.timeZone} as "timeZone", ${instantText(sql`clock_timestamp()`)} as now, ${tickets.id} as "ticketId",
    ${pages.entryPolicy} as "entryPolicy", ${pages.name} as "pageName", ${ENTRIES} as entries, ${isKeyed ? STORED_RESPONSE : sql`null`} as stored,
    ${PREPARE_TRIGGERS}
  from ${sellers} left join ${tickets} on ${tickets.sellerId} = ${param.seller} and ${isTicket[lookup]}
    left join ${pages} on ${pages.sellerId} = ${param.seller} and ${pages.id} = ${tickets.pageId}
  where ${sellers.id} = ${param.seller}`

const contexts = (lookup: TicketLookup) => ({ keyed: context(lookup, true), unkeyed: context(lookup, false) })

/**
 * Reads the data that a decision depends on, and prepares the triggers. It runs as a separate statement after the lock is acquired, so that
 * under READ COMMITTED it sees what the previous lock holder committed.
 */
export const CONTEXT = { code: contexts('code'), typed: contexts('typed'), ticketId: contexts('ticketId') }

export type WriteKind = {
  /** Whether to record the attempt. */
  attempt: boolean
  /** The direction of the entry to append, a check-in or a check-out; undefined to append none. */
  entry: 'in' | 'out' | undefined
  /** Whether the entry is a check-out by scan. */
  leaves: boolean
  /** The change in the number of people inside in addition to the checked-in guest. */
  extra: -1 | 0 | 1
  /** Whether to replace the ticket's metadata. */
  metadata: boolean
  /** Whether to write an event. */
  event: boolean
  /** Whether to store the response under the idempotency key. */
  response: boolean
}

function buildWrite({ attempt, entry, leaves, extra, metadata, event, response }: WriteKind): SQL {
  const parts: SQL[] = []
  if (attempt) {
    parts.push(sql`attempt as (
      insert into ${validationAttempts} (seller_id, at, ticket_id, outcome, actor_id, device, page_id, ticket_type_id)
      values (${param.seller}, ${param.now}::timestamptz, ${param.ticketId}, ${sql.placeholder('attempt')}, ${param.actorId}, ${sql.placeholder('device')},
        coalesce((select id from ${pages} where ${pages.sellerId} = ${param.seller} and ${pages.id} = ${sql.placeholder('doorPageId')}), ${sql.placeholder('pageId')}),
        left(${sql.placeholder('typeId')}, 255)))`)
  }
  if (entry) {
    parts.push(sql`entry as (
      insert into ${checkIns} (seller_id, ticket_id, sequence, method, source, status, day, at, actor_id, reason, is_current)
      values (${param.seller}, ${param.ticketId}, ${param.sequence}, ${sql.placeholder('method')}, ${sql.placeholder('source')}, ${param.status}, ${sql.placeholder('day')}::date,
        ${param.now}::timestamptz, ${param.actorId}, ${sql.placeholder('undoReason')}, ${sql.placeholder('isCurrent')}))`)
  }
  if (entry === 'out') {
    parts.push(sql`undone as (
      update ${checkIns} set is_current = false
      where ${checkIns.sellerId} = ${param.seller} and ${checkIns.ticketId} = ${param.ticketId} and is_current)`)
  }
  const changed = [
    ...(extra === 0 ? [] : [sql`extra_inside = extra_inside + ${sql.raw(`(${extra})`)}`]),
    ...(entry || metadata ? [sql`door_at = ${param.now}::timestamptz`] : []),
    ...(entry ? [sql`check_in_status = ${param.status}, check_in_count = ${param.sequence}`] : []),
    ...(leaves ? [sql`has_left = true`] : []),
    ...(metadata ? [sql`metadata = ${sql.placeholder('metadata')}::text::json`] : []),
  ]
  if (changed.length > 0) {
    parts.push(sql`ticket as (
      update ${tickets} set ${sql.join(changed, sql`, `)} where ${tickets.sellerId} = ${param.seller} and ${tickets.id} = ${param.ticketId})`)
  }
  if (event) {
    parts.push(sql`event as (
      insert into ${events} (seller_id, type, data) values (${param.seller}, ${sql.placeholder('eventType')}, ${sql.placeholder('eventData')}::text::json))`)
  }
  parts.push(response ? sql`stored as (${STORE_RESPONSE})` : sql`stored as (select 1)`)
  return sql`with ${sql.join(parts, sql`, `)} select 1 / count(*) from stored`
}

const writes = new Map<string, SQL>()

/**
 * Returns a single statement that writes a whole change, because each additional round trip would keep the ticket's row locked for longer.
 * It divides by zero if a concurrent request has stored a response under the same idempotency key: COMMIT may already have been sent, and
 * only an error makes PostgreSQL roll back instead.
 */
export function writeStatement(kind: WriteKind): SQL {
  const name = JSON.stringify(kind)
  const query = writes.get(name) ?? buildWrite(kind)
  writes.set(name, query)
  return query
}

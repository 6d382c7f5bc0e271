/** The statements of a change at the door. They are kept, with places for their values: put into words once, not at each ticket. */
import { type SQL, sql } from 'drizzle-orm'
import { checkIns, idempotencyKeys, pages, sellers, tickets, validationAttempts } from '@/db/schema'
import { instantText } from '../core/sql'

// Spec silent: idempotency keys. How long a first answer is kept.
export const KEPT = sql`interval '30 days'`

/** What the statements are given their values by. */
const place = {
  seller: sql.placeholder('seller'),
  key: sql.placeholder('key'),
  now: sql.placeholder('now'),
  ticketId: sql.placeholder('ticketId'),
  actorId: sql.placeholder('actorId'),
  status: sql.placeholder('status'),
  sequence: sql.placeholder('sequence'),
}

/** By what a ticket is addressed: the data of its QR code, or its id. */
export type By = 'code' | 'ticketId'

const isIt = {
  code: sql`${tickets.qrCode} = ${sql.placeholder('code')}`,
  ticketId: sql`${tickets.id} = ${place.ticketId}`,
}

const lock = (by: By) => sql`
  select ${tickets.id} as id, ${tickets.record}::text as facts, ${tickets.metadata}::text as metadata,
    ${tickets.checkInStatus} as "checkInStatus", ${tickets.checkInCount} as "checkInCount", ${instantText(tickets.doorAt)} as "doorAt",
    ${instantText(tickets.revokedAt)} as "revokedAt"
  from ${tickets} where ${tickets.sellerId} = ${place.seller} and ${isIt[by]}
  for no key update`

export const LOCK_TICKET = { code: lock('code'), ticketId: lock('ticketId') }

const FIRST = sql`(
  select json_build_object('fingerprint', encode(fingerprint, 'hex'), 'status', status, 'answer', answer) from ${idempotencyKeys}
  where ${idempotencyKeys.sellerId} = ${place.seller} and ${idempotencyKeys.key} = ${place.key}
    and ${idempotencyKeys.createdAt} > now() - ${KEPT})`

const readAround = (by: By, keyed: boolean) => sql`
  with ticket as (
    select ${tickets.id} as id, ${tickets.pageId} as page_id from ${tickets}
    where ${tickets.sellerId} = ${place.seller} and ${isIt[by]}
  ), entry as (
    select ${checkIns}.* from ${checkIns}, ticket where ${checkIns.sellerId} = ${place.seller} and ${checkIns.ticketId} = ticket.id
  )
  select ${sellers.timeZone} as "timeZone", ${instantText(sql`clock_timestamp()`)} as now,
    (select ${pages.entryPolicy} from ${pages}, ticket where ${pages.sellerId} = ${place.seller} and ${pages.id} = ticket.page_id) as "entryPolicy",
    (select ${pages.name} from ${pages}, ticket where ${pages.sellerId} = ${place.seller} and ${pages.id} = ticket.page_id) as "pageName",
    (select json_agg(json_strip_nulls(json_build_object('method', method, 'checkedInAt', to_char(day, 'YYYY-MM-DD'),
      'checkedInByUserId', actor_id, 'status', status)) order by sequence)::text from entry) as "checkIns",
    (select ${instantText(sql`at`)} from entry order by sequence desc limit 1) as "lastAt",
    exists (select from entry where standing) as standing, ${keyed ? FIRST : sql`null`} as first
  from ${sellers} where ${sellers.id} = ${place.seller}`

const arounds = new Map<string, SQL>()

/**
 * A statement of its own, behind the lock: under READ COMMITTED it sees what an earlier holder of the lock has committed.
 *
 * @param keyed whether the change has an idempotency key
 */
export function aroundOf(by: By, keyed: boolean): SQL {
  const kind = `${by} ${keyed}`
  const query = arounds.get(kind) ?? readAround(by, keyed)
  arounds.set(kind, query)
  return query
}

export type WriteKind = {
  /** An attempt is kept. */
  attempt: boolean
  /** An entry is appended: one that lets the guest in, or one that takes that back. */
  entry: 'in' | 'out' | undefined
  metadata: boolean
  /** The answer is kept under an idempotency key. */
  answer: boolean
}

function writeAll({ attempt, entry, metadata, answer }: WriteKind): SQL {
  const parts: SQL[] = []
  if (attempt) {
    parts.push(sql`attempt as (
      insert into ${validationAttempts} (seller_id, at, ticket_id, outcome, actor_id, device)
      values (${place.seller}, ${place.now}::timestamptz, ${place.ticketId}, ${sql.placeholder('attempt')}, ${place.actorId}, ${sql.placeholder('device')}))`)
  }
  if (entry) {
    parts.push(sql`entry as (
      insert into ${checkIns} (seller_id, ticket_id, sequence, method, status, day, at, actor_id, reason, standing)
      values (${place.seller}, ${place.ticketId}, ${place.sequence}, ${sql.placeholder('method')}, ${place.status}, ${sql.placeholder('day')}::date,
        ${place.now}::timestamptz, ${place.actorId}, ${sql.placeholder('why')}, ${sql.placeholder('standing')}))`)
  }
  if (entry === 'out') {
    parts.push(sql`fallen as (
      update ${checkIns} set standing = false
      where ${checkIns.sellerId} = ${place.seller} and ${checkIns.ticketId} = ${place.ticketId} and standing)`)
  }
  if (entry || metadata) {
    parts.push(sql`ticket as (
      update ${tickets} set door_at = ${place.now}::timestamptz
        ${entry ? sql`, check_in_status = ${place.status}, check_in_count = ${place.sequence}` : sql``}
        ${metadata ? sql`, metadata = ${sql.placeholder('metadata')}::text::json` : sql``}
      where ${tickets.sellerId} = ${place.seller} and ${tickets.id} = ${place.ticketId})`)
  }
  parts.push(
    answer
      ? sql`kept as (
      insert into ${idempotencyKeys} as held (seller_id, key, fingerprint, status, answer, created_at)
      values (${place.seller}, ${place.key}, ${sql.placeholder('fingerprint')}, ${sql.placeholder('answerStatus')}, ${sql.placeholder('answer')}, ${place.now}::timestamptz)
      on conflict (seller_id, key) do update
        set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer, created_at = excluded.created_at
        where held.created_at <= now() - ${KEPT}
      returning 1)`
      : sql`kept as (select 1)`,
  )
  return sql`with ${sql.join(parts, sql`, `)} select 1 from kept`
}

const writes = new Map<string, SQL>()

/** Everything that a change writes, in one statement: the lock is held across each round trip. */
export function writeOf(kind: WriteKind): SQL {
  const name = JSON.stringify(kind)
  const query = writes.get(name) ?? writeAll(kind)
  writes.set(name, query)
  return query
}

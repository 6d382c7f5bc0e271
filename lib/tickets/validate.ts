/** The one admission: locks a ticket's row, decides, and writes what was decided, in one transaction. */
import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { checkIns, idempotencyKeys, pages, sellers, tickets, validationAttempts } from '@/db/schema'
import { ApiError, errorBody } from '../errors'
import { type Condition, Lapsed } from '../records/page'
import { type Decision, decide, type MetadataChange, TooMuchMetadata } from './decide'
import { type CheckIn, composeTicket, type MetadataEntry, type Ticket, type TicketFacts } from './ticket'

export type Validation = {
  sellerId: string
  /** The data of the QR code, exactly. */
  code: string
  metadata: MetadataChange[]
  /** False looks, and admits nobody. */
  checkIn: boolean
  /** The user's or the API key's id. */
  actorId: string
  device?: string | undefined
  idempotencyKey?: string | undefined
  /** What a repeated idempotency key is compared by, besides the code: the body as it was sent. */
  body: unknown
  /** A door of one event; the API has none. */
  onlyPageId?: string | undefined
  /** For the body of a refusal. */
  requestId: string
  /** Looked at behind the lock: where it is false, nothing is written, and `Lapsed` thrown. */
  condition?: Condition | undefined
}

export type Answer = { status: number; body: string; replayed: boolean }

type Locked = {
  id: string
  facts: string
  metadata: string
  checkInStatus: Ticket['checkInStatus']
  checkInCount: number
  doorAt: string | null
}

type Around = {
  timeZone: string
  now: string
  entryPolicy: 'single' | 'multiple' | null
  pageName: string | null
  checkIns: string | null
  lastAt: string | null
  standing: boolean
  holds: boolean
  /** The first answer to the idempotency key. */
  first: { fingerprint: string; status: number; answer: string } | null
}

/** Another request has used the same idempotency key in this moment; its answer can be read now. */
class KeyTaken extends Error {}

// Spec silent: idempotency keys. How long a first answer is kept.
const KEPT = sql`interval '30 days'`

const iso = (instant: SQL | typeof tickets.doorAt) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const fingerprintOf = ({ code, body }: Validation) =>
  createHash('sha256')
    .update(JSON.stringify([code, body]))
    .digest()

/** The queries are kept, with places for their values: they are put into words once, not at each ticket. */
const place = {
  seller: sql.placeholder('seller'),
  code: sql.placeholder('code'),
  key: sql.placeholder('key'),
  now: sql.placeholder('now'),
  ticketId: sql.placeholder('ticketId'),
  actorId: sql.placeholder('actorId'),
}

const LOCK_TICKET = sql`
  select ${tickets.id} as id, ${tickets.record}::text as facts, ${tickets.metadata}::text as metadata,
    ${tickets.checkInStatus} as "checkInStatus", ${tickets.checkInCount} as "checkInCount", ${iso(tickets.doorAt)} as "doorAt"
  from ${tickets} where ${tickets.sellerId} = ${place.seller} and ${tickets.qrCode} = ${place.code}
  for no key update`

const NO_FIRST = sql`null`
const FIRST = sql`(select json_build_object('fingerprint', encode(fingerprint, 'hex'), 'status', status, 'answer', answer) from ${idempotencyKeys}
  where ${idempotencyKeys.sellerId} = ${place.seller} and ${idempotencyKeys.key} = ${place.key}
    and ${idempotencyKeys.createdAt} > now() - ${KEPT})`

/** A statement of its own, behind the lock: under READ COMMITTED it sees what an earlier holder of the lock has committed. */
const readAround = (holds: SQL, first: SQL) => sql`
  with ticket as (
    select ${tickets.id} as id, ${tickets.pageId} as page_id from ${tickets}
    where ${tickets.sellerId} = ${place.seller} and ${tickets.qrCode} = ${place.code}
  ), entry as (
    select ${checkIns}.* from ${checkIns}, ticket where ${checkIns.sellerId} = ${place.seller} and ${checkIns.ticketId} = ticket.id
  )
  select ${sellers.timeZone} as "timeZone", ${iso(sql`clock_timestamp()`)} as now,
    (select ${pages.entryPolicy} from ${pages}, ticket where ${pages.sellerId} = ${place.seller} and ${pages.id} = ticket.page_id) as "entryPolicy",
    (select ${pages.name} from ${pages}, ticket where ${pages.sellerId} = ${place.seller} and ${pages.id} = ticket.page_id) as "pageName",
    (select json_agg(json_strip_nulls(json_build_object('method', method, 'checkedInAt', to_char(day, 'YYYY-MM-DD'),
      'checkedInByUserId', actor_id, 'status', status)) order by sequence)::text from entry) as "checkIns",
    (select ${iso(sql`at`)} from entry order by sequence desc limit 1) as "lastAt",
    exists (select from entry where standing) as standing, ${holds} as holds, ${first} as first
  from ${sellers} where ${sellers.id} = ${place.seller}`

const arounds = new WeakMap<SQL, Map<SQL, SQL>>()

function keptAround(holds: SQL, first: SQL): SQL {
  const ofCondition = arounds.get(holds) ?? new Map<SQL, SQL>()
  arounds.set(holds, ofCondition)
  const query = ofCondition.get(first) ?? readAround(holds, first)
  ofCondition.set(first, query)
  return query
}

type Change = { ticket: Locked; standing: boolean; entry: CheckIn | undefined; metadata: MetadataEntry[] | undefined }

/** Everything that a validation writes, in one statement: the lock is held across each round trip. */
function writeQuery(entry: boolean, metadata: boolean, answer: boolean): SQL {
  const parts = [
    sql`attempt as (
      insert into ${validationAttempts} (seller_id, at, ticket_id, outcome, actor_id, device)
      values (${place.seller}, ${place.now}::timestamptz, ${place.ticketId}, ${sql.placeholder('outcome')}, ${place.actorId}, ${sql.placeholder('device')}))`,
  ]
  if (entry) {
    parts.push(sql`entry as (
      insert into ${checkIns} (seller_id, ticket_id, sequence, method, status, day, at, actor_id, standing)
      values (${place.seller}, ${place.ticketId}, ${sql.placeholder('sequence')}, ${sql.placeholder('method')}, ${sql.placeholder('status')},
        ${sql.placeholder('day')}::date, ${place.now}::timestamptz, ${place.actorId}, ${sql.placeholder('standing')}))`)
  }
  if (entry || metadata) {
    parts.push(sql`ticket as (
      update ${tickets} set door_at = ${place.now}::timestamptz
        ${entry ? sql`, check_in_status = ${sql.placeholder('status')}, check_in_count = ${sql.placeholder('sequence')}` : sql``}
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

function keptWrite(entry: boolean, metadata: boolean, answer: boolean): SQL {
  const kind = `${entry} ${metadata} ${answer}`
  const query = writes.get(kind) ?? writeQuery(entry, metadata, answer)
  writes.set(kind, query)
  return query
}

async function write(
  { rows }: Connection,
  validation: Validation,
  outcome: Decision['outcome'] | 'unknown' | 'idempotency_mismatch',
  now: string,
  ticketId: string | undefined,
  change?: Change,
  answer?: Omit<Answer, 'replayed'>,
): Promise<void> {
  const { sellerId, actorId, device, idempotencyKey } = validation
  const { entry, metadata } = change ?? {}
  const keeps = answer !== undefined && idempotencyKey !== undefined
  const kept = await rows(keptWrite(entry !== undefined, metadata !== undefined, keeps), {
    seller: sellerId,
    now,
    ticketId: ticketId ?? null,
    outcome,
    actorId,
    device: device ?? null,
    sequence: change && change.ticket.checkInCount + 1,
    method: entry?.method,
    status: entry?.status,
    day: entry?.checkedInAt,
    standing: change && !change.standing,
    metadata: metadata && JSON.stringify(metadata),
    ...(keeps && { key: idempotencyKey, fingerprint: fingerprintOf(validation), answerStatus: answer.status, answer: answer.body }),
  })
  if (kept.length === 0) throw new KeyTaken()
}

const ALWAYS: Condition = { sql: sql`true`, values: {} }

async function validateOnce(connection: Connection, validation: Validation): Promise<Answer> {
  const { sellerId, code, idempotencyKey, condition = ALWAYS } = validation
  const values = { ...condition.values, seller: sellerId, code, key: idempotencyKey }
  // Sent together, run one after the other.
  const [[ticket], [around]] = await Promise.all([
    connection.rows<Locked>(LOCK_TICKET, values),
    connection.rows<Around>(keptAround(condition.sql, idempotencyKey === undefined ? NO_FIRST : FIRST), values),
  ])
  if (!around) throw new Error('a validation for a seller that does not exist')
  if (!around.holds) throw new Lapsed()
  const { now, first } = around

  if (first) {
    if (first.fingerprint === fingerprintOf(validation).toString('hex')) return { status: first.status, body: first.answer, replayed: true }
    await write(connection, validation, 'idempotency_mismatch', now, ticket?.id)
    const message =
      'This Idempotency-Key came with another code or body before. Send a new key with each new scan; repeat one only to repeat its request.'
    return refusal(new ApiError('idempotency_mismatch', message, 'Idempotency-Key'), validation)
  }
  if (!ticket) {
    const message = 'No ticket of yours has this code. Scan it again, or look the booking up by its e-mail address.'
    const answer = refusal(new ApiError('ticket_not_found', message, 'qrCode'), validation)
    await write(connection, validation, 'unknown', now, undefined, undefined, answer)
    return answer
  }

  const facts = JSON.parse(ticket.facts) as TicketFacts
  const entries = JSON.parse(around.checkIns ?? '[]') as CheckIn[]
  const before = { checkIns: entries, checkInStatus: ticket.checkInStatus, metadata: JSON.parse(ticket.metadata) as MetadataEntry[] }
  const situation = {
    ticket: composeTicket(facts, before),
    lastAt: around.lastAt ? new Date(around.lastAt) : undefined,
    entryPolicy: around.entryPolicy ?? 'single',
    pageName: around.pageName ?? undefined,
    timeZone: around.timeZone,
    now: new Date(now),
  }
  const { success, reason, outcome, message, entry, metadata } = decide(situation, validation)
  const after = composeTicket(facts, {
    checkIns: entry ? [...entries, entry] : entries,
    checkInStatus: entry?.status ?? ticket.checkInStatus,
    metadata: metadata ?? before.metadata,
    doorAt: entry || metadata ? now : (ticket.doorAt ?? undefined),
  })
  const answer = { status: 200, body: JSON.stringify({ success, ticket: after, message, ...(reason ? { reason } : {}) }) }
  await write(connection, validation, outcome, now, ticket.id, { ticket, standing: around.standing, entry, metadata }, answer)
  return { ...answer, replayed: false }
}

const refusal = (error: ApiError, { requestId }: Validation): Answer => ({
  status: error.status,
  body: errorBody(error, requestId),
  replayed: false,
})

/**
 * Validates a ticket by its code, admits it once, and keeps the attempt, as contract.md, "Ticket validation", has it.
 *
 * @returns the answer as it is sent; refusals that are kept (404, 422) are answers too, for they are committed
 * @throws {ApiError} `body_invalid` where the ticket would have too much metadata; nothing is written then
 * @throws {Lapsed} where the condition does not hold; nothing is written then either
 */
export async function validateTicket(validation: Validation): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database().transaction((connection) => validateOnce(connection, validation))
    } catch (error) {
      if (error instanceof TooMuchMetadata) {
        throw new ApiError(
          'body_invalid',
          'A ticket holds at most 50 metadata entries. Delete some by sending their keys with null.',
          'metadata',
        )
      }
      if (!(error instanceof KeyTaken) || tries === 3) throw error
    }
  }
}

/** Deletes the answers that are past their 30 days, a bounded number at a time. @returns how many went */
export async function purgeIdempotencyKeys(most = 10_000): Promise<number> {
  const gone = await database().use(({ rows }) =>
    rows(sql`
      delete from ${idempotencyKeys} where (seller_id, key) in (
        select seller_id, key from ${idempotencyKeys} where ${idempotencyKeys.createdAt} <= now() - ${KEPT}
        order by ${idempotencyKeys.createdAt} limit ${most})
      returning 1`),
  )
  return gone.length
}

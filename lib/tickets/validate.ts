/** The one admission: locks a ticket's row, decides, and writes what was decided, in one transaction. */
import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { lane } from '@/db/lanes'
import { checkIns, idempotencyKeys, pages, sellers, tickets, validationAttempts } from '@/db/schema'
import { ApiError, errorBody } from '../errors'
import { countAdmission } from '../metrics'
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

const lockTicket = ({ sellerId, code }: Validation) => sql`
  select ${tickets.id} as id, ${tickets.record}::text as facts, ${tickets.metadata}::text as metadata,
    ${tickets.checkInStatus} as "checkInStatus", ${tickets.checkInCount} as "checkInCount", ${iso(tickets.doorAt)} as "doorAt"
  from ${tickets} where ${tickets.sellerId} = ${sellerId} and ${tickets.qrCode} = ${code}
  for no key update`

/** A statement of its own, behind the lock: under READ COMMITTED it sees what an earlier holder of the lock has committed. */
const readAround = ({ sellerId, code, idempotencyKey }: Validation) => sql`
  with ticket as (
    select ${tickets.id} as id, ${tickets.pageId} as page_id from ${tickets}
    where ${tickets.sellerId} = ${sellerId} and ${tickets.qrCode} = ${code}
  ), entry as (
    select ${checkIns}.* from ${checkIns}, ticket where ${checkIns.sellerId} = ${sellerId} and ${checkIns.ticketId} = ticket.id
  )
  select ${sellers.timeZone} as "timeZone", ${iso(sql`clock_timestamp()`)} as now,
    (select ${pages.entryPolicy} from ${pages}, ticket where ${pages.sellerId} = ${sellerId} and ${pages.id} = ticket.page_id) as "entryPolicy",
    (select ${pages.name} from ${pages}, ticket where ${pages.sellerId} = ${sellerId} and ${pages.id} = ticket.page_id) as "pageName",
    (select json_agg(json_strip_nulls(json_build_object('method', method, 'checkedInAt', to_char(day, 'YYYY-MM-DD'),
      'checkedInByUserId', actor_id, 'status', status)) order by sequence)::text from entry) as "checkIns",
    (select ${iso(sql`at`)} from entry order by sequence desc limit 1) as "lastAt",
    exists (select from entry where standing) as standing,
    ${
      idempotencyKey === undefined
        ? sql`null`
        : sql`(select json_build_object('fingerprint', encode(fingerprint, 'hex'), 'status', status, 'answer', answer) from ${idempotencyKeys}
            where ${idempotencyKeys.sellerId} = ${sellerId} and ${idempotencyKeys.key} = ${idempotencyKey}
              and ${idempotencyKeys.createdAt} > now() - ${KEPT})`
    } as first
  from ${sellers} where ${sellers.id} = ${sellerId}`

/** Everything that a validation writes, in one statement: the lock is held across each round trip. */
async function write(
  { rows }: Connection,
  validation: Validation,
  outcome: Decision['outcome'] | 'unknown' | 'idempotency_mismatch',
  now: string,
  ticketId: string | undefined,
  change?: { ticket: Locked; standing: boolean; entry: CheckIn | undefined; metadata: MetadataEntry[] | undefined },
  answer?: Omit<Answer, 'replayed'>,
): Promise<void> {
  const { sellerId, actorId, device, idempotencyKey } = validation
  const parts = [
    sql`attempt as (
      insert into ${validationAttempts} (seller_id, at, ticket_id, outcome, actor_id, device)
      values (${sellerId}, ${now}::timestamptz, ${ticketId ?? null}, ${outcome}, ${actorId}, ${device ?? null}))`,
  ]
  if (change?.entry) {
    const { method, status, checkedInAt } = change.entry
    parts.push(sql`entry as (
      insert into ${checkIns} (seller_id, ticket_id, sequence, method, status, day, at, actor_id, standing)
      values (${sellerId}, ${change.ticket.id}, ${change.ticket.checkInCount + 1}, ${method}, ${status}, ${checkedInAt}::date,
        ${now}::timestamptz, ${actorId}, ${!change.standing}))`)
  }
  if (change && (change.entry || change.metadata)) {
    const { ticket, entry, metadata } = change
    parts.push(sql`ticket as (
      update ${tickets} set door_at = ${now}::timestamptz
        ${entry ? sql`, check_in_status = ${entry.status}, check_in_count = ${ticket.checkInCount + 1}` : sql``}
        ${metadata ? sql`, metadata = ${JSON.stringify(metadata)}::text::json` : sql``}
      where ${tickets.sellerId} = ${sellerId} and ${tickets.id} = ${ticket.id})`)
  }
  if (answer && idempotencyKey !== undefined) {
    parts.push(sql`kept as (
      insert into ${idempotencyKeys} as held (seller_id, key, fingerprint, status, answer, created_at)
      values (${sellerId}, ${idempotencyKey}, ${fingerprintOf(validation)}, ${answer.status}, ${answer.body}, ${now}::timestamptz)
      on conflict (seller_id, key) do update
        set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer, created_at = excluded.created_at
        where held.created_at <= now() - ${KEPT}
      returning 1)`)
  } else parts.push(sql`kept as (select 1)`)
  const kept = await rows(sql`with ${sql.join(parts, sql`, `)} select 1 from kept`)
  if (kept.length === 0) throw new KeyTaken()
}

/** @param decided told what came of it, which counts only once it is committed */
async function validateOnce(connection: Connection, validation: Validation, decided: (outcome: string) => void): Promise<Answer> {
  // Sent together, run one after the other.
  const [[ticket], [around]] = await Promise.all([
    connection.rows<Locked>(lockTicket(validation)),
    connection.rows<Around>(readAround(validation)),
  ])
  if (!around) throw new Error('a validation for a seller that does not exist')
  const { now, first } = around

  if (first) {
    decided('replayed')
    if (first.fingerprint === fingerprintOf(validation).toString('hex')) return { status: first.status, body: first.answer, replayed: true }
    decided('idempotency_mismatch')
    await write(connection, validation, 'idempotency_mismatch', now, ticket?.id)
    const message =
      'This Idempotency-Key came with another code or body before. Send a new key with each new scan; repeat one only to repeat its request.'
    return refusal(new ApiError('idempotency_mismatch', message, 'Idempotency-Key'), validation)
  }
  if (!ticket) {
    const message = 'No ticket of yours has this code. Scan it again, or look the booking up by its e-mail address.'
    const answer = refusal(new ApiError('ticket_not_found', message, 'qrCode'), validation)
    decided('unknown')
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
  decided(outcome)
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
 */
export async function validateTicket(validation: Validation): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      let outcome = ''
      const answer = await lane('doors').transaction((connection) =>
        validateOnce(connection, validation, (decided) => {
          outcome = decided
        }),
      )
      countAdmission(outcome)
      return answer
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

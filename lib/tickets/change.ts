/** One change at the door: locks a ticket's row, has a rule decide, and writes what was decided, in one transaction. */
import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { checkIns, idempotencyKeys, pages, sellers, tickets, validationAttempts } from '@/db/schema'
import { ApiError, errorBody } from '../errors'
import { type Decision, type Situation, TooMuchMetadata } from './decide'
import { instantText } from './instant-text'
import { type CheckIn, composeTicket, type MetadataEntry, type Ticket, type TicketFacts } from './ticket'

/** Which ticket: the data of its QR code, exactly, or its id. */
export type Addressed = { code: string } | { ticketId: string }

export type Change = Addressed & {
  sellerId: string
  /** The user's or the API key's id. */
  actorId: string
  device?: string | undefined
  idempotencyKey?: string | undefined
  /** What a repeated idempotency key is compared by, besides the ticket: the body as it was sent. */
  body: unknown
  /** For the body of a refusal. */
  requestId: string
}

/** The rule that a change follows. It is asked under the lock on the ticket's row. */
export type Rule = (situation: Situation) => Decision

export type Answer = { status: number; body: string; replayed: boolean }

/** What a change answers at 200. */
export type ChangeBody = Pick<Decision, 'success' | 'message' | 'reason'> & { ticket: Ticket }

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
export const KEPT = sql`interval '30 days'`

const fingerprintOf = (change: Change) =>
  createHash('sha256')
    .update(JSON.stringify(['code' in change ? change.code : { ticketId: change.ticketId }, change.body]))
    .digest()

const isIt = (change: Change) => ('code' in change ? sql`${tickets.qrCode} = ${change.code}` : sql`${tickets.id} = ${change.ticketId}`)

const lockTicket = (change: Change) => sql`
  select ${tickets.id} as id, ${tickets.record}::text as facts, ${tickets.metadata}::text as metadata,
    ${tickets.checkInStatus} as "checkInStatus", ${tickets.checkInCount} as "checkInCount", ${instantText(tickets.doorAt)} as "doorAt"
  from ${tickets} where ${tickets.sellerId} = ${change.sellerId} and ${isIt(change)}
  for no key update`

/** A statement of its own, behind the lock: under READ COMMITTED it sees what an earlier holder of the lock has committed. */
const readAround = (change: Change) => {
  const { sellerId, idempotencyKey } = change
  return sql`
  with ticket as (
    select ${tickets.id} as id, ${tickets.pageId} as page_id from ${tickets}
    where ${tickets.sellerId} = ${sellerId} and ${isIt(change)}
  ), entry as (
    select ${checkIns}.* from ${checkIns}, ticket where ${checkIns.sellerId} = ${sellerId} and ${checkIns.ticketId} = ticket.id
  )
  select ${sellers.timeZone} as "timeZone", ${instantText(sql`clock_timestamp()`)} as now,
    (select ${pages.entryPolicy} from ${pages}, ticket where ${pages.sellerId} = ${sellerId} and ${pages.id} = ticket.page_id) as "entryPolicy",
    (select ${pages.name} from ${pages}, ticket where ${pages.sellerId} = ${sellerId} and ${pages.id} = ticket.page_id) as "pageName",
    (select json_agg(json_strip_nulls(json_build_object('method', method, 'checkedInAt', to_char(day, 'YYYY-MM-DD'),
      'checkedInByUserId', actor_id, 'status', status)) order by sequence)::text from entry) as "checkIns",
    (select ${instantText(sql`at`)} from entry order by sequence desc limit 1) as "lastAt",
    exists (select from entry where standing) as standing,
    ${
      idempotencyKey === undefined
        ? sql`null`
        : sql`(select json_build_object('fingerprint', encode(fingerprint, 'hex'), 'status', status, 'answer', answer) from ${idempotencyKeys}
            where ${idempotencyKeys.sellerId} = ${sellerId} and ${idempotencyKeys.key} = ${idempotencyKey}
              and ${idempotencyKeys.createdAt} > now() - ${KEPT})`
    } as first
  from ${sellers} where ${sellers.id} = ${sellerId}`
}

type Written = { ticket: Locked; standing: boolean } & Pick<Decision, 'entry' | 'why' | 'metadata'>

/** Everything that a change writes, in one statement: the lock is held across each round trip. */
async function write(
  { rows }: Connection,
  change: Change,
  attempt: Decision['outcome'] | 'unknown' | 'idempotency_mismatch',
  now: string,
  ticketId: string | undefined,
  written?: Written,
  answer?: Omit<Answer, 'replayed'>,
): Promise<void> {
  const { sellerId, actorId, device, idempotencyKey } = change
  const parts: SQL[] = []
  if (attempt !== undefined) {
    parts.push(sql`attempt as (
      insert into ${validationAttempts} (seller_id, at, ticket_id, outcome, actor_id, device)
      values (${sellerId}, ${now}::timestamptz, ${ticketId ?? null}, ${attempt}, ${actorId}, ${device ?? null}))`)
  }
  if (written?.entry) {
    const { method, status, checkedInAt } = written.entry
    const admits = status === 'CHECKEDIN'
    parts.push(sql`entry as (
      insert into ${checkIns} (seller_id, ticket_id, sequence, method, status, day, at, actor_id, reason, standing)
      values (${sellerId}, ${written.ticket.id}, ${written.ticket.checkInCount + 1}, ${method}, ${status}, ${checkedInAt}::date,
        ${now}::timestamptz, ${actorId}, ${written.why ?? null}, ${admits && !written.standing}))`)
    if (!admits) {
      parts.push(sql`fallen as (
        update ${checkIns} set standing = false
        where ${checkIns.sellerId} = ${sellerId} and ${checkIns.ticketId} = ${written.ticket.id} and standing)`)
    }
  }
  if (written && (written.entry || written.metadata)) {
    const { ticket, entry, metadata } = written
    parts.push(sql`ticket as (
      update ${tickets} set door_at = ${now}::timestamptz
        ${entry ? sql`, check_in_status = ${entry.status}, check_in_count = ${ticket.checkInCount + 1}` : sql``}
        ${metadata ? sql`, metadata = ${JSON.stringify(metadata)}::text::json` : sql``}
      where ${tickets.sellerId} = ${sellerId} and ${tickets.id} = ${ticket.id})`)
  }
  if (answer && idempotencyKey !== undefined) {
    parts.push(sql`kept as (
      insert into ${idempotencyKeys} as held (seller_id, key, fingerprint, status, answer, created_at)
      values (${sellerId}, ${idempotencyKey}, ${fingerprintOf(change)}, ${answer.status}, ${answer.body}, ${now}::timestamptz)
      on conflict (seller_id, key) do update
        set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer, created_at = excluded.created_at
        where held.created_at <= now() - ${KEPT}
      returning 1)`)
  } else parts.push(sql`kept as (select 1)`)
  const kept = await rows(sql`with ${sql.join(parts, sql`, `)} select 1 from kept`)
  if (kept.length === 0) throw new KeyTaken()
}

const refusal = (error: ApiError, { requestId }: Change): Answer => ({
  status: error.status,
  body: errorBody(error, requestId),
  replayed: false,
})

const notFound = (change: Change) =>
  'code' in change
    ? new ApiError(
        'ticket_not_found',
        'No ticket of yours has this code. Scan it again, or look the booking up by its e-mail address.',
        'qrCode',
      )
    : new ApiError('ticket_not_found', 'No ticket of yours has this id. Look the guest up again.', 'ticketId')

function situationOf(ticket: Locked, around: Around): Situation {
  const facts = JSON.parse(ticket.facts) as TicketFacts
  const door = {
    checkIns: JSON.parse(around.checkIns ?? '[]') as CheckIn[],
    checkInStatus: ticket.checkInStatus,
    metadata: JSON.parse(ticket.metadata) as MetadataEntry[],
    doorAt: ticket.doorAt ?? undefined,
  }
  return {
    ticket: composeTicket(facts, door),
    lastAt: around.lastAt ? new Date(around.lastAt) : undefined,
    entryPolicy: around.entryPolicy ?? 'single',
    pageName: around.pageName ?? undefined,
    timeZone: around.timeZone,
    now: new Date(around.now),
  }
}

/** The ticket as a decision leaves it. */
function afterwards({ ticket, now }: Situation, { entry, metadata }: Decision): Ticket {
  if (!entry && !metadata) return ticket
  const { checkIns: entries, latestCheckIn: _, checkInStatus, metadata: before, ...facts } = ticket
  return composeTicket(facts, {
    checkIns: entry ? [...entries, entry] : entries,
    checkInStatus: entry?.status ?? checkInStatus,
    metadata: metadata ?? before,
    doorAt: now.toISOString(),
  })
}

async function changeOnce(connection: Connection, change: Change, decide: Rule): Promise<Answer> {
  // Sent together, run one after the other.
  const [[ticket], [around]] = await Promise.all([connection.rows<Locked>(lockTicket(change)), connection.rows<Around>(readAround(change))])
  if (!around) throw new Error('a change for a seller that does not exist')
  const { now, first } = around

  if (first) {
    if (first.fingerprint === fingerprintOf(change).toString('hex')) return { status: first.status, body: first.answer, replayed: true }
    await write(connection, change, 'idempotency_mismatch', now, ticket?.id)
    const message =
      'This Idempotency-Key came with another code or body before. Send a new key with each new scan; repeat one only to repeat its request.'
    return refusal(new ApiError('idempotency_mismatch', message, 'Idempotency-Key'), change)
  }
  if (!ticket) {
    const answer = refusal(notFound(change), change)
    await write(connection, change, 'unknown', now, undefined, undefined, answer)
    return answer
  }

  const situation = situationOf(ticket, around)
  const decision = decide(situation)
  const { success, reason, message, outcome, entry, why, metadata } = decision
  const body: ChangeBody = { success, ticket: afterwards(situation, decision), message, ...(reason ? { reason } : {}) }
  const answer = { status: 200, body: JSON.stringify(body) }
  await write(connection, change, outcome, now, ticket.id, { ticket, standing: around.standing, entry, why, metadata }, answer)
  return { ...answer, replayed: false }
}

/**
 * Changes a ticket as a rule decides, and keeps the attempt and the answer with it.
 *
 * @returns the answer as it is sent; refusals that are kept (404, 422) are answers too, for they are committed
 * @throws {ApiError} `body_invalid` where the ticket would have too much metadata; nothing is written then
 */
export async function changeTicket(change: Change, decide: Rule): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database().transaction((connection) => changeOnce(connection, change, decide))
    } catch (error) {
      if (error instanceof TooMuchMetadata) {
        throw new ApiError(
          'body_invalid',
          'A ticket holds at most 50 metadata entries. Delete some first; over the API, by sending their keys with null.',
          'metadata',
        )
      }
      if (!(error instanceof KeyTaken) || tries === 3) throw error
    }
  }
}

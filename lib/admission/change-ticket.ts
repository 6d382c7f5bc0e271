/** One change at the door: locks a ticket's row, has a rule decide, and writes what was decided, in one transaction. */
import { createHash } from 'node:crypto'
import type { Connection } from '@/db/client'
import { getPool } from '@/db/pools'
import { type CheckIn, composeTicket, factsOf, type MetadataEntry, type Ticket } from '../catalog/ticket'
import { ApiError, errorBody } from '../core/errors'
import { inTurn } from '../core/keyed-mutex'
import { countAdmission } from '../core/metrics'
import { type Decision, type Situation, TooMuchMetadata } from './decide'
import { aroundOf, LOCK_TICKET, writeOf } from './statements'

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
  revokedAt: string | null
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

const fingerprintOf = (change: Change) =>
  createHash('sha256')
    .update(JSON.stringify(['code' in change ? change.code : { ticketId: change.ticketId }, change.body]))
    .digest()

type Written = { ticket: Locked; standing: boolean } & Pick<Decision, 'entry' | 'why' | 'metadata'>

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
  const { entry, why, metadata } = written ?? {}
  const admits = entry?.status === 'CHECKEDIN'
  const keyed = answer !== undefined && idempotencyKey !== undefined
  const query = writeOf({
    attempt: attempt !== undefined,
    entry: entry && (admits ? 'in' : 'out'),
    metadata: metadata !== undefined,
    answer: keyed,
  })
  const kept = await rows(query, {
    seller: sellerId,
    now,
    ticketId: ticketId ?? null,
    attempt,
    actorId,
    device: device ?? null,
    sequence: written && written.ticket.checkInCount + 1,
    method: entry?.method,
    status: entry?.status,
    day: entry?.checkedInAt,
    why: why ?? null,
    standing: admits && !written?.standing,
    metadata: metadata && JSON.stringify(metadata),
    ...(keyed && { key: idempotencyKey, fingerprint: fingerprintOf(change), answerStatus: answer.status, answer: answer.body }),
  })
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
  const door = {
    checkIns: JSON.parse(around.checkIns ?? '[]') as CheckIn[],
    checkInStatus: ticket.checkInStatus,
    metadata: JSON.parse(ticket.metadata) as MetadataEntry[],
    doorAt: ticket.doorAt ?? undefined,
  }
  return {
    ticket: composeTicket(factsOf(ticket.facts, ticket.revokedAt), door),
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

/**
 * One try at a change, in a transaction of the caller's.
 *
 * @param decided told what came of it, which counts only once it is committed
 */
export async function changeOnce(
  connection: Connection,
  change: Change,
  decide: Rule,
  decided: (outcome: string) => void = () => {},
): Promise<Answer> {
  const { sellerId, idempotencyKey } = change
  const [by, address] = 'code' in change ? (['code', change.code] as const) : (['ticketId', change.ticketId] as const)
  const values = { seller: sellerId, [by]: address, key: idempotencyKey }
  // Sent together, run one after the other.
  const [[ticket], [around]] = await Promise.all([
    connection.rows<Locked>(LOCK_TICKET[by], values),
    connection.rows<Around>(aroundOf(by, idempotencyKey !== undefined), values),
  ])
  if (!around) throw new Error('a change for a seller that does not exist')
  const { now, first } = around

  if (first) {
    decided('replayed')
    if (first.fingerprint === fingerprintOf(change).toString('hex')) return { status: first.status, body: first.answer, replayed: true }
    decided('idempotency_mismatch')
    await write(connection, change, 'idempotency_mismatch', now, ticket?.id)
    const message =
      'This Idempotency-Key came with another code or body before. Send a new key with each new scan; repeat one only to repeat its request.'
    return refusal(new ApiError('idempotency_mismatch', message, 'Idempotency-Key'), change)
  }
  if (!ticket) {
    const answer = refusal(notFound(change), change)
    decided('unknown')
    await write(connection, change, 'unknown', now, undefined, undefined, answer)
    return answer
  }

  const situation = situationOf(ticket, around)
  const decision = decide(situation)
  const { success, reason, message, outcome, entry, why, metadata } = decision
  const body: ChangeBody = { success, ticket: afterwards(situation, decision), message, ...(reason ? { reason } : {}) }
  const answer = { status: 200, body: JSON.stringify(body) }
  if (outcome) decided(outcome)
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
      let outcome: string | undefined
      const answer = await inTurn(change.sellerId, 'code' in change ? change.code : change.ticketId, () =>
        getPool('doors').transaction((connection) =>
          changeOnce(connection, change, decide, (decided) => {
            outcome = decided
          }),
        ),
      )
      if (outcome) countAdmission(outcome)
      return answer
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

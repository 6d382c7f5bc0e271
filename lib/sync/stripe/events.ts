/** Stores Stripe events before they are processed, and lists, shows and counts them. */
import { and, count, desc, eq, type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { tryBlockErasures } from '../../accounts/erasure-lock'
import { instantText, textArray } from '../../core/sql'
import { redactErasedEvent } from '../erase/erased-people'
import { InvalidEventError } from './apply-events'
import { parseEventObject } from './related-events'
import { type Envelope, listLinkedIds } from './stripe-event'

export const EVENT_STATES = ['waiting', 'done', 'failed'] as const
export type EventState = (typeof EVENT_STATES)[number]

/** The maximum number of Stripe IDs stored with an event. It exceeds the 100 payments that an invoice can have. */
const MAX_LINKS = 200

/** Returns the Stripe IDs that an event is looked up by. */
function findLinks(event: Envelope): string[] {
  try {
    const parsed = parseEventObject(event)
    const links = parsed ? listLinkedIds(parsed) : []
    // An event with more links fails when it is processed, so no other event needs to find it.
    return links.length > MAX_LINKS ? [] : links
  } catch (error) {
    // The event is stored anyway, and fails when it is processed.
    if (error instanceof InvalidEventError) return []
    throw error
  }
}

/**
 * Stores an event for processing, redacted if it is about an erased person. Storing it again has no effect.
 *
 * @param payload the signed body that `event` was parsed from
 * @returns false if nothing was stored because a customer of the seller is being erased
 */
export function storeEvent(seller: string, event: Envelope, payload: string): Promise<boolean> {
  const { id, type, created } = event
  return database().transaction(async (connection) => {
    if (!(await tryBlockErasures(connection, seller))) return false
    const stored = await redactErasedEvent(connection, seller, event, payload)
    await connection.orm
      .insert(stripeEvents)
      .values({ sellerId: seller, id, type, created, links: findLinks(event), payload: stored })
      .onConflictDoNothing()
    return true
  })
}

/** Which events to select. An omitted member does not restrict them. */
export type EventFilter = { seller?: string | undefined; state?: EventState | undefined; ids?: string[] | undefined }

/** Returns the condition for a filter; undefined if the filter matches everything. */
export const eventCondition = ({ seller, state, ids }: EventFilter): SQL | undefined =>
  and(
    seller === undefined ? undefined : eq(stripeEvents.sellerId, seller),
    state === undefined ? undefined : eq(stripeEvents.state, state),
    ids === undefined ? undefined : sql`${stripeEvents.id} = any(${textArray(ids)})`,
  )

export type StoredEvent = {
  sellerId: string
  id: string
  type: string
  /** The time at which the event happened at Stripe, in ISO 8601 format. */
  createdAt: string
  state: EventState
  /** Why processing last failed; null if it has not failed, or has succeeded since. */
  error: string | null
  /** How many times the event has been processed, including failures. */
  attempts: number
  /** When the event arrived, in ISO 8601 format. */
  receivedAt: string
}

const { sellerId, id, type, created, state, error, attempts, receivedAt } = stripeEvents
const COLUMNS = {
  ...{ sellerId, id, type, state, error, attempts },
  createdAt: sql<string>`${instantText(sql`to_timestamp(${created})`)}`,
  receivedAt: instantText(receivedAt),
}

/** Lists events, the most recent at Stripe first. */
export function listEvents(filter: EventFilter, limit = 100): Promise<StoredEvent[]> {
  return database().use(({ orm }) =>
    orm.select(COLUMNS).from(stripeEvents).where(eventCondition(filter)).orderBy(desc(created), desc(id)).limit(limit),
  )
}

/** Matches the names of members of Stripe's objects that contain a secret. */
const SECRET = /(^|_)secret$/

/** Returns events with their payloads, but without client secrets. Several sellers can have an event with the same ID. */
export async function showEvents(filter: EventFilter): Promise<(StoredEvent & { payload: unknown })[]> {
  const rows = await database().use(({ orm }) =>
    orm
      .select({ ...COLUMNS, payload: sql<string>`${stripeEvents.payload}::text` })
      .from(stripeEvents)
      .where(eventCondition(filter)),
  )
  return rows.map(({ payload, ...row }) => ({
    ...row,
    payload: JSON.parse(payload, (name, value: unknown) => (SECRET.test(name) ? undefined : value)) as unknown,
  }))
}

export type EventCounts = {
  waiting: number
  failed: number
  /** When the event that is the most recent at Stripe arrived, in ISO 8601 format; undefined if none is stored. */
  lastAt: string | undefined
}

/** Counts a seller's waiting and failed events. */
export async function countEvents(seller: string): Promise<EventCounts> {
  const [counts, [last]] = await database().use(({ orm }) =>
    Promise.all([
      orm
        .select({ state, total: count() })
        .from(stripeEvents)
        .where(and(eq(sellerId, seller), sql`state <> 'done'`))
        .groupBy(state),
      orm
        .select({ at: instantText(receivedAt) })
        .from(stripeEvents)
        .where(eq(sellerId, seller))
        .orderBy(desc(created), desc(id))
        .limit(1),
    ]),
  )
  const totalOf = (name: EventState) => counts.find((row) => row.state === name)?.total ?? 0
  return { waiting: totalOf('waiting'), failed: totalOf('failed'), lastAt: last?.at }
}

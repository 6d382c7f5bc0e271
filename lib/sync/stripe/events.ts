/** The events that were taken in: kept before anything is done with them, listed, shown, and tried again. */
import { and, count, desc, eq, inArray, max, type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { read } from './apply'
import { type Envelope, linksOf } from './event'
import { BadEvent } from './targets'

export const EVENT_STATES = ['waiting', 'done', 'failed'] as const
export type EventState = (typeof EVENT_STATES)[number]

/** Stripe sends an event again for 3 days, and by hand for 30; what came later than that could not be put in order any more. */
export const KEPT_DAYS = 90

function linksFor(event: Envelope): string[] {
  try {
    const told = read(event)
    return told ? linksOf(told) : []
  } catch (error) {
    // It is kept all the same, and found wanting when it is worked off.
    if (error instanceof BadEvent) return []
    throw error
  }
}

/** Keeps an event, to be worked off. The same event again changes nothing. @param payload as it was signed */
export async function keepEvent(seller: string, event: Envelope, payload: string): Promise<void> {
  const { id, type, created } = event
  await database().use(({ orm }) =>
    orm
      .insert(stripeEvents)
      .values({ sellerId: seller, id, type, created, links: linksFor(event), payload })
      .onConflictDoNothing(),
  )
}

export type EventFilter = { seller?: string | undefined; state?: EventState | undefined; ids?: string[] | undefined }

/** Which rows a filter means. */
export const matches = ({ seller, state, ids }: EventFilter): SQL | undefined =>
  and(
    seller === undefined ? undefined : eq(stripeEvents.sellerId, seller),
    state === undefined ? undefined : eq(stripeEvents.state, state),
    ids === undefined ? undefined : inArray(stripeEvents.id, ids),
  )

export type KeptEvent = {
  sellerId: string
  id: string
  type: string
  /** ISO 8601: when it happened at Stripe. */
  createdAt: string
  state: EventState
  error: string | null
  attempts: number
  /** ISO 8601. */
  receivedAt: string
}

const { sellerId, id, type, created, state, error, attempts, receivedAt } = stripeEvents
const COLUMNS = { sellerId, id, type, created, state, error, attempts, receivedAt }

const kept = ({ created: seconds, receivedAt: received, ...row }: Omit<KeptEvent, 'createdAt'> & { created: number }): KeptEvent => ({
  ...row,
  createdAt: new Date(seconds * 1000).toISOString(),
  receivedAt: new Date(received).toISOString(),
})

/** The newest events, newest first. */
export async function listEvents(filter: EventFilter, limit = 100): Promise<KeptEvent[]> {
  const rows = await database().use(({ orm }) =>
    orm.select(COLUMNS).from(stripeEvents).where(matches(filter)).orderBy(desc(created), desc(id)).limit(limit),
  )
  return rows.map(kept)
}

/** Members of Stripe's objects that bear a secret. */
const SECRET = /(^|_)secret$/

/** The event with what Stripe sent, less its client secrets. Several sellers may have one of an id. */
export async function showEvents(filter: EventFilter): Promise<(KeptEvent & { payload: unknown })[]> {
  const rows = await database().use(({ orm }) =>
    orm
      .select({ ...COLUMNS, payload: sql<string>`${stripeEvents.payload}::text` })
      .from(stripeEvents)
      .where(matches(filter)),
  )
  return rows.map(({ payload, ...row }) => ({
    ...kept(row),
    payload: JSON.parse(payload, (name, value: unknown) => (SECRET.test(name) ? undefined : value)) as unknown,
  }))
}

export type EventCounts = { waiting: number; failed: number /** ISO 8601: when the last one came in. */; lastAt: string | undefined }

export async function countEvents(seller: string): Promise<EventCounts> {
  const [open, [last]] = await database().use(({ orm }) =>
    Promise.all([
      orm
        .select({ state, total: count() })
        .from(stripeEvents)
        .where(and(eq(sellerId, seller), sql`state <> 'done'`))
        .groupBy(state),
      orm
        .select({ at: max(receivedAt) })
        .from(stripeEvents)
        .where(eq(sellerId, seller)),
    ]),
  )
  const of = (name: EventState) => open.find((row) => row.state === name)?.total ?? 0
  return { waiting: of('waiting'), failed: of('failed'), lastAt: last?.at ? new Date(last.at).toISOString() : undefined }
}

/** Deletes events that were worked off long ago, a bounded number at a time; their records stay. @returns how many went */
export async function purgeEvents(most = 10_000): Promise<number> {
  const gone = await database().use(({ rows }) =>
    rows(sql`
      delete from ${stripeEvents} where (seller_id, id) in (
        select seller_id, id from ${stripeEvents}
        where state = 'done' and created < extract(epoch from now() - make_interval(days => ${KEPT_DAYS}::int))::bigint order by created limit ${most})
      returning 1`),
  )
  return gone.length
}

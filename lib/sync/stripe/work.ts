/** Works events off, a seller's one after the other: when one has come in, when one is tried again, and what a kill has left. */
import { sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { stripeEvents } from '@/db/schema'
import { isSchemaMismatch, isUnavailable } from '@/db/unavailable'
import { describeError, log } from '../../core/log'
import { holdAccount } from './account'
import { applyEvent } from './apply'
import { envelope } from './event'
import { BadEvent } from './targets'

const list = (links: string[]) =>
  sql`array[${sql.join(
    links.map((link) => sql`${link}`),
    sql`, `,
  )}]::text[]`

type Waiting = { id: string; payload: string }

async function takeNext(connection: Connection, seller: string): Promise<Waiting | undefined> {
  await holdAccount(connection, seller)
  const [next] = await connection.rows<Waiting>(sql`
    select id, payload::text as payload from ${stripeEvents}
    where seller_id = ${seller} and state = 'waiting' order by created, id limit 1`)
  return next
}

function reasonFor(error: unknown): string {
  if (error instanceof BadEvent) return error.message
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  const state = code ?? cause?.code
  log().error({ error: describeError(error) }, 'event not worked off')
  return typeof state === 'string' ? `PostgreSQL refuses it (${state})` : 'a fault of this server, which its log tells of'
}

/** @returns false where none waits. Throws `Unavailable`; the event waits on then. */
async function workNext(seller: string): Promise<boolean> {
  let taken: string | undefined
  try {
    return await database().transaction(async (connection) => {
      const next = await takeNext(connection, seller)
      if (!next) return false
      taken = next.id
      const links = await applyEvent(connection, seller, envelope.parse(JSON.parse(next.payload)))
      await connection.rows(sql`
        update ${stripeEvents} set state = 'done', error = null, attempts = attempts + 1, worked_at = now(), links = ${list(links)}
        where seller_id = ${seller} and id = ${next.id}`)
      return true
    })
  } catch (error) {
    if (isUnavailable(error) || isSchemaMismatch(error) || taken === undefined) throw error
    const failed = taken
    const reason = reasonFor(error)
    await database().use(({ rows }) =>
      rows(sql`
        update ${stripeEvents} set state = 'failed', error = ${reason}, attempts = attempts + 1, worked_at = now()
        where seller_id = ${seller} and id = ${failed} and state = 'waiting'`),
    )
    return true
  }
}

/** The sellers whose events this process works off now, and whether more have come since. */
const working = new Map<string, { more: boolean; done: Promise<void> }>()

/** Works off everything of a seller that waits, once however often it is asked for at a time. Throws `Unavailable`. */
export function workOff(seller: string): Promise<void> {
  const running = working.get(seller)
  if (running) {
    running.more = true
    return running.done
  }
  const mine = { more: true, done: Promise.resolve() }
  working.set(seller, mine)
  const work = async () => {
    try {
      while (mine.more) {
        mine.more = false
        while (await workNext(seller));
      }
    } finally {
      working.delete(seller)
    }
  }
  mine.done = work()
  return mine.done
}

/** Works off what waits of every seller: what came in just before a kill or an outage. */
export async function workOffAll(): Promise<void> {
  const sellers = await database().use(({ rows }) =>
    rows<{ seller: string }>(sql`select distinct seller_id as seller from ${stripeEvents} where state = 'waiting'`),
  )
  for (const { seller } of sellers) await workOff(seller)
}

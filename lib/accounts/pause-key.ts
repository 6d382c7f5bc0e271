/** Pauses API keys that guess ticket codes. The pause is stored in the database, so that it applies on every server. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { type Database, database } from '@/db/client'
import { apiKeys, validationAttempts } from '@/db/schema'
import { instantText } from '../core/sql'
import { type Actor, writeAudit } from './audit'
import { evictPrincipal } from './verify-key'

// Not specified: when a key is paused. A door where some guests show forged tickets stays far below the limit; an attacker soon exceeds it.
const MAX_UNKNOWN = 600
/** The maximum number of entries and exits with one ticket that count as known codes, so that one ticket cannot hide any number of guesses. */
const MAX_ENTRIES_PER_TICKET = 20
const PAUSE = sql`interval '1 hour'`

/** The number of a key's guesses that were refused without being stored as attempts, and the time of the first of them. */
export type RefusedGuesses = { count: number; since: Date }

/** Returns a subquery of a key's attempts in the last hour, or since the end of its last pause if that is later. */
const selectAttempts = (sellerId: string, keyId: string, column: SQL, condition: SQL) => sql`(
  select ${column} from ${validationAttempts}
  where ${validationAttempts.sellerId} = ${sellerId} and ${validationAttempts.actorId} = ${keyId}
    and ${validationAttempts.at} > greatest(now() - ${PAUSE}, ${apiKeys.pausedUntil}) and ${condition})`

/**
 * Pauses a key for an hour if it sent more than 600 unknown codes, and more unknown codes than known ones, in the last hour or, if that is
 * later, since the end of its last pause. Of a ticket's validations, up to 20 entries and exits count, or else one validation, so that
 * repeated previews of one ticket cannot hide guesses.
 *
 * @param pool the connection pool to use
 * @param refused unknown codes that were refused without being stored; ignored if a pause has ended since the first of them
 * @returns whether this call paused the key
 */
export async function pauseIfGuessing(
  sellerId: string,
  keyId: string,
  pool: Database = database(),
  refused?: RefusedGuesses,
): Promise<boolean> {
  const stored = selectAttempts(sellerId, keyId, sql`count(*)`, sql`outcome = 'unknown'`)
  const unknown = refused
    ? sql`${stored} + case when ${apiKeys.pausedUntil} > ${refused.since.toISOString()} then 0 else ${refused.count}::int end`
    : stored
  const entries = sql`count(*) filter (where outcome in ('admitted', 'checked_out'))`
  const perTicket = selectAttempts(
    sellerId,
    keyId,
    sql`least(greatest(${entries}, 1), ${MAX_ENTRIES_PER_TICKET}::int) as count`,
    sql`ticket_id is not null and outcome <> 'idempotency_mismatch' group by ticket_id`,
  )
  const known = sql`(select coalesce(sum(count), 0) from ${perTicket} as tickets)`
  const isGuessing = sql`${apiKeys.id} = ${keyId} and coalesce(${apiKeys.pausedUntil} <= now(), true)
    and ${unknown} > ${MAX_UNKNOWN} and ${unknown} > ${known}`
  const [found] = await pool.query(sql`select 1 from ${apiKeys} where ${isGuessing}`)
  if (!found) return false
  const isPaused = await pool.transaction(async (connection) => {
    const [paused] = await connection.rows<{ name: string; until: string }>(sql`
      update ${apiKeys} set paused_until = now() + ${PAUSE} where ${isGuessing}
      returning ${apiKeys.name} as name, ${instantText(apiKeys.pausedUntil)} as until`)
    if (!paused) return false
    const changes = { pausedUntil: { after: paused.until } }
    await writeAudit(connection, { sellerId, by: undefined, action: 'key.paused', subject: paused.name, changes })
    return true
  })
  evictPrincipal(keyId)
  return isPaused
}

/**
 * Ends a key's pause. This process accepts the key immediately, and every other process within a second. Earlier unknown codes no
 * longer count.
 *
 * @returns false if the seller has no paused key with this ID
 */
export async function resumeKey(sellerId: string, id: string, by?: Actor): Promise<boolean> {
  const isResumed = await database().transaction(async (connection) => {
    const [resumed] = await connection.orm
      .update(apiKeys)
      .set({ pausedUntil: sql`now()` })
      .where(and(eq(apiKeys.sellerId, sellerId), eq(apiKeys.id, id), sql`${apiKeys.pausedUntil} > now()`))
      .returning({ name: apiKeys.name })
    if (resumed) await writeAudit(connection, { sellerId, by, action: 'key.resumed', subject: resumed.name })
    return resumed !== undefined
  })
  evictPrincipal(id)
  return isResumed
}

/** Returns the names of a seller's paused keys, except revoked ones. */
export async function listPausedKeys(sellerId: string): Promise<string[]> {
  const paused = await database().query<{ name: string }>(sql`
    select ${apiKeys.name} as name from ${apiKeys}
    where ${apiKeys.sellerId} = ${sellerId} and ${apiKeys.pausedUntil} > now() and ${apiKeys.revokedAt} is null
    order by ${apiKeys.name}`)
  return paused.map(({ name }) => name)
}

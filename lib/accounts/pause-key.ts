/** Pauses API keys that guess ticket codes. The state is in the database, so that it holds on every server. */
import { and, eq, sql } from 'drizzle-orm'
import { type Database, database } from '@/db/client'
import { apiKeys, validationAttempts } from '@/db/schema'
import { instantText } from '../core/sql'
import { type Actor, writeAudit } from './audit'
import { evictPrincipal } from './verify-key'

// Spec silent: when a key is paused. A door with forged tickets stays far below this limit; an attacker sends little else.
const MAX_UNKNOWN = 600
const PAUSE = sql`interval '1 hour'`

/** The start of the counted period: an hour ago, or the end of the last pause if that is later. */
const attemptsOf = (sellerId: string, keyId: string, isUnknown: boolean) => sql`(
  select count(*) from ${validationAttempts}
  where ${validationAttempts.sellerId} = ${sellerId} and ${validationAttempts.actorId} = ${keyId}
    and ${validationAttempts.at} > greatest(now() - ${PAUSE}, ${apiKeys.pausedUntil})
    ${isUnknown ? sql`and outcome = 'unknown'` : sql``})`

/**
 * Pauses a key for an hour if more than 600 of its validations in the last hour, and more than half of them, had an unknown code.
 *
 * @param pool the connections to use
 * @returns whether this call paused it
 */
export async function pauseIfGuessing(sellerId: string, keyId: string, pool: Database = database()): Promise<boolean> {
  const unknown = attemptsOf(sellerId, keyId, true)
  const isGuessing = sql`${apiKeys.id} = ${keyId} and coalesce(${apiKeys.pausedUntil} <= now(), true)
    and ${unknown} > ${MAX_UNKNOWN} and 2 * ${unknown} > ${attemptsOf(sellerId, keyId, false)}`
  const [found] = await pool.use(({ rows }) => rows(sql`select 1 from ${apiKeys} where ${isGuessing}`))
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
 * Ends the pause of a key. This process accepts it immediately, every other process within a second. Its earlier unknown codes no longer count.
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

/** Returns the names of a seller's paused keys. */
export async function listPausedKeys(sellerId: string): Promise<string[]> {
  const paused = await database().use(({ rows }) =>
    rows<{ name: string }>(sql`
      select ${apiKeys.name} as name from ${apiKeys}
      where ${apiKeys.sellerId} = ${sellerId} and ${apiKeys.pausedUntil} > now() and ${apiKeys.revokedAt} is null
      order by ${apiKeys.name}`),
  )
  return paused.map(({ name }) => name)
}

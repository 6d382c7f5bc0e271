/** Creates, rotates, revokes and lists API keys. Only a key's SHA-256 hash is stored. */
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { apiKeys } from '@/db/schema'
import { newObjectId } from '../core/object-id'
import { instantText } from '../core/sql'
import { type Actor, type Changes, writeAudit } from './audit'
import { nameSchema } from './name-schema'
import type { Scope } from './scopes'
import { addKnownKey, evictPrincipal, generateKey, hashKey } from './verify-key'

export type ApiKey = {
  id: string
  name: string
  scopes: string[]
  /** This time and the following ones are in ISO 8601, or null if they are not set. */
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
  /** The end of the key's pause (pause-key.ts); null if it is not paused. */
  pausedUntil: string | null
}

/** The schema of the name that users give a key. */
export const keyName = nameSchema(100)

type NewKey = { sellerId: string; name: string; scopes: Scope[]; expiresAt?: Date | undefined }

async function insertKey(
  { orm }: Connection,
  { sellerId, name, scopes, expiresAt }: NewKey,
  pausedUntil: string | null = null,
): Promise<{ id: string; key: string }> {
  const id = newObjectId()
  const key = generateKey()
  const hash = hashKey(key)
  await orm.insert(apiKeys).values({ id, sellerId, name, scopes, hash, expiresAt: expiresAt?.toISOString() ?? null, pausedUntil })
  addKnownKey(hash)
  return { id, key }
}

/** Creates a key. @returns its ID, and the key itself, which is not stored and cannot be retrieved later */
export function createKey(key: NewKey, by?: Actor): Promise<{ id: string; key: string }> {
  const { sellerId, name, scopes, expiresAt } = key
  const changes: Changes = { scopes: { after: scopes }, ...(expiresAt ? { expiresAt: { after: expiresAt.toISOString() } } : {}) }
  return database().transaction(async (connection) => {
    const inserted = await insertKey(connection, key)
    await writeAudit(connection, { sellerId, by, action: 'key.created', subject: name, changes })
    return inserted
  })
}

/** Lists a seller's keys, newest first. */
export async function listKeys(sellerId: string): Promise<ApiKey[]> {
  const { id, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = apiKeys
  return database().use(({ orm }) =>
    orm
      .select({
        id,
        name,
        scopes,
        createdAt: instantText(createdAt),
        expiresAt: instantText(expiresAt),
        revokedAt: instantText(revokedAt),
        lastUsedAt: instantText(lastUsedAt),
        pausedUntil: instantText(sql`case when ${apiKeys.pausedUntil} > now() then ${apiKeys.pausedUntil} end`),
      })
      .from(apiKeys)
      .where(eq(apiKeys.sellerId, sellerId))
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
  )
}

/**
 * Revokes a key. This server rejects the key immediately, and every other server within a second. Revoking a key again has no effect.
 *
 * @returns false if the seller has no such key
 */
export async function revokeKey(sellerId: string, id: string, by?: Actor): Promise<boolean> {
  const isKnown = await database().transaction(async (connection) => {
    const [key] = await connection.orm
      .select({ name: apiKeys.name, revokedAt: apiKeys.revokedAt })
      .from(apiKeys)
      .where(and(eq(apiKeys.sellerId, sellerId), eq(apiKeys.id, id)))
      .for('no key update')
    if (!key) return false
    if (key.revokedAt !== null) return true
    await connection.orm.update(apiKeys).set({ revokedAt: sql`now()` }).where(eq(apiKeys.id, id))
    await writeAudit(connection, { sellerId, by, action: 'key.revoked', subject: key.name })
    return true
  })
  evictPrincipal(id)
  return isKnown
}

/**
 * Rotates a key. The new key has the same name, scopes and pause, and the old key's original expiry, even if the old key was rotated
 * before. The old key works until the overlap ends, or until its current expiry if that is earlier.
 *
 * @param overlapMs how long both keys work, in milliseconds
 * @returns the new key and when the old one expires, or undefined if the seller has no active key with this ID
 */
export async function rotateKey(
  sellerId: string,
  id: string,
  overlapMs: number,
  by?: Actor,
): Promise<{ id: string; key: string; oldExpiresAt: string } | undefined> {
  const rotated = await database().transaction(async (connection) => {
    const isActive = and(
      eq(apiKeys.sellerId, sellerId),
      eq(apiKeys.id, id),
      isNull(apiKeys.revokedAt),
      sql`coalesce(${apiKeys.expiresAt}, 'infinity') > now()`,
    )
    const originalExpiry = sql`coalesce(${apiKeys.originalExpiresAt}, ${apiKeys.expiresAt}, 'infinity')`
    const [old] = await connection.orm
      .select({
        name: apiKeys.name,
        scopes: apiKeys.scopes,
        expiresAt: sql<string | null>`nullif(${originalExpiry}, 'infinity')`,
        pausedUntil: apiKeys.pausedUntil,
      })
      .from(apiKeys)
      .where(isActive)
      .for('no key update')
    if (!old) return undefined
    const overlapEnd = sql`now() + ${`${overlapMs} milliseconds`}::interval`
    const [updated] = await connection.orm
      .update(apiKeys)
      .set({ expiresAt: sql`least(${apiKeys.expiresAt}, ${overlapEnd})`, originalExpiresAt: originalExpiry })
      .where(eq(apiKeys.id, id))
      .returning({ expiresAt: apiKeys.expiresAt })
    if (!updated?.expiresAt) return undefined
    const expiresAt = old.expiresAt === null ? undefined : new Date(old.expiresAt)
    const renewed = { sellerId, name: old.name, scopes: old.scopes as Scope[], expiresAt }
    const next = await insertKey(connection, renewed, old.pausedUntil)
    const oldExpiresAt = new Date(updated.expiresAt).toISOString()
    const changes = { oldExpiresAt: { after: oldExpiresAt } }
    await writeAudit(connection, { sellerId, by, action: 'key.rotated', subject: old.name, changes })
    return { ...next, oldExpiresAt }
  })
  evictPrincipal(id)
  return rotated
}

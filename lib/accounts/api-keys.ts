/** API keys: made, checked, rolled and revoked. A key is stored as its SHA-256 alone. */
import { createHash, randomInt } from 'node:crypto'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { type Connection, type Database, database } from '@/db/client'
import { lane } from '@/db/pools'
import { apiKeys } from '@/db/schema'
import { newObjectId } from '../core/object-id'
import { type Actor, type Changes, writeAudit } from './audit'
import { crc32 } from './crc32'
import { nameOf } from './name-schema'
import type { Scope } from './scopes'

// Spec silent: what a key looks like, and how one is issued and rotated.
const PREFIX = 'desk_'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const SHAPE = /^desk_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** Who a request comes from: the key it was sent with. */
export type Principal = { keyId: string; sellerId: string; scopes: readonly string[] }

export type ApiKey = {
  id: string
  name: string
  scopes: string[]
  /** Instants as ISO 8601; absent ones are null. */
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
}

const toBase62 = (value: number, length: number) => {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text
  return text
}

const checksum = (random: string) => toBase62(crc32(random), 6)

function newKey(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62.charAt(randomInt(62))).join('')
  return PREFIX + random + checksum(random)
}

/** True for a key that could be one of ours: a mistyped one is told by its checksum, without a query. */
export function isWellFormedKey(key: string): boolean {
  const match = SHAPE.exec(key)
  return match !== null && checksum(match[1] ?? '') === match[2]
}

const hashOf = (key: string) => createHash('sha256').update(key).digest()

/**
 * Who a key stands for, or undefined where it is unknown, revoked or expired: a caller is not told which.
 *
 * @param pool whose connections are asked
 */
export async function findPrincipal(key: string, pool: Database = lane('keys')): Promise<Principal | undefined> {
  if (!isWellFormedKey(key)) return undefined
  const [found] = await pool.use(({ rows }) =>
    rows<Principal>(sql`
      select ${apiKeys.id} as "keyId", ${apiKeys.sellerId} as "sellerId", ${apiKeys.scopes} as scopes from ${apiKeys}
      where ${apiKeys.hash} = ${hashOf(key)} and ${apiKeys.revokedAt} is null
        and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())`),
  )
  return found
}

/** What a key may be called: it is how people tell it from the others. */
export const keyName = nameOf(100)

export type NewKey = { sellerId: string; name: string; scopes: Scope[]; expiresAt?: Date | undefined }

async function insertKey({ orm }: Connection, { sellerId, name, scopes, expiresAt }: NewKey): Promise<{ id: string; key: string }> {
  const id = newObjectId()
  const key = newKey()
  await orm.insert(apiKeys).values({ id, sellerId, name, scopes, hash: hashOf(key), expiresAt: expiresAt?.toISOString() ?? null })
  return { id, key }
}

/** @returns the key itself, this once: it can't be read again */
export function createKey(key: NewKey, by?: Actor): Promise<{ id: string; key: string }> {
  const { sellerId, name, scopes, expiresAt } = key
  const changes: Changes = { scopes: { after: scopes }, ...(expiresAt ? { expiresAt: { after: expiresAt.toISOString() } } : {}) }
  return database().transaction(async (connection) => {
    const made = await insertKey(connection, key)
    await writeAudit(connection, { sellerId, by, action: 'key.created', subject: name, changes })
    return made
  })
}

/** A seller's keys, newest first. */
export async function listKeys(sellerId: string): Promise<ApiKey[]> {
  const { id, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = apiKeys
  const keys = await database().use(({ orm }) =>
    orm
      .select({ id, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt })
      .from(apiKeys)
      .where(eq(apiKeys.sellerId, sellerId))
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id)),
  )
  const iso = (instant: string | null) => (instant === null ? null : new Date(instant).toISOString())
  return keys.map((key) => ({
    ...key,
    createdAt: new Date(key.createdAt).toISOString(),
    expiresAt: iso(key.expiresAt),
    revokedAt: iso(key.revokedAt),
    lastUsedAt: iso(key.lastUsedAt),
  }))
}

/** Ends a key: the next request with it fails. Answers false where the seller has no such key. Twice is once. */
export function revokeKey(sellerId: string, id: string, by?: Actor): Promise<boolean> {
  return database().transaction(async (connection) => {
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
}

/**
 * Gives a key a successor with its name and scopes. The old one lives on for the overlap, or until it expires anyway.
 *
 * @param overlapMs how long both work, in milliseconds
 * @returns the new key, or undefined where the seller has no such key that still works
 */
export function rollKey(
  sellerId: string,
  id: string,
  overlapMs: number,
  by?: Actor,
): Promise<{ id: string; key: string; oldExpiresAt: string } | undefined> {
  return database().transaction(async (connection) => {
    const ends = sql`now() + ${`${overlapMs} milliseconds`}::interval`
    const [old] = await connection.orm
      .update(apiKeys)
      .set({ expiresAt: sql`least(coalesce(${apiKeys.expiresAt}, 'infinity'), ${ends})` })
      .where(
        and(
          eq(apiKeys.sellerId, sellerId),
          eq(apiKeys.id, id),
          isNull(apiKeys.revokedAt),
          sql`coalesce(${apiKeys.expiresAt}, 'infinity') > now()`,
        ),
      )
      .returning({ name: apiKeys.name, scopes: apiKeys.scopes, expiresAt: apiKeys.expiresAt })
    if (!old?.expiresAt) return undefined
    const next = await insertKey(connection, { sellerId, name: old.name, scopes: old.scopes as Scope[] })
    const oldExpiresAt = new Date(old.expiresAt).toISOString()
    await writeAudit(connection, {
      sellerId,
      by,
      action: 'key.rolled',
      subject: old.name,
      changes: { oldExpiresAt: { after: oldExpiresAt } },
    })
    return { ...next, oldExpiresAt }
  })
}

const TOUCH_MS = 60_000
const touched = new Map<string, number>()

/**
 * Records that a key was used, at most once a minute. Returns at once: the write is no part of the request.
 *
 * @param onError told where the write failed; the request it belongs to has been answered by then
 */
export function touchKey(id: string, onError: (error: unknown) => void): void {
  const now = Date.now()
  if (now - (touched.get(id) ?? 0) < TOUCH_MS) return
  touched.set(id, now)
  database()
    .use(({ orm }) => orm.update(apiKeys).set({ lastUsedAt: sql`now()` }).where(eq(apiKeys.id, id)))
    .catch(onError)
}

/**
 * Encrypted copies of items that a user has just deleted. The user's browser keeps the copy while the deletion can be undone, so the
 * database does not have to.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { erasures } from '@/db/schema'
import { seal, tryUnseal } from '../core/seal'
import type { SessionUser } from './sessions'

/** How long a deleted item can be restored. The undo button is shown for a shorter time. */
const LIFETIME = sql`interval '10 minutes'`

type Kind = 'view' | 'note'
type User = Pick<SessionUser, 'userId' | 'sellerId'>

/** Returns the owner that a copy is encrypted for: only the user who deleted an item can restore it, and only in the same shop. */
const copyOwner = (kind: Kind, { sellerId, userId }: User) => ['deleted', kind, sellerId, userId].join(' ')

/** Encrypts a deleted item. */
export const sealDeleted = async (kind: Kind, user: User, item: object): Promise<string> =>
  (await seal(JSON.stringify(item), copyOwner(kind, user))).toString('base64url')

/** Decrypts a deleted item. Returns undefined if the copy was changed, belongs to another user or shop, or is of another kind. */
export async function unsealDeleted<T>(kind: Kind, user: User, copy: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await tryUnseal(Buffer.from(copy, 'base64url'), copyOwner(kind, user))
  return text === undefined ? undefined : schema.parse(JSON.parse(text))
}

/**
 * Returns the SQL condition that an item was deleted recently, and that no customer has been erased since, because it could contain their
 * data.
 *
 * @param deletedAtMs the time of the deletion in Unix milliseconds, by the database's clock, like the times of erasures
 */
export function isRestorable(sellerId: string, deletedAtMs: number): SQL {
  const deletedAt = sql`${new Date(deletedAtMs).toISOString()}::timestamptz`
  return sql`${deletedAt} >= now() - ${LIFETIME}
    and not exists (select from ${erasures} where seller_id = ${sellerId} and at >= ${deletedAt})`
}

/** Hashes a user's credentials, so that changes to them can be detected. */
import { eq, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { twoFactors, users } from '@/db/schema'

/**
 * An expression for the hash, for queries that join `twoFactors`. It changes whenever the password or two-factor authentication changes.
 */
export const credentialsHash = sql<string>`encode(sha256(convert_to(${users.passwordHash}, 'UTF8') || coalesce(${twoFactors.secret}, '')), 'hex')`

/** Returns the hash of a user's current credentials, or undefined if the user does not exist. */
export async function readCredentialsHash(userId: string): Promise<string | undefined> {
  const [user] = await database().use(({ orm }) =>
    orm.select({ hash: credentialsHash }).from(users).leftJoin(twoFactors, eq(twoFactors.userId, users.id)).where(eq(users.id, userId)),
  )
  return user?.hash
}

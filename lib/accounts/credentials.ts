/** A hash of a user's credentials, to detect when they have changed. */
import { eq, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { twoFactors, users } from '@/db/schema'

/** The hash in a statement that joins `twoFactors`. It changes with the password, and when two-factor authentication is turned on or off. */
export const credentialsHash = sql<string>`encode(sha256(convert_to(${users.passwordHash}, 'UTF8') || coalesce(${twoFactors.secret}, '')), 'hex')`

/** Returns the hash of a user's current credentials, or undefined for an unknown user. */
export async function readCredentialsHash(userId: string): Promise<string | undefined> {
  const [user] = await database().use(({ orm }) =>
    orm.select({ hash: credentialsHash }).from(users).leftJoin(twoFactors, eq(twoFactors.userId, users.id)).where(eq(users.id, userId)),
  )
  return user?.hash
}

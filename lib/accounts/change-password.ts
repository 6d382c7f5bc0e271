/** Lets users change their own password. Requires the current password, and throttles attempts after repeated wrong passwords. */
import { and, eq, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { twoFactors, users } from '@/db/schema'
import { AccountError } from './account-error'
import { writeAudit } from './audit'
import { readCredentialsHash } from './credentials'
import { hashPassword, verifyPassword } from './passwords'
import { endUserSessions, type SessionUser } from './sessions'
import { countAttempt, forgetFailures, type KnownDevice, undoAttempts, userSubject } from './sign-in-throttle'

/**
 * Verifies a user's own password.
 *
 * @param device the browser, if it has been used to sign in before
 * @returns the password's hash
 * @throws {AccountError} `password_wrong`
 * @throws {TooManyAttemptsError} after five wrong passwords, counted together with wrong passwords at sign-in
 */
export async function verifyOwnPassword(userId: string, password: string, device?: KnownDevice): Promise<string> {
  const { subject } = userSubject(userId, await readCredentialsHash(userId), device)
  await countAttempt(subject)
  const [user] = await database().use(({ orm }) =>
    orm
      .select({ hash: users.passwordHash, hasTwoFactor: sql<boolean>`${twoFactors.userId} is not null` })
      .from(users)
      .leftJoin(twoFactors, eq(twoFactors.userId, users.id))
      .where(eq(users.id, userId)),
  )
  if (!(await verifyPassword(user?.hash, password)) || !user) throw new AccountError('password_wrong')
  // As in `signIn`: if the correct password reset the count of failures, a two-factor code could be guessed without limit.
  await (user.hasTwoFactor ? undoAttempts([subject]) : forgetFailures(subject))
  return user.hash
}

/**
 * Changes a user's own password and ends their other sessions.
 *
 * @param currentSessionId the session that stays valid
 * @param old the current password
 * @param next the new password
 * @param device the browser, if it has been used to sign in before
 * @throws {AccountError} `password_wrong`
 * @throws {TooManyAttemptsError} like `verifyOwnPassword`
 */
export async function changePassword(
  { userId, email, sellerId }: Pick<SessionUser, 'userId' | 'email' | 'sellerId'>,
  currentSessionId: string,
  { old, next }: { old: string; next: string },
  device?: KnownDevice,
): Promise<void> {
  const oldHash = await verifyOwnPassword(userId, old, device)
  const passwordHash = await hashPassword(next)
  await database().transaction(async (connection) => {
    // Changes nothing if the password was changed in the meantime, because the entered password is then no longer the current one.
    const changed = await connection.orm
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, userId), eq(users.sellerId, sellerId), eq(users.passwordHash, oldHash)))
      .returning({ id: users.id })
    if (changed.length === 0) throw new AccountError('password_wrong')
    await endUserSessions(connection, userId, currentSessionId)
    await writeAudit(connection, { sellerId, by: { userId, email }, action: 'password.changed', subject: email })
  })
}

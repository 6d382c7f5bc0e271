/** A user's own password: changed by who knows the old one, slowed down where it is guessed. */
import { and, eq } from 'drizzle-orm'
import { database } from '@/db/client'
import { users } from '@/db/schema'
import { Refusal, SlowedDown } from './account-error'
import { writeAudit } from './audit'
import { hashPassword, verifyPassword } from './passwords'
import { endSessionsOf, type Person } from './sessions'
import { accountSubject, countFailure, forgetFailures, waitOf } from './sign-in-throttle'

/**
 * Changes a user's own password. Every other session of theirs ends.
 *
 * @param kept the session that asks, which stays
 * @throws {Refusal} `password_wrong`
 * @throws {SlowedDown} after five wrong ones, counted with those of signing in
 */
export async function changePassword(
  { userId, email, sellerId }: Pick<Person, 'userId' | 'email' | 'sellerId'>,
  kept: string,
  { old, next }: { old: string; next: string },
): Promise<void> {
  const account = accountSubject(email)
  const seconds = await waitOf([account])
  if (seconds > 0) throw new SlowedDown(seconds)
  const [user] = await database().use(({ orm }) => orm.select({ hash: users.passwordHash }).from(users).where(eq(users.id, userId)))
  if (!(await verifyPassword(user?.hash, old)) || !user) {
    await countFailure([account])
    throw new Refusal('password_wrong')
  }
  const passwordHash = await hashPassword(next)
  await database().transaction(async (connection) => {
    // One that the operator has set meanwhile stays: the old password that was given is none any more.
    const changed = await connection.orm
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, userId), eq(users.sellerId, sellerId), eq(users.passwordHash, user.hash)))
      .returning({ id: users.id })
    if (changed.length === 0) throw new Refusal('password_wrong')
    await endSessionsOf(connection, userId, kept)
    await writeAudit(connection, { sellerId, by: { userId, email }, action: 'password.changed', subject: email })
  })
  await forgetFailures(account)
}

/** Signs users in with email and password, throttled after wrong passwords. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { users } from '@/db/schema'
import { verifyPassword } from './passwords'
import { createSession } from './sessions'
import { accountSubject, addressSubject, countFailure, forgetFailures, waitOf } from './sign-in-throttle'

export type SignIn =
  | { outcome: 'signed_in'; userId: string; sessionId: string }
  /** The same outcome for an unknown user, a wrong password and a disabled user. */
  | { outcome: 'wrong' }
  | { outcome: 'too_many_attempts'; seconds: number }

/**
 * Signs a user in. An unknown user and a wrong password take the same time and return the same outcome.
 *
 * @param address the client's IP address, which several users may share
 */
export async function signIn(email: string, password: string, address: string): Promise<SignIn> {
  const account = accountSubject(email)
  const subjects = [account, addressSubject(address)]
  const seconds = await waitOf(subjects)
  if (seconds > 0) return { outcome: 'too_many_attempts', seconds }
  const [user] = await database().use(({ rows }) =>
    rows<{ id: string; passwordHash: string }>(sql`
      select ${users.id} as id, ${users.passwordHash} as "passwordHash" from ${users}
      where desk_fold(${users.email}) = desk_fold(${email.trim()}::text) and ${users.disabledAt} is null`),
  )
  if (!(await verifyPassword(user?.passwordHash, password)) || !user) {
    await countFailure(subjects)
    return { outcome: 'wrong' }
  }
  const sessionId = await createSession(user.id, user.passwordHash)
  // The user was disabled or got a new password during the check.
  if (sessionId === undefined) return { outcome: 'wrong' }
  // The address keeps its failures: signing in to one account must not allow more guesses at others.
  await forgetFailures(account)
  return { outcome: 'signed_in', userId: user.id, sessionId }
}

/** Signing in with an e-mail address and a password, slowed down where passwords are guessed. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { users } from '@/db/schema'
import { verifyPassword } from './passwords'
import { createSession } from './sessions'
import { accountSubject, addressSubject, countFailure, forgetFailures, waitOf } from './sign-in-throttle'

export type SignIn =
  | { outcome: 'signed_in'; userId: string; sessionId: string }
  /** Unknown user, wrong password and disabled user: one answer. */
  | { outcome: 'wrong' }
  | { outcome: 'slowed'; seconds: number }

/**
 * Signs a user in. An unknown user and a wrong password take the same time and give the same answer.
 *
 * @param address where the request comes from; several users may share it
 */
export async function signIn(email: string, password: string, address: string): Promise<SignIn> {
  const account = accountSubject(email)
  const subjects = [account, addressSubject(address)]
  const seconds = await waitOf(subjects)
  if (seconds > 0) return { outcome: 'slowed', seconds }
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
  // Disabled, or given another password, while this one was checked.
  if (sessionId === undefined) return { outcome: 'wrong' }
  // The address keeps its count: a right password of one account must not pay for guesses at others.
  await forgetFailures(account)
  return { outcome: 'signed_in', userId: user.id, sessionId }
}

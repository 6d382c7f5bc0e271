/** Signing in with an e-mail address and a password, slowed down where passwords are guessed. */
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { signInFailures, users } from '@/db/schema'
import { verifyPassword } from './passwords'
import { createSession } from './sessions'

/** So many wrong passwords are anybody's; each one more doubles the wait. */
const FREE_FAILURES = 5
const FIRST_WAIT_SECONDS = 5
const LONGEST_WAIT_SECONDS = 15 * 60
/** After this without a failure the count begins anew. */
const MEMORY = sql`interval '1 hour'`

export type SignIn =
  | { outcome: 'signed_in'; userId: string; sessionId: string }
  /** Unknown user, wrong password and disabled user: one answer. */
  | { outcome: 'wrong' }
  | { outcome: 'slowed'; seconds: number }

const subjectOf = (kind: 'account' | 'address', name: string) => createHash('sha256').update(`${kind} ${name}`).digest()

/** How many seconds a try has to wait; 0 where it has not. */
async function waitOf(subjects: Buffer[]): Promise<number> {
  const [row] = await database().use(({ rows }) =>
    rows<{ wait: number }>(sql`
      select coalesce(max(ceil(extract(epoch from ${signInFailures.lastAt} - now())
        + least(${LONGEST_WAIT_SECONDS}, ${FIRST_WAIT_SECONDS} * power(2, least(${signInFailures.failures} - ${FREE_FAILURES}, 20))))), 0)::int as wait
      from ${signInFailures}
      where ${signInFailures.subject} in (${sql.join(
        subjects.map((subject) => sql`${subject}`),
        sql`, `,
      )})
        and ${signInFailures.failures} >= ${FREE_FAILURES} and ${signInFailures.lastAt} > now() - ${MEMORY}`),
  )
  return Math.max(0, row?.wait ?? 0)
}

const countFailure = (subjects: Buffer[]) =>
  database().use(({ rows }) =>
    rows(sql`
      insert into ${signInFailures} as known (subject, failures, last_at)
      values ${sql.join(
        subjects.map((subject) => sql`(${subject}, 1, now())`),
        sql`, `,
      )}
      on conflict (subject) do update
        set failures = case when known.last_at > now() - ${MEMORY} then known.failures + 1 else 1 end, last_at = now()`),
  )

/**
 * Signs a user in. An unknown user and a wrong password take the same time and give the same answer.
 *
 * @param address where the request comes from; several users may share it
 */
export async function signIn(email: string, password: string, address: string): Promise<SignIn> {
  const subjects = [subjectOf('account', email.trim().toLowerCase()), subjectOf('address', address)]
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
  // The address keeps its count: a right password of one account must not pay for guesses at others.
  await database().use(({ rows }) => rows(sql`delete from ${signInFailures} where ${signInFailures.subject} = ${subjects[0]}`))
  return { outcome: 'signed_in', userId: user.id, sessionId: await createSession(user.id) }
}

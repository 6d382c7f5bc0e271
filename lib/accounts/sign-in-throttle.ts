/** Wrong passwords are counted, by account and by address, and make the next try wait. */
import { createHash } from 'node:crypto'
import { inArray, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { signInFailures } from '@/db/schema'

/** So many wrong passwords are anybody's; each one more doubles the wait. */
const FREE_FAILURES = 5
const FIRST_WAIT_SECONDS = 5
const LONGEST_WAIT_SECONDS = 15 * 60
/** After this without a failure the count begins anew. */
const MEMORY = sql`interval '1 hour'`

const subjectOf = (kind: 'account' | 'address', name: string) => createHash('sha256').update(`${kind} ${name}`).digest()

/** What an account's failures are counted under, whether there is such an account or not. */
export const accountSubject = (email: string) => subjectOf('account', email.trim().toLowerCase())
export const addressSubject = (address: string) => subjectOf('address', address)

/** How many seconds a try has to wait; 0 where it has not. */
export async function waitOf(subjects: Buffer[]): Promise<number> {
  const [row] = await database().use(({ rows }) =>
    rows<{ wait: number }>(sql`
      select coalesce(max(ceil(extract(epoch from ${signInFailures.lastAt} - now())
        + least(${LONGEST_WAIT_SECONDS}, ${FIRST_WAIT_SECONDS} * power(2, least(${signInFailures.failures} - ${FREE_FAILURES}, 20))))), 0)::int as wait
      from ${signInFailures}
      where ${inArray(signInFailures.subject, subjects)}
        and ${signInFailures.failures} >= ${FREE_FAILURES} and ${signInFailures.lastAt} > now() - ${MEMORY}`),
  )
  return Math.max(0, row?.wait ?? 0)
}

export async function countFailure(subjects: Buffer[]): Promise<void> {
  await database().use(({ rows }) =>
    rows(sql`
      insert into ${signInFailures} as known (subject, failures, last_at)
      values ${sql.join(
        subjects.map((subject) => sql`(${subject}, 1, now())`),
        sql`, `,
      )}
      on conflict (subject) do update
        set failures = case when known.last_at > now() - ${MEMORY} then known.failures + 1 else 1 end, last_at = now()`),
  )
}

export async function forgetFailures(subject: Buffer): Promise<void> {
  await database().use(({ rows }) => rows(sql`delete from ${signInFailures} where ${signInFailures.subject} = ${subject}`))
}

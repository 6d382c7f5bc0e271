/** Counts wrong passwords by account and by client address, and delays further attempts. */
import { createHash } from 'node:crypto'
import { inArray, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { signInFailures } from '@/db/schema'

/** Failures without a delay; each further one doubles the delay. */
const FREE_FAILURES = 5
const MIN_WAIT_SECONDS = 5
const MAX_WAIT_SECONDS = 15 * 60
/** The count resets after this time without a failure. */
const RESET_AFTER = sql`interval '1 hour'`

const subjectOf = (kind: 'account' | 'address', name: string) => createHash('sha256').update(`${kind} ${name}`).digest()

/** Returns the key under which an account's failures are counted, whether the account exists or not. */
export const accountSubject = (email: string) => subjectOf('account', email.trim().toLowerCase())
export const addressSubject = (address: string) => subjectOf('address', address)

/** Returns the seconds until the next attempt is allowed, or 0. */
export async function waitOf(subjects: Buffer[]): Promise<number> {
  const [row] = await database().use(({ rows }) =>
    rows<{ wait: number }>(sql`
      select coalesce(max(ceil(extract(epoch from ${signInFailures.lastAt} - now())
        + least(${MAX_WAIT_SECONDS}, ${MIN_WAIT_SECONDS} * power(2, least(${signInFailures.failures} - ${FREE_FAILURES}, 20))))), 0)::int as wait
      from ${signInFailures}
      where ${inArray(signInFailures.subject, subjects)}
        and ${signInFailures.failures} >= ${FREE_FAILURES} and ${signInFailures.lastAt} > now() - ${RESET_AFTER}`),
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
        set failures = case when known.last_at > now() - ${RESET_AFTER} then known.failures + 1 else 1 end, last_at = now()`),
  )
}

export async function forgetFailures(subject: Buffer): Promise<void> {
  await database().use(({ rows }) => rows(sql`delete from ${signInFailures} where ${signInFailures.subject} = ${subject}`))
}

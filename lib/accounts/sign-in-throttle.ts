/** Throttles sign-in attempts: counts them before they are evaluated, and delays further ones after repeated failures. */
import { createHash } from 'node:crypto'
import { inArray, type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { signInFailures } from '@/db/schema'
import { reportLoad } from '@/db/semaphore'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'
import { TooManyAttemptsError } from './account-error'

/**
 * The number of failures after which attempts are delayed: first by `MIN_WAIT_SECONDS`, and after each further failure by twice as long.
 */
const FREE_FAILURES = 5
const MIN_WAIT_SECONDS = 5
const MAX_WAIT_SECONDS = 15 * 60
/** A subject's count is reset after this time without a failure. */
const RESET_AFTER = sql`interval '1 hour'`

let refused = 0
reportLoad('sign_ins', () => ({ active: 0, waiting: 0, refused }))

/**
 * Returns the hash of a subject whose attempts are counted: a user, an email address without a user, a client's IP address, or a user on
 * all of their known devices.
 */
const hashSubject = (kind: 'user' | 'account' | 'address' | 'device', name: string) =>
  createHash('sha256').update(`${kind} ${name}`).digest()

/** A browser that has been used to sign in before: the users who signed in, and the hashes of their credentials at that time. */
export type KnownDevice = { users: { id: string; credentialsHash: string }[] }

/**
 * Returns the subject that a user's attempts count toward. Devices that have signed in with the user's current credentials have a
 * separate subject, so that others cannot lock the user out of them. All of these devices share it: if each had its own, someone who has
 * stolen the password could sign in on more devices to get more attempts.
 */
export function userSubject(userId: string, credentialsHash?: string, device?: KnownDevice): { subject: Buffer; isKnownDevice: boolean } {
  const isKnownDevice = device?.users.some((user) => user.id === userId && user.credentialsHash === credentialsHash) ?? false
  return { subject: hashSubject(isKnownDevice ? 'device' : 'user', userId), isKnownDevice }
}

/** Returns the subject for attempts with an email address that no user has. @param email normalized by `normalizeEmail` */
export const accountSubject = (email: string) => hashSubject('account', email)

/** Returns the subject for attempts from a client's IP address. */
export const addressSubject = (address: string) => hashSubject('address', address)

/** Returns the delay after a number of failures, as a SQL interval. */
const delay = (failures: SQL) =>
  sql`make_interval(secs => case when ${failures} < ${FREE_FAILURES} then 0
    else least(${MAX_WAIT_SECONDS}, ${MIN_WAIT_SECONDS} * power(2, least(${failures} - ${FREE_FAILURES}, 20))) end)`

/**
 * Counts an attempt as a failure for each subject that does not have to wait, before the attempt is evaluated, so that parallel attempts
 * cannot exceed the limit. If the attempt succeeds, call `undoAttempts` or `forgetFailures` to undo the count.
 *
 * @returns the subjects that were counted; for the others, the attempt must not be evaluated
 */
export async function countAttempts(subjects: Buffer[]): Promise<Buffer[]> {
  // All callers lock the rows in the same order, to prevent deadlocks.
  const values = subjects.toSorted(Buffer.compare).map((subject) => sql`(${subject}, 1, now())`)
  const counted = await database().query<{ subject: Buffer }>(sql`
    insert into ${signInFailures} as known (subject, failures, last_at) values ${sql.join(values, sql`, `)}
    on conflict (subject) do update
      set failures = case when known.last_at > now() - ${RESET_AFTER} then known.failures + 1 else 1 end,
        last_at = greatest(known.last_at, now())
      where known.failures < ${FREE_FAILURES} or known.last_at + ${delay(sql`known.failures`)} <= now()
    returning subject`)
  if (counted.length < subjects.length) refused += 1
  return counted.map(({ subject }) => subject)
}

/** Counts an attempt for one subject, like `countAttempts`. @throws {TooManyAttemptsError} if the subject has to wait */
export async function countAttempt(subject: Buffer): Promise<void> {
  if ((await countAttempts([subject])).length === 0) throw new TooManyAttemptsError(Math.max(1, await readWait([subject])))
}

/** Undoes one counted attempt for each subject. Leaves no delay, because the attempt was counted after the previous delay had elapsed. */
export async function undoAttempts(subjects: Buffer[]): Promise<void> {
  await database().query(sql`
    update ${signInFailures} as known
    set failures = greatest(known.failures - 1, 0), last_at = now() - ${delay(sql`known.failures - 1`)}
    from (select subject from ${signInFailures} where ${inArray(signInFailures.subject, subjects)} order by subject for update) as held
    where known.subject = held.subject`)
}

/** Returns the number of seconds until an attempt is allowed for all subjects; 0 if it is already allowed. */
export async function readWait(subjects: Buffer[]): Promise<number> {
  const [row] = await database().query<{ wait: number }>(sql`
    select coalesce(max(ceil(extract(epoch from ${signInFailures.lastAt} - now() + ${delay(sql`${signInFailures.failures}`)}))), 0)::int as wait
    from ${signInFailures} where ${inArray(signInFailures.subject, subjects)} and ${signInFailures.lastAt} > now() - ${RESET_AFTER}`)
  return Math.max(0, row?.wait ?? 0)
}

/** Resets the count of a subject's failures. */
export async function forgetFailures(subject: Buffer): Promise<void> {
  await database().query(sql`delete from ${signInFailures} where ${signInFailures.subject} = ${subject}`)
}

/** Deletes counts that have expired. */
export const purgeSignInFailures = (): Promise<void> =>
  purgeInBatches(sql`
    delete from ${signInFailures} where subject in (
      select subject from ${signInFailures} where ${signInFailures.lastAt} <= now() - ${RESET_AFTER} limit ${PURGE_BATCH})
    returning 1`)

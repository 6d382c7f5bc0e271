/** Sessions: a row behind each signed-in browser, asked at each request, so that ending it counts at once. */
import { randomBytes } from 'node:crypto'
import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { getPool } from '@/db/pools'
import { sellers, sessions, users } from '@/db/schema'
import type { Role } from './roles'

export const SESSION_DAYS = 14

/** Who sits at the browser, and whose shop it is. */
export type Person = {
  userId: string
  email: string
  role: Role
  sellerId: string
  sellerName: string
  timeZone: string
}

/**
 * Signs a browser in. The user's row is locked against a change that is under way: a password that has just been replaced
 * opens nothing.
 *
 * @param passwordHash the one that the given password was found to fit
 * @returns the session's id, which goes into the browser's signed cookie; undefined where the user has no such password any more
 */
export async function createSession(userId: string, passwordHash: string): Promise<string | undefined> {
  const id = randomBytes(18).toString('base64url')
  const made = await database().use(({ rows }) =>
    rows(sql`
      insert into ${sessions} (id, user_id, expires_at)
      select ${id}, ${users.id}, now() + make_interval(days => ${SESSION_DAYS}) from ${users}
      where ${users.id} = ${userId} and ${users.passwordHash} = ${passwordHash} and ${users.disabledAt} is null
      for share
      returning 1`),
  )
  return made.length > 0 ? id : undefined
}

/**
 * The person behind a session, or undefined where it has ended, expired, or its user is disabled.
 *
 * @param atDoor a guest waits on it: it is asked on connections that no page of the dashboard can take
 */
export async function findPerson(sessionId: string, atDoor = false): Promise<Person | undefined> {
  const pool = atDoor ? getPool('doorKeys') : database()
  const [person] = await pool.use(({ rows }) =>
    rows<Person>(sql`
      select ${users.id} as "userId", ${users.email} as email, ${users.role} as role,
        ${sellers.id} as "sellerId", ${sellers.name} as "sellerName", ${sellers.timeZone} as "timeZone"
      from ${sessions} join ${users} on ${users.id} = ${sessions.userId} join ${sellers} on ${sellers.id} = ${users.sellerId}
      where ${sessions.id} = ${sessionId} and ${sessions.endedAt} is null and ${sessions.expiresAt} > now() and ${users.disabledAt} is null`),
  )
  return person
}

export async function endSession(id: string): Promise<void> {
  await database().use(({ orm }) =>
    orm
      .update(sessions)
      .set({ endedAt: sql`now()` })
      .where(and(eq(sessions.id, id), isNull(sessions.endedAt))),
  )
}

/** Signs a user out everywhere, or everywhere else. @param kept the session that stays */
export async function endSessionsOf({ orm }: Connection, userId: string, kept?: string): Promise<void> {
  await orm
    .update(sessions)
    .set({ endedAt: sql`now()` })
    .where(and(eq(sessions.userId, userId), isNull(sessions.endedAt), kept === undefined ? undefined : ne(sessions.id, kept)))
}

/** Sessions: one row per sign-in, checked on each request, so that ending a session takes effect immediately. */
import { randomBytes } from 'node:crypto'
import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { sellers, sessions, twoFactors, users } from '@/db/schema'
import { credentialsHash } from './credentials'
import { lookUpAtDoor } from './door-lookups'
import type { Role } from './roles'

/** How long a session lasts, in days. */
export const SESSION_DAYS = 14

/** The names of next-auth's session cookie over HTTPS and over HTTP. A browser can have both if the server has switched to HTTPS. */
export const SESSION_COOKIES = ['__Secure-next-auth.session-token', 'next-auth.session-token'] as const

const COOKIE_PATTERNS = SESSION_COOKIES.map((name) => new RegExp(`(?:^|; *)${name.replace('.', '\\.')}=([^;]+)`))

/** Returns the session token in a `Cookie` header, without verifying it. Prefers the cookie for HTTPS. */
export function readSessionToken(cookies: string | null | undefined): string | undefined {
  return COOKIE_PATTERNS.map((pattern) => pattern.exec(cookies ?? '')?.[1]).find((token) => token !== undefined)
}

/** A signed-in user with their shop. */
export type SessionUser = {
  userId: string
  email: string
  role: Role
  sellerId: string
  sellerName: string
  timeZone: string
  hasTwoFactor: boolean
  /** Whether the seller requires two-factor authentication. */
  requiresTwoFactor: boolean
}

/** Returns whether a user must set up two-factor authentication before they can use anything except the settings of their account. */
export const mustSetUpTwoFactor = ({ requiresTwoFactor, hasTwoFactor }: SessionUser) => requiresTwoFactor && !hasTwoFactor

/**
 * Creates a session. Locks the user's row, so that credentials that are being replaced cannot be used.
 *
 * @param verifiedHash the hash (credentials.ts) of the credentials that were verified
 * @returns the session's ID, or undefined if the user is disabled or their password or two-factor authentication has changed
 */
export async function createSession(userId: string, verifiedHash: string): Promise<string | undefined> {
  const id = randomBytes(18).toString('base64url')
  const inserted = await database().transaction(async ({ rows }) => {
    await rows(sql`select 1 from ${users} where ${users.id} = ${userId} for share`)
    // A separate statement, so that it sees changes committed while the first one waited for the lock.
    return rows(sql`
      insert into ${sessions} (id, user_id, expires_at)
      select ${id}, ${users.id}, now() + make_interval(days => ${SESSION_DAYS})
      from ${users} left join ${twoFactors} on ${twoFactors.userId} = ${users.id}
      where ${users.id} = ${userId} and ${credentialsHash} = ${verifiedHash} and ${users.disabledAt} is null
      returning 1`)
  })
  return inserted.length > 0 ? id : undefined
}

/**
 * Returns the user of a session, or undefined if the session has ended or expired, or the user is disabled.
 *
 * @param atDoor whether to use the connection pool that is reserved for check-in
 */
export async function findSessionUser(sessionId: string, atDoor = false): Promise<SessionUser | undefined> {
  const find = async ({ rows }: Connection) => {
    const [user] = await rows<SessionUser>(sql`
      select ${users.id} as "userId", ${users.email} as email, ${users.role} as role,
        ${sellers.id} as "sellerId", ${sellers.name} as "sellerName", ${sellers.timeZone} as "timeZone",
        ${sellers.requiresTwoFactor} as "requiresTwoFactor", ${twoFactors.userId} is not null as "hasTwoFactor"
      from ${sessions} join ${users} on ${users.id} = ${sessions.userId} join ${sellers} on ${sellers.id} = ${users.sellerId}
        left join ${twoFactors} on ${twoFactors.userId} = ${users.id}
      where ${sessions.id} = ${sessionId} and ${sessions.endedAt} is null and ${sessions.expiresAt} > now() and ${users.disabledAt} is null`)
    return user
  }
  return atDoor ? lookUpAtDoor(sessionId, find) : database().use(find)
}

/** Ends a session. Has no effect if it has already ended. */
export async function endSession(id: string): Promise<void> {
  await database().use(({ orm }) =>
    orm
      .update(sessions)
      .set({ endedAt: sql`now()` })
      .where(and(eq(sessions.id, id), isNull(sessions.endedAt))),
  )
}

/** Ends a user's sessions. @param keptId the ID of the session to keep; undefined to end all sessions */
export async function endUserSessions({ orm }: Connection, userId: string, keptId?: string): Promise<void> {
  await orm
    .update(sessions)
    .set({ endedAt: sql`now()` })
    .where(and(eq(sessions.userId, userId), isNull(sessions.endedAt), keptId === undefined ? undefined : ne(sessions.id, keptId)))
}

/** A seller's users: added, disabled, given a new password. */
import { and, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { users } from '@/db/schema'
import { newObjectId } from '../object-id'
import { hashPassword, MIN_PASSWORD } from './passwords'
import { ROLES, type Role } from './roles'
import { endSessionsOf } from './sessions'

export const email = z.email('must be an e-mail address such as you@example.com')
export const password = z
  .string()
  .min(MIN_PASSWORD, `must have at least ${MIN_PASSWORD} characters`)
  .max(1000, 'must have at most 1000 characters')
export const newUser = z.strictObject({ email, password, role: z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` }) })

export class EmailTaken extends Error {
  constructor(readonly email: string) {
    super(`The e-mail address ${email} belongs to a user already. Take another one.`)
  }
}

/** Adds a user inside a transaction or on its own. @throws {EmailTaken} where a user of any seller has the address */
export async function insertUser(
  { orm }: Connection,
  sellerId: string,
  user: { email: string; passwordHash: string; role: Role },
): Promise<string> {
  const id = newObjectId()
  try {
    await orm.insert(users).values({ id, sellerId, ...user })
  } catch (error) {
    const cause = (error as { cause?: { constraint_name?: string } }).cause
    if (cause?.constraint_name === 'users_email') throw new EmailTaken(user.email)
    throw error
  }
  return id
}

export async function addUser(sellerId: string, user: z.output<typeof newUser>): Promise<string> {
  const passwordHash = await hashPassword(user.password)
  return database().use((connection) => insertUser(connection, sellerId, { email: user.email, role: user.role, passwordHash }))
}

const byEmail = (sellerId: string, address: string) =>
  and(eq(users.sellerId, sellerId), sql`desk_fold(${users.email}) = desk_fold(${address}::text)`)

/** Ends a user's access, every session of theirs included. Answers false where the seller has no such user. */
export async function disableUser(sellerId: string, address: string): Promise<boolean> {
  const [user] = await database().use(({ orm }) =>
    orm
      .update(users)
      .set({ disabledAt: sql`coalesce(${users.disabledAt}, now())` })
      .where(byEmail(sellerId, address))
      .returning({ id: users.id }),
  )
  if (user) await endSessionsOf(user.id)
  return user !== undefined
}

/** Sets a new password and signs the user out everywhere. Answers false where the seller has no such user. */
export async function setPassword(sellerId: string, address: string, next: string): Promise<boolean> {
  const passwordHash = await hashPassword(next)
  const [user] = await database().use(({ orm }) =>
    orm.update(users).set({ passwordHash }).where(byEmail(sellerId, address)).returning({ id: users.id }),
  )
  if (user) await endSessionsOf(user.id)
  return user !== undefined
}

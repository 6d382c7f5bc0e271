/** Adds users and sets their passwords, on behalf of the operator. */
import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { users } from '@/db/schema'
import { withCauses } from '@/db/unavailable'
import { describeChoices } from '../catalog/shapes'
import { newObjectId } from '../core/object-id'
import { AccountError, EmailTakenError } from './account-error'
import { writeAudit } from './audit'
import { emailSchema, normalizeEmail } from './email'
import { hashPassword, MIN_PASSWORD_LENGTH } from './passwords'
import { ROLES, type Role } from './roles'
import { endUserSessions } from './sessions'

/** The schemas of a password, a role and a new user. Their messages follow the member's name. */
export const passwordSchema = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
  .max(1000, 'must have at most 1,000 characters')
export const roleSchema = z.enum(ROLES, describeChoices(ROLES))
export const newUserSchema = z.strictObject({ email: emailSchema, password: passwordSchema, role: roleSchema })

/** Inserts a user and returns their ID. @throws {EmailTakenError} if the seller already has a user with the email address */
export async function insertUser(
  { orm }: Connection,
  sellerId: string,
  user: { email: string; passwordHash: string; role: Role },
): Promise<string> {
  const id = newObjectId()
  try {
    await orm.insert(users).values({ id, sellerId, ...user, email: normalizeEmail(user.email) })
  } catch (error) {
    if ([...withCauses(error)].some((cause) => cause.constraint_name === 'users_email')) throw new EmailTakenError(user.email)
    throw error
  }
  return id
}

/** Adds a user on behalf of the operator. Returns the user's ID. @throws {EmailTakenError} */
export async function addUser(sellerId: string, user: z.output<typeof newUserSchema>): Promise<string> {
  const passwordHash = await hashPassword(user.password)
  return database().transaction(async (connection) => {
    const userId = await insertUser(connection, sellerId, { email: user.email, role: user.role, passwordHash })
    await writeAudit(connection, {
      sellerId,
      by: undefined,
      action: 'user.added',
      subject: user.email,
      changes: { role: { after: user.role } },
    })
    return userId
  })
}

/** Sets a user's password on behalf of the operator and ends the user's sessions. @throws {AccountError} `user_not_found` */
export async function setPassword(sellerId: string, address: string, next: string): Promise<void> {
  const passwordHash = await hashPassword(next)
  await database().transaction(async (connection) => {
    const [user] = await connection.orm
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.sellerId, sellerId), eq(users.email, normalizeEmail(address))))
      .returning({ id: users.id, email: users.email })
    if (!user) throw new AccountError('user_not_found')
    await endUserSessions(connection, user.id)
    await writeAudit(connection, { sellerId, by: undefined, action: 'password.set', subject: user.email })
  })
}

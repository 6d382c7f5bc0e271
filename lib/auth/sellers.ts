/** Sellers and the users who own them. */
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { sellers, users } from '@/db/schema'
import { newObjectId } from '../object-id'
import { isTimeZone } from '../time'
import { hashPassword, MIN_PASSWORD } from './passwords'

/** What `createSeller` takes; its messages are sentences' ends, to go behind a member's name. */
export const newSeller = z.strictObject({
  name: z.string().trim().min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
  email: z.email('must be an e-mail address such as you@example.com'),
  password: z.string().min(MIN_PASSWORD, `must have at least ${MIN_PASSWORD} characters`).max(1000, 'must have at most 1000 characters'),
  timeZone: z.string().refine(isTimeZone, 'must be an IANA time zone such as Europe/Amsterdam').default('UTC'),
})

export class EmailTaken extends Error {
  constructor(readonly email: string) {
    super(`The e-mail address ${email} belongs to a user already. Take another one.`)
  }
}

/** Makes a seller with its owner. @throws {EmailTaken} where a user of any seller has the address */
export async function createSeller({
  name,
  email,
  password,
  timeZone,
}: z.output<typeof newSeller>): Promise<{ sellerId: string; userId: string }> {
  const passwordHash = await hashPassword(password)
  const sellerId = newObjectId()
  const userId = newObjectId()
  try {
    await database().transaction(async ({ orm }) => {
      await orm.insert(sellers).values({ id: sellerId, name, timeZone })
      await orm.insert(users).values({ id: userId, sellerId, email, passwordHash, role: 'owner' })
    })
  } catch (error) {
    const cause = (error as { cause?: { constraint_name?: string } }).cause
    if (cause?.constraint_name === 'users_email') throw new EmailTaken(email)
    throw error
  }
  return { sellerId, userId }
}

export type Seller = { id: string; name: string; timeZone: string }

export async function findSeller(id: string): Promise<Seller | undefined> {
  const [seller] = await database().use(({ orm }) =>
    orm.select({ id: sellers.id, name: sellers.name, timeZone: sellers.timeZone }).from(sellers).where(eq(sellers.id, id)),
  )
  return seller
}

/** The seller that was made first, or undefined in a database that is empty. */
export async function firstSeller(): Promise<Seller | undefined> {
  const [seller] = await database().use(({ orm }) =>
    orm
      .select({ id: sellers.id, name: sellers.name, timeZone: sellers.timeZone })
      .from(sellers)
      .orderBy(sellers.createdAt, sellers.id)
      .limit(1),
  )
  return seller
}

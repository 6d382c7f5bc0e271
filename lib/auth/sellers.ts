/** Sellers and the users who own them. */
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { sellers } from '@/db/schema'
import { newObjectId } from '../object-id'
import { isTimeZone } from '../time'
import { hashPassword } from './passwords'
import { email, insertUser, password } from './users'

/** What `createSeller` takes; its messages are sentences' ends, to go behind a member's name. */
export const newSeller = z.strictObject({
  name: z.string().trim().min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
  email,
  password,
  timeZone: z.string().refine(isTimeZone, 'must be an IANA time zone such as Europe/Amsterdam').default('UTC'),
})

/** Makes a seller with its owner. @throws {EmailTaken} where a user of any seller has the address */
export async function createSeller({
  name,
  email,
  password,
  timeZone,
}: z.output<typeof newSeller>): Promise<{ sellerId: string; userId: string }> {
  const passwordHash = await hashPassword(password)
  const sellerId = newObjectId()
  const userId = await database().transaction(async (connection) => {
    await connection.orm.insert(sellers).values({ id: sellerId, name, timeZone })
    return insertUser(connection, sellerId, { email, passwordHash, role: 'owner' })
  })
  return { sellerId, userId }
}

export type Seller = { id: string; name: string; timeZone: string }

export async function findSeller(id: string): Promise<Seller | undefined> {
  const [seller] = await database().use(({ orm }) =>
    orm.select({ id: sellers.id, name: sellers.name, timeZone: sellers.timeZone }).from(sellers).where(eq(sellers.id, id)),
  )
  return seller
}

/** Every seller, by name. */
export function listSellers(): Promise<Seller[]> {
  return database().use(({ orm }) =>
    orm.select({ id: sellers.id, name: sellers.name, timeZone: sellers.timeZone }).from(sellers).orderBy(sellers.name, sellers.id),
  )
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

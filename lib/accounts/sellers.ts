/** Creates, edits and lists sellers. */
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { sellers } from '@/db/schema'
import { newObjectId } from '../core/object-id'
import { isTimeZone } from '../core/time'
import { type Actor, changesBetween, writeAudit } from './audit'
import { email } from './email'
import { nameSchema } from './name-schema'
import { hashPassword } from './passwords'
import { insertUser, password } from './users'

const sellerName = nameSchema(200)
const timeZone = z.string().refine(isTimeZone, 'must be an IANA time zone such as Europe/Amsterdam')

/** The input of `createSeller`. Error messages follow the member's name, as in "name must not be empty". */
export const newSeller = z.strictObject({
  name: sellerName,
  email,
  password,
  timeZone: timeZone.default('UTC'),
})

/** Creates a seller and its first user, who is an owner. */
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
    await writeAudit(connection, { sellerId, by: undefined, action: 'seller.created', subject: name })
    const owner = await insertUser(connection, sellerId, { email, passwordHash, role: 'owner' })
    await writeAudit(connection, { sellerId, by: undefined, action: 'user.added', subject: email, changes: { role: { after: 'owner' } } })
    return owner
  })
  return { sellerId, userId }
}

/** The editable members of a seller. Error messages have the same form as in `newSeller`. */
export const sellerUpdateSchema = z.strictObject({ name: sellerName, timeZone })

/** Edits a seller. The audit log records only the members that have changed. */
export function updateSeller(id: string, next: z.output<typeof sellerUpdateSchema>, by: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    const { orm } = connection
    const [before] = await orm
      .select({ name: sellers.name, timeZone: sellers.timeZone })
      .from(sellers)
      .where(eq(sellers.id, id))
      .for('no key update')
    const changes = before && changesBetween(before, next)
    if (!before || !changes) return
    await orm.update(sellers).set(next).where(eq(sellers.id, id))
    await writeAudit(connection, { sellerId: id, by, action: 'seller.changed', subject: before.name, changes })
  })
}

export type Seller = { id: string; name: string; timeZone: string }

export async function findSeller(id: string): Promise<Seller | undefined> {
  const [seller] = await database().use(({ orm }) =>
    orm.select({ id: sellers.id, name: sellers.name, timeZone: sellers.timeZone }).from(sellers).where(eq(sellers.id, id)),
  )
  return seller
}

/** Lists all sellers, sorted by name. */
export function listSellers(): Promise<Seller[]> {
  return database().use(({ orm }) =>
    orm.select({ id: sellers.id, name: sellers.name, timeZone: sellers.timeZone }).from(sellers).orderBy(sellers.name, sellers.id),
  )
}

/** Returns the oldest seller, or undefined if the database is empty. */
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

/** Creates, edits and lists sellers. */
import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { sellers } from '@/db/schema'
import { newObjectId } from '../core/object-id'
import { instantText } from '../core/sql'
import { isTimeZone, localIn } from '../core/time'
import { AccountError } from './account-error'
import { type Actor, changesBetween, writeAudit } from './audit'
import { emailSchema } from './email'
import { nameSchema } from './name-schema'
import { hashPassword } from './passwords'
import { insertUser, passwordSchema } from './users'

const sellerName = nameSchema(200)
const timeZone = z.string().refine(isTimeZone, 'must be UTC, or a region and a city such as Europe/Amsterdam')

/**
 * Checks that the database knows a time zone, and agrees with this process on the current time in it.
 *
 * @throws {AccountError} `time_zone_unknown` if it does not
 */
async function checkTimeZone({ rows }: Connection, timeZone: string): Promise<void> {
  // Unlike `at time zone`, this view does not fail the transaction if it has no such zone.
  const [zone] = await rows<{ now: string; local: string }>(sql`
    select ${instantText(sql`now()`)} as now, to_char(now() at time zone 'UTC' + utc_offset, 'YYYY-MM-DD"T"HH24:MI') as local
    from pg_timezone_names where lower(name) = lower(${timeZone})`)
  if (!zone || localIn(timeZone, zone.now) !== zone.local) throw new AccountError('time_zone_unknown')
}

/** The input of `createSeller`. Error messages follow the member's name, as in "name must not be empty". */
export const newSellerSchema = z.strictObject({
  name: sellerName,
  email: emailSchema,
  password: passwordSchema,
  timeZone: timeZone.default('UTC'),
})

/**
 * Creates a seller and its first user, who is an owner.
 *
 * @throws {AccountError} `time_zone_unknown`, like `checkTimeZone`
 */
export async function createSeller({
  name,
  email,
  password,
  timeZone,
}: z.output<typeof newSellerSchema>): Promise<{ sellerId: string; userId: string }> {
  const passwordHash = await hashPassword(password)
  const sellerId = newObjectId()
  const userId = await database().transaction(async (connection) => {
    await checkTimeZone(connection, timeZone)
    await connection.orm.insert(sellers).values({ id: sellerId, name, timeZone })
    await writeAudit(connection, { sellerId, by: undefined, action: 'seller.created', subject: name })
    const owner = await insertUser(connection, sellerId, { email, passwordHash, role: 'owner' })
    await writeAudit(connection, { sellerId, by: undefined, action: 'user.added', subject: email, changes: { role: { after: 'owner' } } })
    return owner
  })
  return { sellerId, userId }
}

/** The editable members of a seller. Error messages have the same form as in `newSellerSchema`. */
export const sellerUpdateSchema = z.strictObject({ name: sellerName, timeZone }).partial()

/**
 * Edits a seller. Omitted members keep their values. The audit log records only the members that have changed.
 *
 * @throws {AccountError} `time_zone_unknown`, like `checkTimeZone`
 */
export function updateSeller(id: string, next: z.output<typeof sellerUpdateSchema>, by?: Actor): Promise<void> {
  return database().transaction(async (connection) => {
    const { orm } = connection
    const [before] = await orm
      .select({ name: sellers.name, timeZone: sellers.timeZone })
      .from(sellers)
      .where(eq(sellers.id, id))
      .for('no key update')
    const changes = before && changesBetween(before, { ...before, ...next })
    if (!before || !changes) return
    if (next.timeZone !== undefined && next.timeZone !== before.timeZone) await checkTimeZone(connection, next.timeZone)
    await orm.update(sellers).set(next).where(eq(sellers.id, id))
    await writeAudit(connection, { sellerId: id, by, action: 'seller.changed', subject: before.name, changes })
  })
}

export type Seller = { id: string; name: string; timeZone: string }

const COLUMNS = { id: sellers.id, name: sellers.name, timeZone: sellers.timeZone }

/** Returns a seller by its ID, or undefined if there is none. */
export async function findSeller(id: string): Promise<Seller | undefined> {
  const [seller] = await database().use(({ orm }) => orm.select(COLUMNS).from(sellers).where(eq(sellers.id, id)))
  return seller
}

/** Lists all sellers, sorted by name. */
export function listSellers(): Promise<Seller[]> {
  return database().use(({ orm }) => orm.select(COLUMNS).from(sellers).orderBy(sellers.name, sellers.id))
}

/** Returns the seller that was created first, or undefined if there are none. */
export async function findOldestSeller(): Promise<Seller | undefined> {
  const [seller] = await database().use(({ orm }) => orm.select(COLUMNS).from(sellers).orderBy(sellers.createdAt, sellers.id).limit(1))
  return seller
}

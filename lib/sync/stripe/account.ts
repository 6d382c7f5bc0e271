/** A seller's Stripe account: the signing secret of its webhook endpoint, stored encrypted. */
import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { stripeAccounts } from '@/db/schema'
import { type Actor, writeAudit } from '../../accounts/audit'
import { log } from '../../core/log'
import { seal, tryUnseal } from '../../core/seal'

/** The signing secret that Stripe shows for an endpoint. */
const signingSecret = z
  .string()
  .trim()
  .regex(/^whsec_[\x21-\x7e]{8,200}$/, 'must be a signing secret such as whsec_…')
export const secretSchema = z.strictObject({ secret: signingSecret })

/** Sets or replaces a seller's signing secret. The secret is not shown afterward. */
export async function setSecret(seller: string, secret: string, by?: Actor): Promise<void> {
  const row = { secret: await seal(secret, seller) }
  await database().transaction(async (connection) => {
    await connection.orm
      .insert(stripeAccounts)
      .values({ sellerId: seller, ...row })
      .onConflictDoUpdate({ target: stripeAccounts.sellerId, set: row })
    await writeAudit(connection, { sellerId: seller, by, action: 'stripe.secret_set', subject: 'Stripe' })
  })
}

/** Decrypts a signing secret. If that is impossible, logs a warning and returns undefined. */
async function decrypt(seller: string, sealed: Buffer): Promise<string | undefined> {
  const secret = await tryUnseal(sealed, seller)
  if (secret === undefined)
    log().warn(
      { seller },
      'the Stripe signing secret cannot be decrypted, probably because NEXTAUTH_SECRET has changed: set the secret again',
    )
  return secret
}

/** A seller's ID and decrypted signing secret. */
type Account = { seller: string; secret: string }

/**
 * Returns a seller's account, or undefined if there is none or its secret cannot be decrypted.
 *
 * @param seller the seller's ID; undefined for the only account in the database, if there is exactly one
 */
export async function findAccount(seller: string | undefined): Promise<Account | undefined> {
  const rows = await database().use(({ orm }) =>
    orm
      .select({ seller: stripeAccounts.sellerId, secret: stripeAccounts.secret })
      .from(stripeAccounts)
      .where(seller === undefined ? undefined : eq(stripeAccounts.sellerId, seller))
      .limit(2),
  )
  const [only, another] = rows
  if (!only || another) return undefined
  const secret = await decrypt(only.seller, only.secret)
  return secret === undefined ? undefined : { seller: only.seller, secret }
}

/** The state of a signing secret. `lost` means that it cannot be decrypted with this server's NEXTAUTH_SECRET and has to be set again. */
export type SecretState = 'none' | 'set' | 'lost'

/** Returns the state of a seller's signing secret. */
export async function secretState(seller: string): Promise<SecretState> {
  const [row] = await database().use(({ orm }) =>
    orm.select({ secret: stripeAccounts.secret }).from(stripeAccounts).where(eq(stripeAccounts.sellerId, seller)),
  )
  if (!row) return 'none'
  return (await decrypt(seller, row.secret)) === undefined ? 'lost' : 'set'
}

/** Returns whether a seller has a Stripe account, even if its secret cannot be decrypted. */
export async function hasAccount(seller: string): Promise<boolean> {
  const [row] = await database().use(({ orm }) =>
    orm.select({ seller: stripeAccounts.sellerId }).from(stripeAccounts).where(eq(stripeAccounts.sellerId, seller)),
  )
  return row !== undefined
}

/**
 * Locks a seller's account, if there is one, until the transaction ends, so that the seller's events are processed one at a time across all
 * servers. Turns off the lock timeout for the rest of the transaction, so that only the statement timeout limits the waits for this lock
 * and for later ones.
 */
export async function lockAccount({ rows }: Connection, seller: string): Promise<void> {
  await rows(sql`select set_config('lock_timeout', '0', true)`)
  await rows(sql`select 1 from ${stripeAccounts} where ${stripeAccounts.sellerId} = ${seller} for no key update`)
}

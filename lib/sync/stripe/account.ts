/** A seller's own Stripe account: the signing secret of its endpoint here, kept sealed. */
import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { stripeAccounts } from '@/db/schema'
import { type Actor, writeAudit } from '../../accounts/audit'
import { log } from '../../core/log'
import { seal, Unsealable, unseal } from './seal'

/** What Stripe shows beside an endpoint. */
const signingSecret = z
  .string()
  .trim()
  .regex(/^whsec_[\x21-\x7e]{8,200}$/, 'must be a signing secret such as whsec_…')
/** What an owner gives. */
export const secretChange = z.strictObject({ secret: signingSecret })

/** Sets a seller's signing secret, in place of the one before. It can be used from now on, and is never shown again. */
export async function setSecret(seller: string, secret: string, by: Actor): Promise<void> {
  const row = { secret: await seal(secret, seller), changedAt: new Date().toISOString() }
  await database().transaction(async (connection) => {
    await connection.orm
      .insert(stripeAccounts)
      .values({ sellerId: seller, ...row })
      .onConflictDoUpdate({ target: stripeAccounts.sellerId, set: row })
    await writeAudit(connection, { sellerId: seller, by, action: 'stripe.secret_set', subject: 'Stripe' })
  })
}

async function open(seller: string, sealed: Buffer): Promise<string | undefined> {
  try {
    return await unseal(sealed, seller)
  } catch (error) {
    if (!(error instanceof Unsealable)) throw error
    log().warn({ seller }, 'the Stripe secret must be set again: NEXTAUTH_SECRET has changed')
    return undefined
  }
}

export type Account = { seller: string; secret: string }

/**
 * The account that an event says it is for.
 *
 * @param seller whose it is; undefined is the only one, where there is one alone
 * @returns undefined where there is none, or its secret can't be opened any more
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
  const secret = await open(only.seller, only.secret)
  return secret === undefined ? undefined : { seller: only.seller, secret }
}

/** How a seller's secret stands: `lost` can't be opened by this server's NEXTAUTH_SECRET, and has to be set again. */
export type SecretState = 'none' | 'set' | 'lost'

export async function secretState(seller: string): Promise<SecretState> {
  const [row] = await database().use(({ orm }) =>
    orm.select({ secret: stripeAccounts.secret }).from(stripeAccounts).where(eq(stripeAccounts.sellerId, seller)),
  )
  if (!row) return 'none'
  return (await open(seller, row.secret)) === undefined ? 'lost' : 'set'
}

export async function hasAccount(seller: string): Promise<boolean> {
  const [row] = await database().use(({ orm }) =>
    orm.select({ seller: stripeAccounts.sellerId }).from(stripeAccounts).where(eq(stripeAccounts.sellerId, seller)),
  )
  return row !== undefined
}

/**
 * Holds a seller's account until the commit: what is done with their events is done by one at a time, however many servers there are.
 * A turn comes for certain, so that the statement's own time alone bounds the wait.
 */
export async function holdAccount({ rows }: Connection, seller: string): Promise<void> {
  await rows(sql`select set_config('lock_timeout', '0', true)`)
  await rows(sql`select 1 from ${stripeAccounts} where ${stripeAccounts.sellerId} = ${seller} for no key update`)
}

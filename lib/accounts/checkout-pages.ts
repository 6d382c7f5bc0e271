/** A seller's checkout pages (products and events), each with an entry policy. */
import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { pages } from '@/db/schema'
import { newObjectId } from '../core/object-id'
import { type Actor, changesBetween, writeAudit } from './audit'
import { nameSchema } from './name-schema'

/** Whether a ticket can be checked in once or multiple times. */
export const ENTRY_POLICIES = ['single', 'multiple'] as const
export type EntryPolicy = (typeof ENTRY_POLICIES)[number]

export type CheckoutPage = { id: string; name: string; entryPolicy: EntryPolicy }

/** Lists a seller's checkout pages by name. */
export function listCheckoutPages(seller: string): Promise<CheckoutPage[]> {
  return database().use(({ orm }) =>
    orm
      .select({ id: pages.id, name: pages.name, entryPolicy: pages.entryPolicy })
      .from(pages)
      .where(eq(pages.sellerId, seller))
      .orderBy(pages.name, pages.id),
  )
}

/** The editable members of a checkout page. */
export const checkoutPageSchema = z.strictObject({ name: nameSchema(200), entryPolicy: z.enum(ENTRY_POLICIES) })
type CheckoutPageInput = z.output<typeof checkoutPageSchema>

/** Adds a checkout page. Returns its ID. */
export function addCheckoutPage(seller: string, page: CheckoutPageInput, by: Actor): Promise<string> {
  const id = newObjectId()
  return database().transaction(async (connection) => {
    await connection.orm.insert(pages).values({ sellerId: seller, id, ...page })
    const changes = { entryPolicy: { after: page.entryPolicy } }
    await writeAudit(connection, { sellerId: seller, by, action: 'page.added', subject: page.name, changes })
    return id
  })
}

/** Edits a checkout page. A new entry policy applies from the next scan. Returns false if the seller has no such checkout page. */
export function updateCheckoutPage(seller: string, id: string, next: CheckoutPageInput, by: Actor): Promise<boolean> {
  return database().transaction(async (connection) => {
    const { orm } = connection
    const mine = and(eq(pages.sellerId, seller), eq(pages.id, id))
    const [before] = await orm.select({ name: pages.name, entryPolicy: pages.entryPolicy }).from(pages).where(mine).for('no key update')
    if (!before) return false
    const changes = changesBetween(before, next)
    if (!changes) return true
    await orm.update(pages).set(next).where(mine)
    await writeAudit(connection, { sellerId: seller, by, action: 'page.changed', subject: before.name, changes })
    return true
  })
}

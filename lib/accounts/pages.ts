/** A seller's pages: what records belong to, by name, each with the rule of its door. */
import { and, eq } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { pages } from '@/db/schema'
import { newObjectId } from '../core/object-id'
import { type Actor, changesBetween, writeAudit } from './audit'
import { nameOf } from './name-schema'

/** Whether a ticket of the page gets its guest in once, or again and again. */
export const ENTRY_POLICIES = ['single', 'multiple'] as const
export type EntryPolicy = (typeof ENTRY_POLICIES)[number]

export type Page = { id: string; name: string; entryPolicy: EntryPolicy }

/** By name. */
export function listPages(seller: string): Promise<Page[]> {
  return database().use(({ orm }) =>
    orm
      .select({ id: pages.id, name: pages.name, entryPolicy: pages.entryPolicy })
      .from(pages)
      .where(eq(pages.sellerId, seller))
      .orderBy(pages.name, pages.id),
  )
}

/** What a person gives a page; the rest is ours. */
export const pageChange = z.strictObject({ name: nameOf(200), entryPolicy: z.enum(ENTRY_POLICIES) })
type PageChange = z.output<typeof pageChange>

/** Makes a page. @returns its id, to be named in what is sold */
export function addPage(seller: string, page: PageChange, by: Actor): Promise<string> {
  const id = newObjectId()
  return database().transaction(async (connection) => {
    await connection.orm.insert(pages).values({ sellerId: seller, id, ...page })
    const changes = { entryPolicy: { after: page.entryPolicy } }
    await writeAudit(connection, { sellerId: seller, by, action: 'page.added', subject: page.name, changes })
    return id
  })
}

/** Renames a page, or changes the rule of its door from the next scan on. Answers false where the seller has no such page. */
export function changePage(seller: string, id: string, next: PageChange, by: Actor): Promise<boolean> {
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

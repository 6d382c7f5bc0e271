/** A seller's pages: what records belong to, by name. */
import { eq } from 'drizzle-orm'
import { database } from '@/db/client'
import { pages } from '@/db/schema'

export type Page = { id: string; name: string }

/** By name. */
export function listPages(seller: string): Promise<Page[]> {
  return database().use(({ orm }) =>
    orm.select({ id: pages.id, name: pages.name }).from(pages).where(eq(pages.sellerId, seller)).orderBy(pages.name, pages.id),
  )
}

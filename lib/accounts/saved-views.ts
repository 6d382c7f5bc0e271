/** Views of tables that users save, for themselves or for everyone in the shop. */
import { and, desc, eq, isNull, or, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { savedViews, users } from '@/db/schema'
import { newObjectId } from '../core/object-id'
import { writeAudit } from './audit'
import { nameSchema } from './name-schema'
import type { SessionUser } from './sessions'

/** The maximum number of views that a user can save, and of colleagues' views that the sidebar shows. */
const MAX_VIEWS = 50
/** The maximum length of a view's query. */
const MAX_QUERY = 4_000

export type SavedView = { id: string; name: string; resource: string; query: string; isShared: boolean; isOwn: boolean }

type Owner = Pick<SessionUser, 'userId' | 'sellerId'>
/** The user who changes a view, for the audit log. */
type Editor = Owner & Pick<SessionUser, 'email'>

/** Lists a user's views, and then those that colleagues share, each by name. Views of disabled users are not listed. */
export function listSavedViews({ userId, sellerId }: Owner): Promise<SavedView[]> {
  const { id, name, resource, query, isShared } = savedViews
  const isOwn = sql<boolean>`${savedViews.userId} = ${userId}`
  return database().use(({ orm }) =>
    orm
      .select({ id, name, resource, query, isShared, isOwn })
      .from(savedViews)
      .innerJoin(users, eq(users.id, savedViews.userId))
      .where(and(eq(savedViews.sellerId, sellerId), or(eq(savedViews.userId, userId), and(isShared, isNull(users.disabledAt)))))
      .orderBy(desc(isOwn), name, id)
      // A user's own views have the same limit.
      .limit(2 * MAX_VIEWS),
  )
}

/** Parameters that are not part of a view. */
const NOT_SAVED = ['starting_after', 'ending_before']

/** Returns the normalized query of a view, so that views can be compared: sorted, and without the cursor. */
export function toViewQuery(query: URLSearchParams): string {
  const kept = new URLSearchParams(query)
  for (const name of NOT_SAVED) kept.delete(name)
  kept.sort()
  return kept.toString()
}

export const savedViewSchema = z.strictObject({
  name: nameSchema(60),
  resource: z.string().regex(/^[a-z]{1,32}$/),
  // The limit applies to the stored form, because encoding makes text up to nine times as long, and the sidebar lists the views of all colleagues.
  query: z
    .string()
    .max(MAX_QUERY)
    .refine((query) => toViewQuery(new URLSearchParams(query)).length <= MAX_QUERY),
  isShared: z.boolean(),
})

/** Saves a view, or changes the name and the sharing of the user's view with the same query. Returns false if the user has too many. */
export function saveView({ userId, sellerId, email }: Editor, view: z.output<typeof savedViewSchema>): Promise<boolean> {
  const query = toViewQuery(new URLSearchParams(view.query))
  return database().transaction(async (connection) => {
    const { rows } = connection
    await rows(sql`select 1 from users where id = ${userId} for no key update`)
    const [saved] = await rows<{ isNew: boolean }>(sql`
      insert into ${savedViews} (seller_id, id, user_id, is_shared, name, resource, query)
      select ${sellerId}, ${newObjectId()}, ${userId}, ${view.isShared ? sql`true` : sql`false`}, ${view.name}, ${view.resource}, ${query}
      where (select count(*) from ${savedViews} where user_id = ${userId}) < ${sql.raw(String(MAX_VIEWS))}
        or exists (select from ${savedViews} where user_id = ${userId} and resource = ${view.resource} and query = ${query})
      on conflict (user_id, resource, md5(query)) do update set name = excluded.name, is_shared = excluded.is_shared
      returning xmax = 0 as "isNew"`)
    if (!saved) return false
    await writeAudit(connection, {
      sellerId,
      by: { userId, email },
      action: saved.isNew ? 'view.created' : 'view.changed',
      subject: view.name,
      changes: { isShared: { after: view.isShared ? 'yes' : 'no' } },
    })
    return true
  })
}

/** Returns whether a user can delete a view that is listed for them. */
export const mayDelete = ({ role }: Pick<SessionUser, 'role'>, { isOwn }: Pick<SavedView, 'isOwn'>): boolean => isOwn || role === 'owner'

/** Deletes a view. Users can delete their own views, and owners of the shop also shared ones. */
export function deleteView({ userId, sellerId, email, role }: Editor & Pick<SessionUser, 'role'>, id: string): Promise<boolean> {
  const mine = eq(savedViews.userId, userId)
  return database().transaction(async (connection) => {
    const [deleted] = await connection.orm
      .delete(savedViews)
      .where(and(eq(savedViews.sellerId, sellerId), eq(savedViews.id, id), role === 'owner' ? or(mine, savedViews.isShared) : mine))
      .returning({ name: savedViews.name })
    if (!deleted) return false
    await writeAudit(connection, { sellerId, by: { userId, email }, action: 'view.deleted', subject: deleted.name })
    return true
  })
}

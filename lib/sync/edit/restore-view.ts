/** Restores a saved view that was just deleted. In the meantime, the browser of the user who deleted it keeps an encrypted copy. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { erasures, savedViews, users } from '@/db/schema'
import { writeAudit } from '../../accounts/audit'
import { deleteView, MAX_VIEWS } from '../../accounts/saved-views'
import type { SessionUser } from '../../accounts/sessions'
import { seal, tryUnseal } from '../../core/seal'
import { waitForErasure } from '../erase/erased-people'

/** How long a deleted view can be restored, in milliseconds. The undo button is shown for a shorter time. */
const LIFETIME_MS = 600_000

const copySchema = z.strictObject({
  ...{ id: z.string(), userId: z.string(), isShared: z.boolean(), name: z.string(), resource: z.string(), query: z.string() },
  /** Unix time in milliseconds. */
  deletedAt: z.number(),
})

type User = Pick<SessionUser, 'userId' | 'sellerId' | 'email' | 'role'>

/** Returns the owner for whom a copy is encrypted: only the user who deleted a view can restore it, and only in the same shop. */
const copyOwner = ({ sellerId, userId }: User) => ['deleted view', sellerId, userId].join(' ')

/** Deletes a view as `deleteView` does. Returns a copy for `restoreView`, or undefined if no view was deleted. */
export async function deleteViewWithCopy(user: User, viewId: string): Promise<string | undefined> {
  const { id, userId, isShared, name, resource, query } = savedViews
  const deletedAt = Date.now()
  const [view] = await database().use(({ orm }) =>
    orm
      .select({ id, userId, isShared, name, resource, query })
      .from(savedViews)
      .where(sql`${savedViews.sellerId} = ${user.sellerId} and ${id} = ${viewId}`),
  )
  if (!view || !(await deleteView(user, viewId))) return undefined
  return (await seal(JSON.stringify({ ...view, deletedAt }), copyOwner(user))).toString('base64url')
}

/**
 * Restores a deleted view with its ID and its user.
 *
 * @returns the view's name, or undefined if the copy is invalid or too old, the view's user has saved the same view again or has the
 *   maximum number of views, or a customer, whose data the view could contain, has been erased since the deletion
 */
export async function restoreView(user: User, copy: string): Promise<string | undefined> {
  const text = await tryUnseal(Buffer.from(copy, 'base64url'), copyOwner(user))
  if (text === undefined) return undefined
  const view = copySchema.parse(JSON.parse(text))
  if (Date.now() - view.deletedAt > LIFETIME_MS) return undefined
  return database().transaction(async (connection) => {
    const { rows } = connection
    const { sellerId } = user
    await waitForErasure(connection, sellerId)
    await rows(sql`select 1 from ${users} where ${users.id} = ${view.userId} for no key update`)
    const restored = await rows(sql`
      insert into ${savedViews} (seller_id, id, user_id, is_shared, name, resource, query)
      select ${sellerId}, ${view.id}, ${view.userId}, ${view.isShared ? sql`true` : sql`false`}, ${view.name}, ${view.resource}, ${view.query}
      where (select count(*) from ${savedViews} where user_id = ${view.userId}) < ${sql.raw(String(MAX_VIEWS))}
        and not exists (select from ${erasures} where seller_id = ${sellerId} and at >= ${new Date(view.deletedAt).toISOString()}::timestamptz)
      on conflict do nothing returning 1`)
    if (restored.length === 0) return undefined
    const changes = { isShared: { after: view.isShared ? 'yes' : 'no' } }
    await writeAudit(connection, { sellerId, by: user, action: 'view.created', subject: view.name, changes })
    return view.name
  })
}

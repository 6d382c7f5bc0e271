/** Restores a saved view that was just deleted. In the meantime, the browser of the user who deleted it keeps an encrypted copy. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { erasures } from '@/db/schema'
import { writeAudit } from '../../accounts/audit'
import { deleteView, insertView } from '../../accounts/saved-views'
import type { SessionUser } from '../../accounts/sessions'
import { seal, tryUnseal } from '../../core/seal'
import { waitForErasure } from '../erase/erased-people'

/** How long a deleted view can be restored. The undo button is shown for a shorter time. */
const LIFETIME = sql`interval '10 minutes'`

const copySchema = z.strictObject({
  ...{ id: z.string(), userId: z.string(), isShared: z.boolean(), name: z.string(), resource: z.string(), query: z.string() },
  /** Unix time in milliseconds, by the database's clock, as the times of erasures are. */
  deletedAt: z.number(),
})

type User = Pick<SessionUser, 'userId' | 'sellerId' | 'email' | 'role'>

/** Returns the owner for whom a copy is encrypted: only the user who deleted a view can restore it, and only in the same shop. */
const copyOwner = ({ sellerId, userId }: User) => ['deleted view', sellerId, userId].join(' ')

/** Deletes a view as `deleteView` does. Returns a copy for `restoreView`, or undefined if no view was deleted. */
export async function deleteViewWithCopy(user: User, viewId: string): Promise<string | undefined> {
  const view = await deleteView(user, viewId)
  return view && (await seal(JSON.stringify(view), copyOwner(user))).toString('base64url')
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
  const deletedAt = sql`${new Date(view.deletedAt).toISOString()}::timestamptz`
  return database().transaction(async (connection) => {
    const { sellerId } = user
    await waitForErasure(connection, sellerId)
    const isNew = await insertView(
      connection,
      sellerId,
      view,
      sql`and ${deletedAt} >= now() - ${LIFETIME}
        and not exists (select from ${erasures} where seller_id = ${sellerId} and at >= ${deletedAt})`,
      sql`do nothing`,
    )
    if (!isNew) return undefined
    const changes = { isShared: { after: view.isShared ? 'yes' : 'no' } }
    await writeAudit(connection, { sellerId, by: user, action: 'view.created', subject: view.name, changes })
    return view.name
  })
}

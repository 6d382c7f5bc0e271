/** Deletes a saved view so that the user can undo it. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { writeAudit } from '../../accounts/audit'
import { deleteView, insertView } from '../../accounts/saved-views'
import type { SessionUser } from '../../accounts/sessions'
import { isRestorable, sealDeleted, unsealDeleted } from './deleted-copy'

const copySchema = z.strictObject({
  ...{ id: z.string(), userId: z.string(), isShared: z.boolean(), name: z.string(), resource: z.string(), query: z.string() },
  deletedAt: z.number(),
})

type User = Pick<SessionUser, 'userId' | 'sellerId' | 'email' | 'role'>

/** Deletes a view as `deleteView` does. Returns a copy for `restoreView`, or undefined if no view was deleted. */
export async function deleteViewWithCopy(user: User, viewId: string): Promise<string | undefined> {
  const view = await deleteView(user, viewId)
  return view && sealDeleted('view', user, view)
}

/**
 * Restores a deleted view with its ID and its user.
 *
 * @returns the view's name, or undefined if the copy is invalid or too old, the view's user has saved the same view again or has the
 *   maximum number of views, or a customer, whose data the view could contain, has been erased since the deletion
 */
export async function restoreView(user: User, copy: string): Promise<string | undefined> {
  const view = await unsealDeleted('view', user, copy, copySchema)
  if (!view) return undefined
  return database().transaction(async (connection) => {
    const { sellerId } = user
    const isNew = await insertView(connection, sellerId, view, sql`and ${isRestorable(sellerId, view.deletedAt)}`, sql`do nothing`)
    if (!isNew) return undefined
    const changes = { isShared: { after: view.isShared ? 'yes' : 'no' } }
    await writeAudit(connection, { sellerId, by: user, action: 'view.created', subject: view.name, changes })
    return view.name
  })
}

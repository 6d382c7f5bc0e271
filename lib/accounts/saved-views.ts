/** Lists, saves, edits, deletes and restores views of tables. A user saves a view for themselves or for everyone in the shop. */
import { and, desc, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Connection, database } from '@/db/client'
import { savedViews, users } from '@/db/schema'
import { newObjectId } from '../core/object-id'
import { nowMs } from '../core/sql'
import { changesBetween, writeAudit } from './audit'
import { isRestorable, sealDeleted, unsealDeleted } from './deleted-copy'
import { blockErasures } from './erasure-lock'
import { lockUser } from './lock-user'
import { nameSchema } from './name-schema'
import type { SessionUser } from './sessions'

/** The maximum number of views that a user can save. */
const MAX_VIEWS = 50
/** The maximum length of a view's query, in characters. */
const MAX_QUERY = 4_000

/** A view as listed for a user. `isOwn` is true if that user saved it. */
export type SavedView = { id: string; name: string; resource: string; query: string; isShared: boolean; isOwn: boolean }

type User = Pick<SessionUser, 'userId' | 'sellerId' | 'email'>

/** Lists up to 100 views, sorted by name: first the user's own, then those shared by colleagues whose accounts are active. */
export async function listSavedViews({ userId, sellerId }: Omit<User, 'email'>): Promise<SavedView[]> {
  const { id, name, resource, query, isShared } = savedViews
  const isOwn = sql<boolean>`${savedViews.userId} = ${userId}`
  const views = await database().use(({ orm }) =>
    orm
      .select({ id, name, resource, query, isShared, isOwn })
      .from(savedViews)
      .innerJoin(users, eq(users.id, savedViews.userId))
      .where(and(eq(savedViews.sellerId, sellerId), or(eq(savedViews.userId, userId), and(isShared, isNull(users.disabledAt)))))
      .orderBy(desc(isOwn), name, id)
      // Leaves room for colleagues' views even if the user has the maximum number.
      .limit(2 * MAX_VIEWS),
  )
  // Earlier versions also saved the rows per page.
  return views.map((view) => ({ ...view, query: toViewQuery(new URLSearchParams(view.query)) }))
}

/** Parameters that select a page of the table, which are not saved in a view. */
const NOT_SAVED = ['limit', 'starting_after', 'ending_before']

/** Normalizes a view's query, so that views can be compared: sorts the parameters and removes those that are not saved. */
export function toViewQuery(query: URLSearchParams): string {
  const normalized = new URLSearchParams(query)
  for (const name of NOT_SAVED) normalized.delete(name)
  normalized.sort()
  return normalized.toString()
}

export const savedViewSchema = z.strictObject({
  name: nameSchema(60),
  // Names that consist of several words are in snake case.
  resource: z.string().regex(/^[a-z_]{1,32}$/),
  // The encoded query can be nine times as long as the text. It is limited too, because the sidebar also loads colleagues' shared views.
  query: z
    .string()
    .max(MAX_QUERY)
    .refine((query) => toViewQuery(new URLSearchParams(query)).length <= MAX_QUERY),
  isShared: z.boolean(),
})

/** A view as it is stored. */
type StoredView = { id: string; userId: string; name: string; resource: string; query: string; isShared: boolean }

/**
 * Inserts a view if its user has fewer than the maximum number.
 *
 * @param condition an additional SQL condition, starting with `and` or `or`
 * @param onConflict the rest of the `on conflict` clause, which applies if the user already has the same view
 * @returns whether the view is new; undefined if nothing was written
 * @throws {UnavailableError} if the data of one of the seller's customers is being erased
 */
async function insertView(
  connection: Connection,
  sellerId: string,
  { id, userId, name, resource, query, isShared }: StoredView,
  condition: SQL,
  onConflict: SQL,
): Promise<boolean | undefined> {
  // An erasure would miss a view that is being saved and contains the person's name or email address.
  await blockErasures(connection, sellerId)
  await lockUser(connection, userId)
  const [saved] = await connection.rows<{ isNew: boolean }>(sql`
    insert into ${savedViews} (seller_id, id, user_id, is_shared, name, resource, query)
    select ${sellerId}, ${id}, ${userId}, ${isShared ? sql`true` : sql`false`}, ${name}, ${resource}, ${query}
    where (select count(*) from ${savedViews} where user_id = ${userId}) < ${sql.raw(String(MAX_VIEWS))} ${condition}
    on conflict ${onConflict} returning xmax = 0 as "isNew"`)
  return saved?.isNew
}

/**
 * Saves a view. If the user already has a view of the table with the same query, changes its name and sharing instead.
 *
 * @returns false if the user already has the maximum number of views
 * @throws {UnavailableError} if the data of one of the seller's customers is being erased
 */
export function saveView(user: User, view: z.output<typeof savedViewSchema>): Promise<boolean> {
  const { userId, sellerId } = user
  const query = toViewQuery(new URLSearchParams(view.query))
  return database().transaction(async (connection) => {
    const isNew = await insertView(
      connection,
      sellerId,
      { ...view, id: newObjectId(), userId, query },
      sql`or exists (select from ${savedViews} where user_id = ${userId} and resource = ${view.resource} and query = ${query})`,
      sql`(user_id, resource, md5(query)) do update set name = excluded.name, is_shared = excluded.is_shared`,
    )
    if (isNew === undefined) return false
    await writeAudit(connection, {
      sellerId,
      by: user,
      action: isNew ? 'view.created' : 'view.changed',
      subject: view.name,
      changes: { isShared: { after: view.isShared ? 'yes' : 'no' } },
    })
    return true
  })
}

/**
 * Changes the name or sharing of a user's own view. Members that are undefined do not change.
 *
 * @returns false if the user has no such view
 * @throws {UnavailableError} if the data of one of the seller's customers is being erased
 */
export function editView(
  user: User,
  viewId: string,
  { name, isShared }: { name: string | undefined; isShared: boolean | undefined },
): Promise<boolean> {
  const { userId, sellerId } = user
  return database().transaction(async (connection) => {
    await blockErasures(connection, sellerId)
    const isOwn = and(eq(savedViews.sellerId, sellerId), eq(savedViews.id, viewId), eq(savedViews.userId, userId))
    const [before] = await connection.orm.select().from(savedViews).where(isOwn).for('update')
    if (!before) return false
    const after = { name: name ?? before.name, isShared: isShared ?? before.isShared }
    await connection.orm.update(savedViews).set(after).where(isOwn)
    const describe = (view: typeof after) => ({ name: view.name, isShared: view.isShared ? 'yes' : 'no' })
    const changes = changesBetween(describe(before), describe(after))
    if (changes) await writeAudit(connection, { sellerId, by: user, action: 'view.changed', subject: after.name, changes })
    return true
  })
}

/** Returns whether a user may delete a view that is listed for them. */
export const mayDelete = ({ role }: Pick<SessionUser, 'role'>, { isOwn }: Pick<SavedView, 'isOwn'>): boolean => isOwn || role === 'owner'

const copySchema = z.strictObject({
  ...{ id: z.string(), userId: z.string(), isShared: z.boolean(), name: z.string(), resource: z.string(), query: z.string() },
  /** In Unix milliseconds. */
  deletedAt: z.number(),
})

/**
 * Deletes a view. Owners of the shop can also delete shared views of other users.
 *
 * @returns a copy for `restoreView`, or undefined if no view was deleted
 */
export async function deleteView(user: User & Pick<SessionUser, 'role'>, viewId: string): Promise<string | undefined> {
  const { userId, sellerId, role } = user
  const isOwn = eq(savedViews.userId, userId)
  const { id, userId: owner, name, resource, query, isShared } = savedViews
  const view = await database().transaction(async (connection) => {
    const [deleted] = await connection.orm
      .delete(savedViews)
      .where(and(eq(savedViews.sellerId, sellerId), eq(savedViews.id, viewId), role === 'owner' ? or(isOwn, savedViews.isShared) : isOwn))
      .returning({ id, userId: owner, name, resource, query, isShared, deletedAt: nowMs })
    if (deleted) await writeAudit(connection, { sellerId, by: user, action: 'view.deleted', subject: deleted.name })
    return deleted
  })
  return view && sealDeleted('view', user, view)
}

/**
 * Restores a deleted view, with its original ID, for its original user.
 *
 * @param copy the result of `deleteView`, for the same user
 * @returns the view's name; undefined if it was not restored because the copy is invalid or too old, the user has saved the same view
 *   again or has the maximum number of views, or a customer's data, which the view could contain, has been erased since the deletion
 * @throws {UnavailableError} if the data of one of the seller's customers is being erased
 */
export async function restoreView(user: User, copy: string): Promise<string | undefined> {
  const view = await unsealDeleted('view', user, copy, copySchema)
  if (!view) return undefined
  const { sellerId } = user
  return database().transaction(async (connection) => {
    const isNew = await insertView(connection, sellerId, view, sql`and ${isRestorable(sellerId, view.deletedAt)}`, sql`do nothing`)
    if (!isNew) return undefined
    const changes = { isShared: { after: view.isShared ? 'yes' : 'no' } }
    await writeAudit(connection, { sellerId, by: user, action: 'view.created', subject: view.name, changes })
    return view.name
  })
}

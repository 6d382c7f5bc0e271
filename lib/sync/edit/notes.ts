/** Notes that users write about records. The audit log records that a note was added or deleted, but not its text. */
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { recordNotes, tickets } from '@/db/schema'
import { type Actor, writeAudit } from '../../accounts/audit'
import { isRestorable, sealDeleted, unsealDeleted } from '../../accounts/deleted-copy'
import { blockErasures } from '../../accounts/erasure-lock'
import { RESOURCE_NAMES, type ResourceName, resources } from '../../catalog'
import { boundedText } from '../../catalog/shapes'
import { isStorable, STORABLE } from '../../catalog/ticket'
import { newObjectId } from '../../core/object-id'
import { nowMs } from '../../core/sql'

/** The records that can have notes. */
export type ResourceWithNotes = ResourceName | 'tickets'
export const RESOURCES_WITH_NOTES: readonly ResourceWithNotes[] = [...RESOURCE_NAMES, 'tickets']

/** The schema of a note. Trims it, and converts CRLF, which forms send, to LF, so that each line break counts as one character. */
export const noteText = z
  .string()
  .overwrite((text) => text.replaceAll('\r\n', '\n').trim())
  .pipe(boundedText(1, 2000).refine(isStorable, STORABLE))

type RecordReference = { resource: ResourceWithNotes; id: string }

/**
 * Returns a query for a record. Locks the record, because an imported record that replaces it takes over only the notes that it had when it
 * was locked (`for no key update`, with which `for key share` would not conflict). Does not lock a ticket, which would delay its check-in.
 */
function selectRecord(sellerId: string, { resource, id }: RecordReference): SQL {
  const table = resource === 'tickets' ? tickets : resources[resource].table
  const lock = resource === 'tickets' ? sql`` : sql`for share`
  return sql`select from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = ${id} ${lock}`
}

/**
 * Adds a note. Returns its ID, or undefined if the seller has no such record.
 *
 * @throws {UnavailableError} if the data of one of the seller's customers is being erased
 */
export const addNote = (sellerId: string, by: Actor, record: RecordReference, text: string): Promise<string | undefined> =>
  database().transaction(async (connection) => {
    await blockErasures(connection, sellerId)
    if ((await connection.rows(selectRecord(sellerId, record))).length === 0) return undefined
    const { resource, id } = record
    const noteId = newObjectId()
    await connection.orm.insert(recordNotes).values({ sellerId, id: noteId, resource, recordId: id, userId: by.userId, text })
    await writeAudit(connection, { sellerId, by, action: 'note.added', subject: id, recordId: id })
    return noteId
  })

const copySchema = z.strictObject({
  ...{ id: z.string(), resource: z.enum(RESOURCES_WITH_NOTES), recordId: z.string(), userId: z.string(), text: z.string() },
  /** Unix times in milliseconds. */
  ...{ createdAt: z.number(), deletedAt: z.number() },
})

/**
 * Deletes a note.
 *
 * @param mayDeleteAll whether the user may delete other users' notes
 * @returns a copy for `restoreNote`, or undefined if the seller has no such note or the user may not delete it
 */
export async function deleteNote(sellerId: string, by: Actor, id: string, mayDeleteAll: boolean): Promise<string | undefined> {
  const note = await database().transaction(async (connection) => {
    const where: SQL | undefined = and(
      eq(recordNotes.sellerId, sellerId),
      eq(recordNotes.id, id),
      mayDeleteAll ? undefined : eq(recordNotes.userId, by.userId),
    )
    const { sellerId: _, createdAt, ...columns } = getTableColumns(recordNotes)
    const createdAtMs = sql<number>`(extract(epoch from ${createdAt}) * 1000)::float8`
    const [deleted] = await connection.orm
      .delete(recordNotes)
      .where(where)
      .returning({ ...columns, createdAt: createdAtMs, deletedAt: nowMs })
    if (!deleted) return undefined
    const { recordId } = deleted
    await writeAudit(connection, { sellerId, by, action: 'note.deleted', subject: recordId, recordId })
    return deleted
  })
  return note && sealDeleted('note', { sellerId, userId: by.userId }, note)
}

/**
 * Restores a deleted note with its ID, its author and its time.
 *
 * @param copy the result of `deleteNote`, for the same user
 * @returns false if the copy is invalid or too old, the note has already been restored, the record has been deleted, or a customer
 *   has been erased since the deletion, because the note may contain their data
 * @throws {UnavailableError} if the data of one of the seller's customers is being erased
 */
export async function restoreNote(sellerId: string, by: Actor, copy: string): Promise<boolean> {
  const note = await unsealDeleted('note', { sellerId, userId: by.userId }, copy, copySchema)
  if (!note) return false
  const { id, resource, recordId, userId, text } = note
  return database().transaction(async (connection) => {
    await blockErasures(connection, sellerId)
    const restored = await connection.rows(sql`
      insert into ${recordNotes} (seller_id, id, resource, record_id, user_id, text, created_at)
      select ${sellerId}, ${id}, ${resource}, ${recordId}, ${userId}, ${text}, ${new Date(note.createdAt).toISOString()}::timestamptz
      where exists (${selectRecord(sellerId, { resource, id: recordId })})
        and ${isRestorable(sellerId, note.deletedAt)}
      on conflict do nothing returning 1`)
    if (restored.length === 0) return false
    await writeAudit(connection, { sellerId, by, action: 'note.added', subject: recordId, recordId })
    return true
  })
}

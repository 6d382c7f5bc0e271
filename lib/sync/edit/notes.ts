/** Notes that users write about records. The audit log records that a note was added or deleted, but not its text. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { recordNotes, tickets } from '@/db/schema'
import { writeAudit } from '../../accounts/audit'
import { RESOURCE_NAMES, type ResourceName, resources } from '../../catalog'
import { boundedText } from '../../catalog/shapes'
import { isStorable, STORABLE } from '../../catalog/ticket'
import { newObjectId } from '../../core/object-id'
import { waitForErasure } from '../erase/erased-people'

/** The records that can have notes. */
export type ResourceWithNotes = ResourceName | 'tickets'
export const RESOURCES_WITH_NOTES: readonly ResourceWithNotes[] = [...RESOURCE_NAMES, 'tickets']

/** The schema of a note. Trims it, and converts CRLF, which forms send, to LF, so that each line break counts as one character. */
export const noteText = z
  .string()
  .overwrite((text) => text.replaceAll('\r\n', '\n').trim())
  .pipe(boundedText(1, 2000).refine(isStorable, STORABLE))

/** The user who adds or deletes a note. */
type Author = { userId: string; email: string }
export type RecordReference = { resource: ResourceWithNotes; id: string }

const getTable = (resource: ResourceWithNotes) => (resource === 'tickets' ? tickets : resources[resource].table)

/** Adds a note. Returns its ID, or undefined if the seller has no such record. */
export const addNote = (sellerId: string, by: Author, { resource, id }: RecordReference, text: string): Promise<string | undefined> =>
  database().transaction(async (connection) => {
    await waitForErasure(connection, sellerId)
    const table = getTable(resource)
    const found = await connection.rows(sql`select 1 from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = ${id}`)
    if (found.length === 0) return undefined
    const noteId = newObjectId()
    await connection.orm.insert(recordNotes).values({ sellerId, id: noteId, resource, recordId: id, userId: by.userId, text })
    await writeAudit(connection, { sellerId, by, action: 'note.added', subject: id, recordId: id })
    return noteId
  })

/**
 * Deletes a note.
 *
 * @param mayDeleteAll whether the user may delete other users' notes
 * @returns false if the seller has no such note, or the user may not delete it
 */
export const deleteNote = (sellerId: string, by: Author, id: string, mayDeleteAll: boolean): Promise<boolean> =>
  database().transaction(async (connection) => {
    const where: SQL | undefined = and(
      eq(recordNotes.sellerId, sellerId),
      eq(recordNotes.id, id),
      mayDeleteAll ? undefined : eq(recordNotes.userId, by.userId),
    )
    const [deleted] = await connection.orm.delete(recordNotes).where(where).returning({ recordId: recordNotes.recordId })
    if (!deleted) return false
    const { recordId } = deleted
    await writeAudit(connection, { sellerId, by, action: 'note.deleted', subject: recordId, recordId })
    return true
  })

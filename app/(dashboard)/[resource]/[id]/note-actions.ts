'use server'
/** Server actions for the notes on records. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState } from '@/app/_components/form-state'
import { noteCopy as copy } from '@/app/copy/activity'
import { runUnlessErasing } from '@/app/explain-outage'
import { parseId } from '@/app/parse-id'
import { requireActor } from '@/app/session'
import { mayUse } from '@/lib/accounts/roles'
import * as notes from '@/lib/sync/edit/notes'

/** Adds a note to a record. */
export async function addNote(_: FormState<true>, form: FormData): Promise<FormState<true>> {
  const user = await requireActor('records', '/')
  const resource = notes.RESOURCES_WITH_NOTES.find((name) => name === form.get('resource'))
  const text = notes.noteText.safeParse(form.get('text'))
  if (!text.success) return { errors: { text: copy.error } }
  const record = resource && { resource, id: parseId(form.get('id')) }
  const id = record && (await runUnlessErasing(() => notes.addNote(user.sellerId, user, record, text.data)))
  if (!id) return { errors: { [FORM_ERROR_KEY]: copy.gone } }
  refresh()
  return { data: true }
}

/** Deletes a note. Returns a backup for `restoreNote`, or an error message. */
export async function deleteNote(id: string): Promise<{ backup: string } | { error: string }> {
  const user = await requireActor('records', '/')
  const backup = await notes.deleteNote(user.sellerId, user, parseId(id), mayUse(user.role, 'settings'))
  if (backup === undefined) return { error: copy.deleteGone }
  refresh()
  return { backup }
}

/** Restores a deleted note. Returns the message to show. @param backup the result of `deleteNote` */
export async function restoreNote(backup: string): Promise<string> {
  const user = await requireActor('records', '/')
  const isRestored = await runUnlessErasing(() => notes.restoreNote(user.sellerId, user, String(backup)))
  refresh()
  return isRestored ? copy.restored : copy.restoreFailed
}

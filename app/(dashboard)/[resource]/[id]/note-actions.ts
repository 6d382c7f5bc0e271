'use server'
/** Server actions for the notes on records. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState } from '@/app/_components/form-state'
import { noteCopy as copy } from '@/app/copy/activity'
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
  if (!record || !(await notes.addNote(user.sellerId, user, record, text.data))) return { errors: { [FORM_ERROR_KEY]: copy.gone } }
  refresh()
  return { done: true }
}

/** Deletes a note. Returns an error message on failure. */
export async function deleteNote(id: string): Promise<string | undefined> {
  const user = await requireActor('records', '/')
  if (!(await notes.deleteNote(user.sellerId, user, parseId(id), mayUse(user.role, 'settings')))) return copy.deleteGone
  refresh()
  return undefined
}

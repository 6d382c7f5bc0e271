'use server'
/** Server action for the conflicts page. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState } from '@/app/_components/form-state'
import { conflictCopy as copy } from '@/app/copy/conflicts'
import { requireActor } from '@/app/session'
import { conflictNote, reviewConflict } from '@/lib/admission/conflicts'

/** Marks a conflict as reviewed. Returns a message. */
export async function review(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const { sellerId, userId } = await requireActor('records', '/settings/devices/conflicts')
  const note = conflictNote.safeParse(String(form.get('note') ?? ''))
  if (!note.success) return { errors: { note: copy.noteError } }
  const isReviewed = await reviewConflict(sellerId, String(form.get('id') ?? ''), note.data, userId)
  if (!isReviewed) return { errors: { [FORM_ERROR_KEY]: copy.gone } }
  refresh()
  return { data: copy.reviewed }
}

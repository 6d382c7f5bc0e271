'use server'
/** Server actions for saved views. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState } from '@/app/_components/form-state'
import { savedViewsCopy as copy } from '@/app/copy/saved-views'
import { requireUser } from '@/app/session'
import { deleteView, savedViewSchema, saveView } from '@/lib/accounts/saved-views'
import { parseId } from '../../settings/_parts/account-errors'

/** Saves a view of a table. Returns its name. */
export async function save(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const user = await requireUser('records', '/overview')
  const view = { name: form.get('name'), resource: form.get('resource'), query: form.get('query'), isShared: form.get('shared') !== null }
  const parsed = savedViewSchema.safeParse(view)
  if (!parsed.success) return { errors: { name: copy.nameError } }
  if (!(await saveView(user, parsed.data))) return { errors: { [FORM_ERROR_KEY]: copy.tooMany } }
  refresh()
  return { done: parsed.data.name }
}

/** Deletes a view. Returns whether it existed. */
export async function remove(id: string): Promise<boolean> {
  const user = await requireUser('records', '/overview')
  const isDeleted = await deleteView(user, parseId(id))
  refresh()
  return isDeleted
}

'use server'
/** Server actions for saved views. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState, isChanged } from '@/app/_components/form-state'
import { changeViewCopy as copy } from '@/app/copy/change-view'
import { runUnlessErasing } from '@/app/explain-outage'
import { parseId } from '@/app/parse-id'
import { requireActor } from '@/app/session'
import { deleteView, editView, restoreView, savedViewSchema, saveView } from '@/lib/accounts/saved-views'

/** Saves a view of a table, or updates a saved one. Returns its name. */
export async function save(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const user = await requireActor('records', '/overview')
  const view = { name: form.get('name'), resource: form.get('resource'), query: form.get('query'), isShared: form.get('shared') !== null }
  const parsed = savedViewSchema.safeParse(view)
  if (!parsed.success) return { errors: { name: copy.nameError } }
  const id = form.get('id')
  if (id !== null) {
    const change = {
      name: isChanged(form, 'name') ? parsed.data.name : undefined,
      isShared: parsed.data.isShared === (form.get('original.shared') === 'yes') ? undefined : parsed.data.isShared,
    }
    if (!(await runUnlessErasing(() => editView(user, parseId(id), change)))) return { errors: { [FORM_ERROR_KEY]: copy.gone } }
  } else if (!(await runUnlessErasing(() => saveView(user, parsed.data)))) return { errors: { [FORM_ERROR_KEY]: copy.tooMany } }
  refresh()
  return { data: parsed.data.name }
}

/** Deletes a view. Returns a backup for `restore`, or undefined if no view was deleted. */
export async function remove(id: string): Promise<string | undefined> {
  const user = await requireActor('records', '/overview')
  const backup = await deleteView(user, parseId(id))
  refresh()
  return backup
}

/** Restores a deleted view. Returns its name, or undefined if it cannot be restored. @param backup the result of `remove` */
export async function restore(backup: string): Promise<string | undefined> {
  const user = await requireActor('records', '/overview')
  const name = await runUnlessErasing(() => restoreView(user, String(backup)))
  refresh()
  return name
}

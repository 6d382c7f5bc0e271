'use client'
/** The form for saving a table's filters, sort order and search as a view, and for editing or deleting a saved view. */
import { useState } from 'react'
import { Choice, OriginalValues, Submit, TextField, useForm } from '@/app/_components/form'
import { showToast } from '@/app/_components/toast'
import { changeViewCopy as copy } from '@/app/copy/change-view'
import type { SavedView } from '@/lib/accounts/saved-views'
import { save } from './actions'
import RemoveView from './remove-view'

type Props = { resource: string; query: string; saved: Pick<SavedView, 'id' | 'name' | 'isShared'> | undefined; onSuccess: () => void }

export default function ViewForm({ resource, query, saved: initial, onSuccess }: Props) {
  // A refresh of the page does not change the checkbox, so the original value that it is compared with must not change either.
  const [saved] = useState(initial)
  const { props, errors, pending } = useForm(save, (name) => {
    showToast({ text: copy.saved(name) })
    onSuccess()
  })
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="resource" value={resource} />
      <input type="hidden" name="query" value={query} />
      {saved ? (
        <>
          <input type="hidden" name="id" value={saved.id} />
          <OriginalValues values={{ name: saved.name, shared: saved.isShared ? 'yes' : '' }} />
        </>
      ) : null}
      <TextField label={copy.name} error={errors.name} name="name" defaultValue={saved?.name} />
      <Choice type="checkbox" name="shared" value="yes" label={copy.shared} checked={saved?.isShared === true} />
      <div className="flex flex-wrap items-end justify-between gap-2">
        <Submit label={copy.submit} pendingLabel={copy.saving} pending={pending} errors={errors} />
        {saved ? <RemoveView id={saved.id} /> : null}
      </div>
    </form>
  )
}

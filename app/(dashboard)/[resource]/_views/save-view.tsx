'use client'
/** Saves the table's current view, or deletes it if it is a saved one. The form is loaded when the dialog opens. */
import { lazy, useState, useTransition } from 'react'
import { showToast } from '@/app/_components/toast'
import { savedViewsCopy as copy } from '@/app/copy/saved-views'
import type { SavedView } from '@/lib/accounts/saved-views'
import { DialogButton } from '../../settings/_parts/dialog-button'
import { remove, save } from './actions'

const ViewForm = lazy(() => import('./view-form'))

/** `saved` is the view with the same query that the user may delete. */
type Props = { resource: string; query: string; saved: Pick<SavedView, 'id' | 'name' | 'isShared'> | undefined }

export function SaveView({ resource, query, saved }: Props) {
  const [open, setOpen] = useState(false)
  const [pending, start] = useTransition()
  if (saved) {
    async function restore() {
      const form = new FormData()
      const view = { resource, query, name: saved?.name ?? '', ...(saved?.isShared ? { shared: 'yes' } : {}) }
      for (const [name, value] of Object.entries(view)) form.set(name, value)
      const { done } = await save({}, form)
      showToast({ text: done === undefined ? copy.restoreFailed : copy.saved(done) })
    }
    const onClick = () =>
      start(async () => {
        const isRemoved = await remove(saved.id)
        showToast(isRemoved ? { text: copy.removed, action: { label: copy.undo, run: () => start(restore) } } : { text: copy.removeFailed })
      })
    return (
      <button type="button" className="button" disabled={pending} onClick={onClick}>
        {copy.remove}
      </button>
    )
  }
  function onDone(name: string) {
    setOpen(false)
    showToast({ text: copy.saved(name) })
  }
  return (
    <DialogButton label={copy.save} title={copy.save} description={copy.description} open={open} onOpenChange={setOpen}>
      <ViewForm resource={resource} query={query} onDone={onDone} />
    </DialogButton>
  )
}

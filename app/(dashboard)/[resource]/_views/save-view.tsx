'use client'
/** Saves the table's current view, or deletes it if it is a saved one. The form is loaded when the dialog opens. */
import { lazy, Suspense, useState, useTransition } from 'react'
import { showToast } from '@/app/_components/toast'
import { savedViewsCopy as copy } from '@/app/copy/saved-views'
import { DialogButton } from '../../settings/_parts/dialog-button'
import { remove } from './actions'

const ViewForm = lazy(() => import('./view-form'))

/** `saved` is the ID of the user's view with the same query. */
type Props = { resource: string; query: string; saved: string | undefined }

export function SaveView({ resource, query, saved }: Props) {
  const [open, setOpen] = useState(false)
  const [pending, start] = useTransition()
  if (saved) {
    const onClick = () =>
      start(async () => {
        showToast({ text: (await remove(saved)) ? copy.removed : copy.removeFailed })
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
      <Suspense>
        <ViewForm resource={resource} query={query} onDone={onDone} />
      </Suspense>
    </DialogButton>
  )
}

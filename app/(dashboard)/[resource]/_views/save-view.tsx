'use client'
/** Saves the table's current view, or deletes it if it is already saved. The code behind the buttons is loaded on first use. */
import { lazy, Suspense, useState } from 'react'
import { onDemand } from '@/app/_components/on-demand'
import { savedViewsCopy as copy } from '@/app/copy/saved-views'
import type { SavedView } from '@/lib/accounts/saved-views'
import { DialogButton } from '../../settings/_parts/dialog-button'

const ViewForm = onDemand(() => import('./view-form').then((loaded) => loaded.default))
const RemoveView = lazy(() => import('./remove-view'))

/** `saved` is the view with the same query that the user may delete. */
type Props = { resource: string; query: string; saved: Pick<SavedView, 'id' | 'name' | 'isShared'> | undefined }

export function SaveView({ saved, ...view }: Props) {
  const [open, setOpen] = useState(false)
  if (saved) {
    return (
      <Suspense fallback={<span className="button">{copy.remove}</span>}>
        <RemoveView {...view} saved={saved} />
      </Suspense>
    )
  }
  return (
    <DialogButton
      label={copy.save}
      title={copy.save}
      description={copy.description}
      loadContent={ViewForm.load}
      open={open}
      onOpenChange={setOpen}
    >
      <ViewForm {...view} onDone={() => setOpen(false)} />
    </DialogButton>
  )
}

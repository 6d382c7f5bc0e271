'use client'
/**
 * The button for saving the table's current view, editing the user's own, or deleting a colleague's. Its form and the delete button are
 * lazy-loaded.
 */
import { type ComponentType, lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { DialogButton } from '@/app/_components/dialog-button'
import { onDemand } from '@/app/_components/on-demand'
import { savedViewsCopy as copy } from '@/app/copy/saved-views'
import type { SavedView } from '@/lib/accounts/saved-views'
import type { RemoveViewProps } from './remove-view'

const ViewForm = onDemand(() => import('./view-form').then((module) => module.default))
// If the code cannot be loaded, the button is omitted, because an error would replace the page.
const RemoveView = lazy<ComponentType<RemoveViewProps>>(() => import('./remove-view').catch(() => ({ default: () => null })))

/** `saved` is the saved view with the same table and query, if the user may delete it. */
type Props = { resource: string; query: string; saved: Omit<SavedView, 'resource' | 'query'> | undefined }

export function SaveView({ saved, ...view }: Props) {
  const container = useRef<HTMLSpanElement>(null)
  const previousId = useRef(saved?.id)
  /** Focuses the new button if saving or deleting the view has removed the button that had the focus. */
  function onShown() {
    if (previousId.current !== saved?.id && document.activeElement === document.body) container.current?.querySelector('button')?.focus()
    previousId.current = saved?.id
  }
  return (
    <span ref={container} className="contents">
      {saved && !saved.isOwn ? (
        <Suspense fallback={<span className="button">{copy.remove}</span>}>
          <RemoveView id={saved.id} onShown={onShown} />
        </Suspense>
      ) : (
        <SaveButton key={saved?.id} {...view} saved={saved} onShown={onShown} />
      )}
    </span>
  )
}

/** The button that saves the view or, if it is already saved, edits its name and whether it is shared. */
function SaveButton({ onShown, ...view }: Props & { onShown: () => void }) {
  const [open, setOpen] = useState(false)
  const notify = useEffectEvent(onShown)
  useEffect(() => notify(), [])
  const label = view.saved ? copy.edit : copy.save
  return (
    <DialogButton
      label={label}
      title={label}
      description={view.saved ? undefined : copy.description}
      loadContent={ViewForm.load}
      open={open}
      onOpenChange={setOpen}
    >
      <ViewForm {...view} onSuccess={() => setOpen(false)} />
    </DialogButton>
  )
}

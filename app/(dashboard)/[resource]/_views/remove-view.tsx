'use client'
/** The button for deleting a saved view. The toast after the deletion has an undo button. */
import { startTransition, useEffect, useEffectEvent, useTransition } from 'react'
import { PendingButton } from '@/app/_components/pending-button'
import { showToast } from '@/app/_components/toast'
import { toActionMessage } from '@/app/action-error'
import { changeViewCopy as copy } from '@/app/copy/change-view'
import { savedViewsCopy } from '@/app/copy/saved-views'
import { remove, restore } from './actions'

/** `onShown` is called after the button has mounted. */
export type RemoveViewProps = { id: string; onShown?: () => void }

export default function RemoveView({ id, onShown }: RemoveViewProps) {
  const [pending, start] = useTransition()
  const notify = useEffectEvent(() => onShown?.())
  useEffect(() => notify(), [])
  async function undo(deleted: string) {
    const toText = (name: string | undefined) => (name === undefined ? copy.restoreFailed : copy.saved(name))
    showToast({ text: await restore(deleted).then(toText, toActionMessage) })
  }
  const onClick = () =>
    start(async () => {
      let deleted: string | undefined
      try {
        deleted = await remove(id)
      } catch (error) {
        return showToast({ text: toActionMessage(error) })
      }
      if (deleted === undefined) showToast({ text: copy.removeFailed })
      else showToast({ text: copy.removed, action: { label: copy.undo, run: () => startTransition(() => undo(deleted)) } })
    })
  return (
    <PendingButton className="button" pending={pending} onClick={onClick}>
      {savedViewsCopy.remove}
    </PendingButton>
  )
}

'use client'
/** The button that deletes a saved view. A toast confirms this, and has an undo button. */
import { startTransition, useTransition } from 'react'
import { showToast } from '@/app/_components/toast'
import { savedViewsCopy as copy } from '@/app/copy/saved-views'
import { toOtherUserMessage } from '@/app/page-user'
import { remove, restore } from './actions'

export default function RemoveView({ id }: { id: string }) {
  const [pending, start] = useTransition()
  async function undo(deleted: string) {
    const toText = (name: string | undefined) => (name === undefined ? copy.restoreFailed : copy.saved(name))
    showToast({ text: await restore(deleted).then(toText, toOtherUserMessage) })
  }
  const onClick = () =>
    start(async () => {
      const deleted = await remove(id)
      if (deleted === undefined) showToast({ text: copy.removeFailed })
      else showToast({ text: copy.removed, action: { label: copy.undo, run: () => startTransition(() => undo(deleted)) } })
    })
  return (
    <button type="button" className="button" disabled={pending} onClick={onClick}>
      {copy.remove}
    </button>
  )
}

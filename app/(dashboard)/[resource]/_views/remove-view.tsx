'use client'
/** The button that deletes a saved view. A toast confirms this, and has an undo button. */
import { startTransition, useTransition } from 'react'
import type { FormState } from '@/app/_components/form-state'
import { showToast } from '@/app/_components/toast'
import { savedViewsCopy as copy } from '@/app/copy/saved-views'
import { toOtherUserMessage } from '@/app/page-user'
import type { SavedView } from '@/lib/accounts/saved-views'
import { remove, save } from './actions'

type Props = { resource: string; query: string; saved: Pick<SavedView, 'id' | 'name' | 'isShared'> }

export default function RemoveView({ resource, query, saved: { id, name, isShared } }: Props) {
  const [pending, start] = useTransition()
  async function restore() {
    const form = new FormData()
    for (const [field, value] of Object.entries({ resource, query, name, ...(isShared ? { shared: 'yes' } : {}) })) form.set(field, value)
    const toText = ({ done }: FormState<string>) => (done === undefined ? copy.restoreFailed : copy.saved(done))
    showToast({ text: await save({}, form).then(toText, toOtherUserMessage) })
  }
  const onClick = () =>
    start(async () => {
      const undo = { label: copy.undo, run: () => startTransition(restore) }
      showToast((await remove(id)) ? { text: copy.removed, action: undo } : { text: copy.removeFailed })
    })
  return (
    <button type="button" className="button" disabled={pending} onClick={onClick}>
      {copy.remove}
    </button>
  )
}

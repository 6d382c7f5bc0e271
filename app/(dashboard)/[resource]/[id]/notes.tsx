'use client'
/** The form for adding a note to a record, and the button for deleting one. The toast after a deletion has an undo button. */
import { type MouseEvent, startTransition, useState, useTransition } from 'react'
import { ActionMessage } from '@/app/_components/action-message'
import { Field, type FormAction, Submit, useForm } from '@/app/_components/form'
import { PendingButton } from '@/app/_components/pending-button'
import { showToast } from '@/app/_components/toast'
import { toActionMessage } from '@/app/action-error'
import { noteCopy as copy } from '@/app/copy/activity'
import type { ResourceWithNotes } from '@/lib/sync/edit/notes'
import { addNote, deleteNote, restoreNote } from './note-actions'

/** The unsaved note of each record, by record ID. Kept when the user navigates to another page of the dashboard. */
const drafts = new Map<string, string>()

const isServer = typeof window === 'undefined'

/** Returns an action that adds a note and deletes its draft. The form itself may be unmounted by then. */
const addAndDeleteDraft =
  (id: string): FormAction<true> =>
  async (state, form) => {
    const result = await addNote(state, form)
    if (result.data && drafts.get(id) === form.get('text')) drafts.delete(id)
    return result
  }

export function NoteForm({ resource, id }: { resource: ResourceWithNotes; id: string }) {
  // Without JavaScript, the browser posts the form, which requires a server action.
  const { props, errors, pending } = useForm(isServer ? addNote : addAndDeleteDraft(id), () => {
    // A remaining draft means that the user changed the text while the note was being added.
    if (!drafts.has(id)) props.ref.current?.reset()
  })
  const restoreDraft = (field: HTMLTextAreaElement | null) => {
    if (field && field.value === '') field.value = drafts.get(id) ?? ''
  }
  return (
    <form {...props} className="mt-4 flex flex-col gap-2 border-line border-t pt-3 print:hidden">
      <input type="hidden" name="resource" value={resource} />
      <input type="hidden" name="id" value={id} />
      <Field label={copy.label} hint={copy.hint} error={errors.text}>
        {(attributes) => (
          <textarea
            {...attributes}
            ref={restoreDraft}
            name="text"
            rows={2}
            maxLength={2000}
            onChange={({ target }) => drafts.set(id, target.value)}
            className="field h-auto w-full py-1.5 text-base sm:text-sm"
          />
        )}
      </Field>
      <Submit label={copy.add} pendingLabel={copy.adding} pending={pending} errors={errors} />
    </form>
  )
}

export function DeleteNote({ id }: { id: string }) {
  const [pending, start] = useTransition()
  const [error, setError] = useState<string>()
  const onClick = ({ currentTarget }: MouseEvent<HTMLButtonElement>) =>
    start(async () => {
      const result = await deleteNote(id).catch((thrown: unknown) => ({ error: toActionMessage(thrown) }))
      if ('error' in result) return setError(result.error)
      const undo = async () => showToast({ text: await restoreNote(result.backup).catch(toActionMessage) })
      showToast({ text: copy.deleted, action: { label: copy.undo, run: () => startTransition(undo) } })
      // The button disappears along with the note, so move the focus to the timeline.
      currentTarget.closest('ol')?.focus()
    })
  return (
    <>
      <PendingButton
        pending={pending}
        onClick={onClick}
        className="rounded underline underline-offset-2 hover:text-ink aria-disabled:opacity-60"
      >
        {copy.delete}
      </PendingButton>
      <span role="alert" className="text-bad empty:hidden">
        <ActionMessage text={error} />
      </span>
    </>
  )
}

'use client'
/** The form for editing a ticket. */
import { useId, useState } from 'react'
import { apiRequest } from '@/app/_components/api-request'
import { CopyFormRequest } from '@/app/_components/copy-form-request'
import { Choices, OriginalValues, Submit, TextField, TextInput, useForm, useVersion } from '@/app/_components/form'
import { dialogCopy } from '@/app/copy/dialog'
import { ticketCopy as copy } from '@/app/copy/ticket'
import { editTicket } from './ticket-actions'
import { buildTicketBody, describeTicketChanges, type EditableTicket, findNoteErrors, listKeysWithNotice, toNoteField } from './ticket-body'

type Props = { ticket: EditableTicket; origin: string; onSuccess: (message: string) => void }

/** @param origin the server's public origin, for the copyable API request */
export default function TicketForm({ ticket: current, origin, onSuccess }: Props) {
  const { version: ticket, notices, follow } = useVersion(current, describeTicketChanges)
  const { props, errors, pending, check } = useForm(follow(editTicket), onSuccess)
  // Fields with the user's changes must not disappear if someone else cancels the ticket or deletes a note while the form is open.
  const [isCanceled] = useState(current.isCanceled)
  const removed = listKeysWithNotice(notices).filter((removedKey) => !ticket.metadata.some(({ key }) => key === removedKey))
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={ticket.id} />
      <input type="hidden" name="etag" value={ticket.etag} />
      <OriginalValues values={{ customerName: ticket.customerName, customerEmail: ticket.customerEmail }} />
      <TextField
        label={copy.customerName}
        error={errors.customerName}
        notice={notices.customerName}
        name="customerName"
        defaultValue={ticket.customerName}
        maxLength={200}
      />
      <TextField
        label={copy.customerEmail}
        error={errors.customerEmail}
        notice={notices.customerEmail}
        name="customerEmail"
        type="email"
        defaultValue={ticket.customerEmail}
        maxLength={254}
      />
      {isCanceled ? null : (
        <Choices legend={copy.notes} error={errors.metadata}>
          <p className="text-quiet">{copy.notesHint}</p>
          {[...ticket.metadata, ...removed.map((key) => ({ key, value: '' }))].map(({ key, value }) => (
            <Note key={key} noteKey={key} value={value} notice={notices[toNoteField(key)]} />
          ))}
          <Note noteKey="" value="" isInvalid={errors.metadata !== undefined} />
        </Choices>
      )}
      <Submit label={dialogCopy.save} pendingLabel={dialogCopy.saving} pending={pending} errors={errors} />
      <CopyFormRequest
        check={(form) => check(form, findNoteErrors(new FormData(form)))}
        command={(form) => apiRequest(origin, 'PATCH', `/tickets/${ticket.id}`, buildTicketBody(form))}
      />
    </form>
  )
}

type NoteProps = { noteKey: string; value: string; notice?: string | undefined; isInvalid?: boolean }

/**
 * The fields of a note. The name of an existing note cannot be edited.
 *
 * @param noteKey the name; empty for a new note
 * @param notice a notice that someone else has changed the value
 */
function Note({ noteKey, value, notice, isInvalid = false }: NoteProps) {
  const noticeId = useId()
  return (
    <div className="mt-1 grid grid-cols-[2fr_3fr] gap-2">
      <input type="hidden" name="before" value={value} />
      {/* A hidden field submits the name, because a text input removes line breaks. */}
      {noteKey === '' ? null : <input type="hidden" name="key" value={noteKey} />}
      <input
        className="field min-w-0 read-only:bg-hover"
        name={noteKey === '' ? 'newKey' : undefined}
        defaultValue={noteKey}
        readOnly={noteKey !== ''}
        aria-label={copy.noteName}
        aria-invalid={isInvalid}
        maxLength={50}
        placeholder={copy.noteNameExample}
        autoComplete="off"
      />
      <TextInput
        className="field min-w-0"
        name="value"
        defaultValue={value}
        aria-label={noteKey === '' ? copy.noteValue : copy.noteValueOf(noteKey)}
        aria-describedby={notice === undefined ? undefined : noticeId}
        maxLength={100}
        placeholder={copy.noteValueExample}
        autoComplete="off"
      />
      {notice === undefined ? null : (
        <p id={noticeId} className="wrap-anywhere col-start-2 text-warn">
          {notice}
        </p>
      )}
    </div>
  )
}

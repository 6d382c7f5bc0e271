'use client'
/** The form that edits a ticket. */
import { useState } from 'react'
import { apiRequest } from '@/app/_components/api-request'
import { CopyRequest } from '@/app/_components/copy-request'
import { Choices, OriginalValues, Submit, TextField, useFirstField, useForm } from '@/app/_components/form'
import { dialogCopy } from '@/app/copy/dialog'
import { ticketCopy as copy } from '@/app/copy/ticket'
import { editTicket } from './ticket-actions'
import { ticketBody } from './ticket-body'

export type EditedTicket = {
  id: string
  /** The version of the ticket that the user edits. */
  etag: string
  customerName?: string | undefined
  customerEmail?: string | undefined
  metadata: { key: string; value: string }[]
  /** Whether the ticket is canceled, so that its notes cannot change. */
  isCanceled: boolean
}

type Props = { ticket: EditedTicket; origin: string; onDone: (message: string) => void }

/** @param origin the server's public origin, for the API request that can be copied */
export default function TicketForm({ ticket: current, origin, onDone }: Props) {
  // The page might get a newer version while the form is open. The fields keep their values, so the version must not change either.
  const [ticket] = useState(current)
  const { props, errors, pending } = useForm(editTicket, onDone)
  const first = useFirstField()
  return (
    <form {...props} className="flex flex-col gap-4">
      <input type="hidden" name="id" value={ticket.id} />
      <input type="hidden" name="etag" value={ticket.etag} />
      <OriginalValues values={{ customerName: ticket.customerName, customerEmail: ticket.customerEmail }} />
      <TextField
        label={copy.customerName}
        error={errors.customerName}
        ref={first}
        name="customerName"
        defaultValue={ticket.customerName}
        maxLength={200}
      />
      <TextField
        label={copy.customerEmail}
        error={errors.customerEmail}
        name="customerEmail"
        type="email"
        defaultValue={ticket.customerEmail}
        maxLength={254}
      />
      {ticket.isCanceled ? null : (
        <Choices legend={copy.notes} error={errors.metadata}>
          <p className="text-quiet">{copy.notesHint}</p>
          {ticket.metadata.map(({ key, value }) => (
            <Note key={key} noteKey={key} value={value} />
          ))}
          <Note noteKey="" value="" />
        </Choices>
      )}
      <Submit label={dialogCopy.save} pendingLabel={dialogCopy.saving} pending={pending} errors={errors} />
      <CopyRequest command={(form) => apiRequest(origin, 'PATCH', `/tickets/${ticket.id}`, ticketBody(form))} />
    </form>
  )
}

/** The fields of a note. The name of an existing note cannot change. */
const Note = ({ noteKey, value }: { noteKey: string; value: string }) => (
  <div className="mt-1 grid grid-cols-[1fr_2fr] gap-2">
    <input type="hidden" name="before" value={value} />
    {/* Submitted by a hidden field, because a visible one removes line breaks. */}
    {noteKey === '' ? null : <input type="hidden" name="key" value={noteKey} />}
    <input
      className="field min-w-0 read-only:bg-hover"
      name={noteKey === '' ? 'newKey' : undefined}
      defaultValue={noteKey}
      readOnly={noteKey !== ''}
      aria-label={copy.noteName}
      maxLength={50}
      placeholder={copy.noteName}
      autoComplete="off"
    />
    <input
      className="field min-w-0"
      name="value"
      defaultValue={value}
      aria-label={noteKey === '' ? copy.noteValue : copy.valueOf(noteKey)}
      maxLength={100}
      placeholder={copy.noteValue}
      autoComplete="off"
    />
  </div>
)

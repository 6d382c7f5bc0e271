'use server'
/** Server action for the ticket page. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState, toFieldErrors } from '@/app/_components/form-state'
import { ticketCopy as copy } from '@/app/copy/ticket'
import { parseId } from '@/app/parse-id'
import { requireActor } from '@/app/session'
import { TooMuchMetadataError } from '@/lib/admission/decide'
import { updateTicketBody } from '@/lib/catalog/ticket-operations'
import { ApiError } from '@/lib/core/errors'
import { editTicket as editStored } from '@/lib/sync/edit/tickets'
import { toEditableTicket } from './load-ticket'
import { buildTicketBody, type EditableTicket, findNoteErrors } from './ticket-body'

type EditState = FormState<string, EditableTicket>

/** Updates a ticket. If a scan, for example, has changed it since the form was opened, changes nothing and returns the latest version. */
export async function editTicket(_: EditState, form: FormData): Promise<EditState> {
  const id = parseId(form.get('id'))
  const user = await requireActor('records', `/tickets/${id}`)
  const noteErrors = findNoteErrors(form)
  if (Object.keys(noteErrors).length > 0) return { errors: noteErrors }
  const parsed = updateTicketBody.safeParse(buildTicketBody(form))
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, copy.fieldErrors) }
  let latest: EditableTicket | undefined
  const isUnchanged = (current: string) => {
    latest = toEditableTicket(current)
    return latest.etag === form.get('etag')
  }
  try {
    const outcome = await editStored(user.sellerId, user, id, isUnchanged, parsed.data)
    if (outcome === 'gone') return { errors: { [FORM_ERROR_KEY]: copy.gone } }
    refresh()
    if (outcome !== 'saved') return { errors: { [FORM_ERROR_KEY]: copy.editConflict }, latest }
  } catch (error) {
    if (error instanceof TooMuchMetadataError) return { errors: { metadata: copy.tooManyNotes } }
    if (error instanceof ApiError && error.param === 'metadata') return { errors: { metadata: copy.canceledNotes } }
    throw error
  }
  return { data: copy.saved }
}

'use server'
/** Server action for the ticket page. */
import { refresh } from 'next/cache'
import { FORM_ERROR_KEY, type FormState, toFieldErrors } from '@/app/_components/form-state'
import { ticketCopy as copy } from '@/app/copy/ticket'
import { requireActor } from '@/app/session'
import { TooMuchMetadataError } from '@/lib/admission/decide'
import { updateTicketBody } from '@/lib/catalog/ticket-operations'
import { ApiError } from '@/lib/core/errors'
import { computeEtag } from '@/lib/http/etag'
import { editTicket as editStored } from '@/lib/sync/edit/tickets'
import { parseId } from '../../settings/_parts/account-errors'
import { ticketBody } from './ticket-body'

/** Updates a ticket, unless it has changed since the form was opened, for example because it was scanned. */
export async function editTicket(_: FormState<string>, form: FormData): Promise<FormState<string>> {
  const id = parseId(form.get('id'))
  const user = await requireActor('records', `/tickets/${id}`)
  const parsed = updateTicketBody.safeParse(ticketBody(form))
  if (!parsed.success) return { errors: toFieldErrors(parsed.error, copy.fieldErrors) }
  try {
    const outcome = await editStored(user.sellerId, user, id, (current) => computeEtag(current) === form.get('etag'), parsed.data)
    if (outcome === 'gone') return { errors: { [FORM_ERROR_KEY]: copy.gone } }
    // After a conflict, the dialog shows the current values when it is opened again.
    refresh()
    if (outcome !== 'saved') return { errors: { [FORM_ERROR_KEY]: copy.changedMeanwhile } }
  } catch (error) {
    if (error instanceof TooMuchMetadataError) return { errors: { metadata: copy.tooManyNotes } }
    if (error instanceof ApiError && error.param === 'metadata') return { errors: { metadata: copy.canceledNotes } }
    throw error
  }
  return { done: copy.saved }
}

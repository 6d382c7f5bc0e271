'use client'
/** The button for editing a ticket in a dialog. The form is lazy-loaded to keep it out of the initial page load. */
import { Announcer } from '@/app/_components/announcer'
import { FormDialog } from '@/app/_components/form-dialog'
import { onDemand } from '@/app/_components/on-demand'
import { ticketDialogCopy as copy } from '@/app/copy/ticket-dialog'
import type { EditableTicket } from './ticket-body'

const TicketForm = onDemand(() => import('./ticket-form').then((module) => module.default))

export const EditTicket = ({ ticket, origin }: { ticket: EditableTicket; origin: string }) => (
  <Announcer>
    <FormDialog label={copy.edit} title={copy.title} description={copy.hint} loadContent={TicketForm.load}>
      {(onSuccess) => <TicketForm ticket={ticket} origin={origin} onSuccess={onSuccess} />}
    </FormDialog>
  </Announcer>
)

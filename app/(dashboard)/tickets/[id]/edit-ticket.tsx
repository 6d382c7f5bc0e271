'use client'
/** The button that edits a ticket in a dialog. The form is loaded when the dialog opens, to keep it out of the initial page load. */
import { lazy } from 'react'
import { ticketDialogCopy as copy } from '@/app/copy/ticket-dialog'
import { Announcer } from '../../settings/_parts/announcer'
import { FormDialog } from '../../settings/_parts/dialog-button'
import type { EditedTicket } from './ticket-form'

const TicketForm = lazy(() => import('./ticket-form'))

export const EditTicket = ({ ticket, origin }: { ticket: EditedTicket; origin: string }) => (
  <Announcer>
    <FormDialog label={copy.edit} title={copy.title} description={copy.hint} done={(message) => message}>
      {(onDone) => <TicketForm ticket={ticket} origin={origin} onDone={onDone} />}
    </FormDialog>
  </Announcer>
)

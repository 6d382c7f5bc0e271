/** The list of tickets, and the operation that changes a ticket. */
import { z } from 'zod'
import { MAX_CODE } from './limits'
import { common, createdParams, idParam, searchParam } from './list-params'
import { boundedText } from './shapes'
import { tickets } from './ticket'
import { validationBody } from './ticket-validation'
import { defineWrite } from './write-operation'

const { status, checkInStatus } = tickets.record.shape
const describeChoices = (values: readonly string[]) => ({ error: `must be one of ${values.join(', ')}` })

/** The members that the search of tickets matches, with their names in the search field's placeholder. */
export const TICKET_SEARCH = { customerName: 'name', ticketShortId: 'ticket', customerEmail: 'email', orderId: 'order number' } as const

export const ticketParams = z.strictObject({
  ...common,
  pageId: idParam.optional(),
  status: z.enum(status.options, describeChoices(status.options)).optional(),
  checkInStatus: z.enum(checkInStatus.options, describeChoices(checkInStatus.options)).optional(),
  ticketTypeId: searchParam.optional(),
  ...createdParams,
})
export type TicketParams = z.output<typeof ticketParams>

/** A ticket as the list and the single read return it. The QR code is a bearer secret, so reading it requires a separate scope. */
export const ticketWithCode = tickets.record
  .extend({
    qrCode: boundedText(1, MAX_CODE)
      .optional()
      .describe('Text of the QR code, which admits the guest.')
      .meta({ 'x-scope': 'tickets:codes' }),
  })
  .meta({ id: 'TicketWithCode', description: 'A ticket, with its code for keys that may read it.' })

export const updateTicketBody = z
  .strictObject({
    customerName: boundedText(1, 200).nullable().optional().describe('Name of the customer. `null` removes it.'),
    customerEmail: z
      .email('must be an email address')
      .max(254, 'must have at most 254 characters')
      .nullable()
      .optional()
      .describe('Email address of the customer. `null` removes it.'),
    metadata: validationBody.shape.metadata,
  })
  .meta({ id: 'UpdateTicketBody', description: 'The members of a ticket to change.' })

/** The time of the change in the example. */
const CHANGED = '2026-11-22T09:00:00.000Z'

export const updateTicket = defineWrite({
  id: 'updateTicket',
  method: 'PATCH',
  path: '/v1/tickets/{id}',
  record: tickets,
  summary: 'Update a ticket',
  description:
    'Changes the name and the email address of the customer, and merges metadata as a validation does: by key, and `null` deletes an entry. The metadata of a canceled ticket cannot change.',
  scope: 'tickets:write',
  body: updateTicketBody,
  example: { customerName: 'Zoë Haddad-Meyer', metadata: [{ key: 'seat', value: 'B 12' }] },
  response: {
    metadata: [...tickets.example.metadata, { key: 'seat', value: 'B 12', addedAt: CHANGED }],
    updatedAt: CHANGED,
  },
  status: 200,
  errors: { body_invalid: { message: 'customerEmail must be an email address.', param: 'customerEmail' } },
})

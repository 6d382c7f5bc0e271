/** Defines the query parameters of the list of tickets, and the operation that updates a ticket. */
import { z } from 'zod'
import { MAX_CODE } from './limits'
import { commonListParams, createdParams, idParam, searchParam } from './list-params'
import { boundedText, describeChoices } from './shapes'
import { tickets } from './ticket'
import { validationBody } from './ticket-validation'
import { defineWrite } from './write-operation'

const { status, checkInStatus } = tickets.record.shape

/** The members that a search for tickets matches, each with its name in the search field's placeholder. */
export const TICKET_SEARCH = { customerName: 'name', ticketShortId: 'ticket', customerEmail: 'email', orderId: 'order number' } as const

/** The query parameters of `GET /v1/tickets`. */
export const ticketParams = z.strictObject({
  ...commonListParams,
  pageId: idParam.optional(),
  status: z.enum(status.options, describeChoices(status.options)).optional(),
  checkInStatus: z.enum(checkInStatus.options, describeChoices(checkInStatus.options)).optional(),
  ticketTypeId: searchParam.optional(),
  ...createdParams,
})
export type TicketParams = z.output<typeof ticketParams>

/** A ticket as GET requests return it. Anyone who has the QR code can use the ticket, so reading the code requires a separate scope. */
export const ticketWithCode = tickets.record
  .extend({
    qrCode: boundedText(1, MAX_CODE)
      .optional()
      .describe('Text that the QR code contains. Anyone who presents it is admitted.')
      .meta({ 'x-scope': 'tickets:codes' }),
  })
  .meta({ id: 'TicketWithCode', description: 'A ticket, including its QR code if the API key may read it.' })

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
const CHANGED_AT = '2026-11-22T09:00:00.000Z'

export const updateTicket = defineWrite({
  id: 'updateTicket',
  method: 'PATCH',
  path: '/v1/tickets/{id}',
  record: tickets,
  summary: 'Update a ticket',
  description:
    'Changes the customer’s name and email address, and merges metadata by key, as a validation does: the value `null` deletes an entry. The metadata of a canceled ticket cannot be changed.',
  scope: 'tickets:write',
  body: updateTicketBody,
  example: { customerName: 'Zoë Haddad-Meyer', metadata: [{ key: 'seat', value: 'B 12' }] },
  response: {
    metadata: [...tickets.example.metadata, { key: 'seat', value: 'B 12', addedAt: CHANGED_AT }],
    updatedAt: CHANGED_AT,
  },
  status: 200,
  errors: { body_invalid: { message: 'customerEmail must be an email address.', param: 'customerEmail' } },
})

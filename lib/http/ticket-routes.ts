/** The operations on a single ticket: `GET` and `PATCH /v1/tickets/{id}`. */
import { updateTicket as updateOperation } from '../catalog/ticket-operations'
import { lockTicket, updateTicket } from '../sync/edit/tickets'
import { notFoundRoute } from './fallback-route'
import { combineRoutes, createRoute } from './methods'
import { ticketReadRoutes } from './read-routes'
import { rethrowTooMuchMetadata } from './validate-ticket-route'
import { defineChangeRoute } from './write-route'

/** `PATCH /v1/tickets/{id}` */
const updateTicketRoute = defineChangeRoute(updateOperation, lockTicket, (...change) =>
  updateTicket(...change).catch(rethrowTooMuchMetadata),
)

const singleTicket = combineRoutes(ticketReadRoutes.record, updateTicketRoute)

/** The route of `/v1/tickets/{id}`. `/v1/tickets/validate`, without a code, is an unknown path, not a ticket with the ID `validate`. */
export const ticketRoutes = createRoute((request, params) =>
  (params.id === 'validate' ? notFoundRoute : singleTicket).GET.handle(request, params),
)

/** GET /door/ticket: returns a ticket with its history, its notes and the other tickets in its order. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { getTicketDetails } from '@/lib/admission/ticket-details'
import { objectId } from '@/lib/catalog/shapes'
import { ApiError } from '@/lib/core/errors'
import { chooseEvent, handleDoorRequest, maySee, parseSearch } from '../door-request'

const searchSchema = z.strictObject({ id: objectId, pageId: objectId.optional() })

export const GET = (request: Request) =>
  handleDoorRequest(request, 'search', async (caller) => {
    const { id, pageId } = parseSearch(request, searchSchema, doorRefusals.invalidTicket)
    const details = await getTicketDetails(caller.sellerId, id, chooseEvent(caller, pageId))
    if (!maySee(caller, details.guest.pageId)) throw new ApiError('ticket_not_found', doorRefusals.unknownTicket, 'id')
    return details
  })

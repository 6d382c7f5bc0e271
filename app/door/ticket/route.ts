/** GET /door/ticket: returns a ticket with its history, its notes and the other tickets of its order. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { openTicket } from '@/lib/admission/open-ticket'
import { objectId } from '@/lib/catalog/shapes'
import { handleDoorRequest, parseSearch } from '../door-request'

const which = z.strictObject({ id: objectId, pageId: objectId.optional() })

export const GET = (request: Request) =>
  handleDoorRequest(request, 'door', async (user) => {
    const { id, pageId } = parseSearch(request, which, doorRefusals.noTicket)
    return openTicket(user.sellerId, id, pageId)
  })

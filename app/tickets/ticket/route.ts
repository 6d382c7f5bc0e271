/** GET /tickets/ticket: one ticket with its history, what is noted on it, and the rest of its order. */
import { z } from 'zod'
import { doorRefusals } from '@/app/words/door-refusals'
import { objectId } from '@/lib/records/shapes'
import { openTicket } from '@/lib/tickets/open'
import { answerDoor, parseSearch } from '../door-request'

const which = z.strictObject({ id: objectId, pageId: objectId.optional() })

export const GET = (request: Request) =>
  answerDoor(request, 'door', async ({ person }) => {
    const { id, pageId } = parseSearch(request, which, doorRefusals.noTicket)
    return openTicket(person.sellerId, id, pageId)
  })

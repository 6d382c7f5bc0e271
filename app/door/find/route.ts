/** GET /door/find: tickets by name, email, order number or short id, while the term is typed. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { findTerm, findTickets } from '@/lib/admission/find-guests'
import { objectId } from '@/lib/catalog/shapes'
import { answerDoor, parseSearch } from '../door-request'

const search = z.strictObject({ search: findTerm, pageId: objectId.optional() })

export const GET = (request: Request) =>
  answerDoor(request, 'door', async (person) => {
    const { search: term, pageId } = parseSearch(request, search, doorRefusals.noSearch)
    return findTickets(person.sellerId, term, pageId)
  })

/** GET /door/find: finds tickets by name, email, order number or short ID, as the user types. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { findTerm, findTickets } from '@/lib/admission/find-guests'
import { objectId } from '@/lib/catalog/shapes'
import { chooseEvent, handleDoorRequest, parseSearch } from '../door-request'

const searchSchema = z.strictObject({ search: findTerm, pageId: objectId.optional() })

export const GET = (request: Request) =>
  handleDoorRequest(request, 'search', async (caller) => {
    const { search: term, pageId } = parseSearch(request, searchSchema, doorRefusals.invalidSearch)
    return findTickets(caller.sellerId, term, chooseEvent(caller, pageId))
  })

/** GET /door/tickets: returns a page of a check-in device's sealed ticket list. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { readTicketList } from '@/lib/admission/ticket-list'
import { handleDoorRequest, parseSearch } from '../door-request'

const search = z.strictObject({ cursor: z.string().max(500).optional() })

export const GET = (request: Request) =>
  handleDoorRequest(request, 'offline', async ({ sellerId, pageIds, rights }) => {
    const { cursor } = parseSearch(request, search, doorRefusals.noCursor)
    return readTicketList({ sellerId, hasNames: rights.includes('names'), ...(pageIds ? { pageIds } : {}) }, cursor)
  })

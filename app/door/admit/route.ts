/** POST /door/admit: checks in a ticket by its ID instead of its code. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { objectId } from '@/lib/catalog/shapes'
import { handleDoorRequest, parseBody, scanFields } from '../door-request'
import { admitTicket } from './admit-ticket'

const checkInSchema = z.strictObject({ ...scanFields, ticketId: objectId })

export const POST = (request: Request) =>
  handleDoorRequest(request, 'search', async (caller) => {
    const { data, body } = await parseBody(request, checkInSchema, doorRefusals.invalidCheckIn)
    return admitTicket(caller, data, body)
  })

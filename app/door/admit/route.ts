/** POST /door/admit: checks in a ticket by its ID instead of its code. Uses the same function as a scan. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { validateTicket } from '@/lib/admission/change-ticket'
import { objectId } from '@/lib/catalog/shapes'
import { handleDoorRequest, parseBody, scanFields, serializeScan, toChange, toScanResponse } from '../door-request'

const checkInSchema = z.strictObject({ ...scanFields, ticketId: objectId })

export const POST = (request: Request) =>
  handleDoorRequest(request, 'search', async (caller) => {
    const { data, body } = await parseBody(request, checkInSchema, doorRefusals.invalidCheckIn)
    const { ticketId, late } = data
    const manual = { method: 'MANUAL', source: 'guest_list', checkIn: !late, shouldReadDetails: true } as const
    const change = { ...toChange(caller, data, body), ...manual, metadata: [], ticketId }
    return toScanResponse(caller, await validateTicket(change, serializeScan))
  })

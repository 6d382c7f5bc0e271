/** POST /door/undo: undoes a check-in or a check-out, with a reason. For owners, staff and devices with this right. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { undoCheckIn } from '@/lib/admission/change-ticket'
import { objectId } from '@/lib/catalog/shapes'
import { undoReason } from '@/lib/catalog/ticket'
import { changeFields, handleDoorRequest, parseBody, serializeActionResult, toActionResponse, toChange } from '../door-request'

const undoSchema = z.strictObject({ ...changeFields, ticketId: objectId, sequence: z.int().min(0), reason: undoReason })

export const POST = (request: Request) =>
  handleDoorRequest(request, 'undo', async (caller) => {
    const { data, body } = await parseBody(request, undoSchema, doorRefusals.invalidUndo)
    const { ticketId, sequence, reason } = data
    return toActionResponse(await undoCheckIn({ ...toChange(caller, data, body), ticketId, sequence, reason }, serializeActionResult))
  })

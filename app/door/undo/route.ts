/** POST /door/undo: undoes a check-in or a check-out, and stores the reason. For owners, staff, and devices with the right to undo. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { undoCheckIn } from '@/lib/admission/change-ticket'
import { instant, objectId } from '@/lib/catalog/shapes'
import { undoReason } from '@/lib/catalog/ticket'
import { changeFields, handleDoorRequest, parseBody, serializeActionResult, toActionResponse, toChange } from '../door-request'

const undoSchema = z.strictObject({
  ...changeFields,
  ticketId: objectId,
  sequence: z.int().min(0),
  // Absent in requests from earlier versions of the check-in page, and if only the day of the entry is known.
  at: instant.optional(),
  reason: undoReason,
})

export const POST = (request: Request) =>
  handleDoorRequest(request, 'undo', async (caller) => {
    const { data, body } = await parseBody(request, undoSchema, doorRefusals.invalidUndo)
    const { ticketId, sequence, at, reason } = data
    return toActionResponse(await undoCheckIn({ ...toChange(caller, data, body), ticketId, sequence, at, reason }, serializeActionResult))
  })

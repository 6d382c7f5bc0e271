/** POST /door/undo: takes a check-in back, with a reason; for owner and staff. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { undoCheckIn, undoReason } from '@/lib/admission/undo'
import { objectId } from '@/lib/catalog/shapes'
import { answerDoor, parseBody, sentAlong, toDeskAnswer, UNDO } from '../door-request'

const undo = z.strictObject({ ...sentAlong, ticketId: objectId, sequence: z.int().min(0), reason: undoReason })

export const POST = (request: Request) =>
  answerDoor(request, UNDO, async (asked) => {
    const { data, body } = await parseBody(request, undo, doorRefusals.noUndoing)
    const { ticketId, sequence, reason, key, pageId } = data
    const { sellerId, userId } = asked.person
    const answer = await undoCheckIn({
      sellerId,
      ticketId,
      sequence,
      reason,
      actorId: userId,
      idempotencyKey: key,
      onlyPageId: pageId,
      body,
      requestId: asked.requestId,
    })
    return toDeskAnswer(answer)
  })

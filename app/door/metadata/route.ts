/** POST /door/metadata: adds, changes and removes what is noted on a ticket; lets nobody in. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { noteOnTicket } from '@/lib/admission/note'
import { objectId } from '@/lib/catalog/shapes'
import { validationBody } from '@/lib/catalog/ticket-validation'
import { answerDoor, parseBody, sentAlong, toDeskAnswer } from '../door-request'

const note = z.strictObject({ ...sentAlong, ticketId: objectId, metadata: validationBody.shape.metadata.unwrap() })

export const POST = (request: Request) =>
  answerDoor(request, 'door', async (asked) => {
    const { data, body } = await parseBody(request, note, doorRefusals.noNote)
    const { ticketId, metadata, key, pageId, device } = data
    const { sellerId, userId } = asked.person
    const answer = await noteOnTicket({
      sellerId,
      ticketId,
      metadata,
      actorId: userId,
      device: device || undefined,
      idempotencyKey: key,
      onlyPageId: pageId,
      body,
      requestId: asked.requestId,
    })
    return toDeskAnswer(answer)
  })

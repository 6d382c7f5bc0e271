/** POST /door/admit: a check-in by hand of a ticket that was found; the same admission as a scan's. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { validateTicket } from '@/lib/admission/validate-ticket'
import { objectId } from '@/lib/catalog/shapes'
import { answerDoor, parseBody, sentAlong, toScanAnswer } from '../door-request'

const checkIn = z.strictObject({ ...sentAlong, ticketId: objectId })

export const POST = (request: Request) =>
  answerDoor(request, 'door', async (asked) => {
    const { data, body } = await parseBody(request, checkIn, doorRefusals.noCheckIn)
    const { ticketId, key, pageId, device } = data
    const { sellerId, userId } = asked.person
    const answer = await validateTicket({
      sellerId,
      ticketId,
      method: 'MANUAL',
      metadata: [],
      checkIn: true,
      actorId: userId,
      device: device || undefined,
      idempotencyKey: key,
      onlyPageId: pageId,
      body,
      requestId: asked.requestId,
    })
    return toScanAnswer(asked, answer, 'admitted')
  })

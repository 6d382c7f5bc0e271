/** POST /door/scan: a scan of the door's page, by the person who is signed in; the same admission as the API's. */
import { z } from 'zod'
import { doorRefusals } from '@/app/copy/door-refusals'
import { validateTicket } from '@/lib/admission/validate-ticket'
import { boundedText } from '@/lib/catalog/shapes'
import { MAX_CODE } from '@/lib/catalog/ticket'
import { answerDoor, noNul, parseBody, sentAlong, toScanAnswer } from '../door-request'

const scan = z.strictObject({ ...sentAlong, code: boundedText(1, MAX_CODE).refine(noNul), checkIn: z.boolean() })

export const POST = (request: Request) =>
  answerDoor(request, 'door', async (asked) => {
    const { data, body } = await parseBody(request, scan, doorRefusals.noScan)
    const { code, checkIn, key, pageId, device } = data
    const { sellerId, userId } = asked.person
    const answer = await validateTicket({
      sellerId,
      code,
      metadata: [],
      checkIn,
      actorId: userId,
      device: device || undefined,
      idempotencyKey: key,
      onlyPageId: pageId,
      body,
      requestId: asked.requestId,
    })
    return toScanAnswer(asked, answer, checkIn ? 'admitted' : 'looked')
  })

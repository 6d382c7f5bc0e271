/** GET /door/turnout: returns how many guests have checked in. The check-in page polls it. */

import { countTurnout } from '@/lib/admission/turnout'
import { OBJECT_ID } from '@/lib/core/object-id'
import { eventOf, handleDoorRequest } from '../door-request'

export const GET = (request: Request) =>
  handleDoorRequest(request, 'scan', async (caller) => {
    const pageId = new URL(request.url).searchParams.get('pageId') ?? ''
    return countTurnout(caller.sellerId, eventOf(caller, OBJECT_ID.test(pageId) ? pageId.toLowerCase() : undefined))
  })

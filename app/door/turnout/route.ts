/** GET /door/turnout: returns how many guests have checked in. The check-in page polls it. */

import { countTurnout } from '@/lib/admission/turnout'
import { OBJECT_ID } from '@/lib/core/object-id'
import { handleDoorRequest } from '../door-request'

export const GET = (request: Request) =>
  handleDoorRequest(request, 'door', async (user) => {
    const pageId = new URL(request.url).searchParams.get('pageId') ?? ''
    return countTurnout(user.sellerId, OBJECT_ID.test(pageId) ? pageId.toLowerCase() : undefined)
  })

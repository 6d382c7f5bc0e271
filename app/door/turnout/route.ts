/** GET /door/turnout: returns the check-in counts. Pages poll this route while they receive no stream of counts. */
import { countTurnout } from '@/lib/admission/turnout'
import { handleDoorRequest, readPageId } from '../door-request'
import type { TurnoutResponse } from '../responses'

export const GET = (request: Request) =>
  handleDoorRequest(request, 'scan', async (caller): Promise<TurnoutResponse> => {
    const turnout = await countTurnout(caller.sellerId, readPageId(request, caller))
    return { ...turnout, at: Date.now() }
  })

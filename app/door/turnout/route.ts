/** GET /door/turnout: returns the check-in counts. Pages poll this route while they receive no stream of counts. */
import { countTurnout } from '@/lib/admission/turnout'
import { handleDoorRequest, readPageId } from '../door-request'

export const GET = (request: Request) =>
  handleDoorRequest(request, 'scan', async (caller) => countTurnout(caller.sellerId, readPageId(request, caller)))

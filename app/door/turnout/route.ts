/** GET /door/turnout: returns the counts at check-in. Pages without a stream of the counts poll this route. */
import { countTurnout } from '@/lib/admission/turnout'
import { handleDoorRequest, readPageId } from '../door-request'

export const GET = (request: Request) =>
  handleDoorRequest(request, 'scan', async (caller) => countTurnout(caller.sellerId, readPageId(request, caller)))

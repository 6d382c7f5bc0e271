/** GET /door/turnout: returns the counts at check-in. Pages that have no stream of them poll it. */
import { countTurnout } from '@/lib/admission/turnout'
import { handleDoorRequest, readPageId } from '../door-request'

export const GET = (request: Request) =>
  handleDoorRequest(request, 'scan', async (caller) => countTurnout(caller.sellerId, readPageId(request, caller)))

/** GET /door/counts: streams the counts at check-in, as server-sent events. */
import { countTurnout } from '@/lib/admission/turnout'
import { streamCounts } from '@/lib/http/count-streams'
import { handleDoorRequest, readPageId } from '../door-request'

export const GET = (request: Request) =>
  handleDoorRequest(request, 'scan', async (caller) => {
    const pageId = readPageId(request, caller)
    return streamCounts(caller.sellerId, pageId ?? '', () => countTurnout(caller.sellerId, pageId))
  })

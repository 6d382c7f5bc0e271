/** GET /door/counts: streams the check-in counts as server-sent events. */
import { countTurnout } from '@/lib/admission/turnout'
import { ApiError } from '@/lib/core/errors'
import { streamCounts } from '@/lib/http/count-streams'
import { readCaller } from '../door-caller'
import { handleDoorRequest, readPageId, requireRight } from '../door-request'
import { readPageSeller } from '../page-seller'

export const GET = (request: Request) =>
  handleDoorRequest(request, 'scan', async (caller) => {
    const { sellerId, actorId } = caller
    const pageId = readPageId(request, caller)
    /** Returns whether the caller may still read these counts: the session or device is valid, and has access to the same event. */
    async function isAllowed(): Promise<boolean> {
      try {
        const current = await readCaller(request.headers.get('cookie'), readPageSeller(request))
        requireRight(current, 'scan')
        return current.sellerId === sellerId && readPageId(request, current) === pageId
      } catch (error) {
        if (error instanceof ApiError) return false
        throw error
      }
    }
    return streamCounts({ sellerId, actorId, isAllowed }, pageId ?? '', () => countTurnout(sellerId, pageId))
  })

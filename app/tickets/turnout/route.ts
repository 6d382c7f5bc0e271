/** GET /tickets/turnout: how many are in, for the door's page to show as it changes. */
import { currentPerson } from '@/app/session'
import { answerError } from '@/lib/api/handler'
import { newRequestId } from '@/lib/api/request-id'
import { mayUse } from '@/lib/auth/roles'
import { ApiError } from '@/lib/errors'
import { OBJECT_ID } from '@/lib/object-id'
import { countTurnout } from '@/lib/tickets/door'

export async function GET(request: Request): Promise<Response> {
  try {
    const person = await currentPerson()
    if (!person) throw new ApiError('key_missing', 'Nobody is signed in here any more. Sign in again.')
    if (!mayUse(person.role, 'door')) throw new ApiError('scope_missing', 'This role does not let guests in.')
    const pageId = new URL(request.url).searchParams.get('pageId') ?? ''
    const turnout = await countTurnout(person.sellerId, OBJECT_ID.test(pageId) ? pageId.toLowerCase() : undefined)
    return Response.json(turnout, { headers: { 'Cache-Control': 'no-store' } })
  } catch (error) {
    return answerError(error, newRequestId())
  }
}

/**
 * POST /door/sign-out: ends the user's session, and deletes its cookies. The check-in page and the dashboard then delete the ticket list.
 * After a server action, Next would immediately leave the page, which would abort the deletion.
 */
import { readSessionId } from '@/app/session-token'
import { endSession, readSessionToken, SESSION_COOKIES } from '@/lib/accounts/sessions'
import { sessionSecret } from '@/lib/core/session-secret'
import { respondToDoor } from '../door-request'

/** Returns a `Set-Cookie` header that deletes a cookie. Browsers ignore it without `Secure` if the cookie's name requires that. */
const deleteCookie = (name: string): [string, string] => [
  'Set-Cookie',
  `${name}=; Path=/; Max-Age=0${name.startsWith('__Secure-') ? '; Secure' : ''}`,
]

export const POST = (request: Request) =>
  respondToDoor(request, async () => {
    const token = readSessionToken(request.headers.get('cookie'))
    const sessionId = token && (await readSessionId(token, await sessionSecret()))
    if (sessionId) await endSession(sessionId)
    return Response.json({ done: true }, { headers: SESSION_COOKIES.map(deleteCookie) })
  })

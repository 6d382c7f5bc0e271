/** Signing out on the check-in page. */
import { encode } from 'next-auth/jwt'
import { beforeAll, expect, it } from 'vitest'
import { readCredentialsHash } from '@/lib/accounts/credentials'
import { createSession, findSessionUser } from '@/lib/accounts/sessions'
import { sessionSecret } from '@/lib/core/session-secret'
import { doorRequest, makeOwner } from '@/testing/devices'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { POST as signOut } from './route'

beforeAll(openTestDatabase)

it('ends the session and deletes its cookies, but not for requests from other sites', async () => {
  const { userId, email } = await makeOwner(await makeSeller())
  const sessionId = String(await createSession(userId, String(await readCredentialsHash(userId))))
  const token = await encode({ token: { sessionId }, secret: await sessionSecret() })
  const request = (headers: Record<string, string> = {}) => {
    const sent = doorRequest('/door/sign-out', `next-auth.session-token=${token}`, {})
    for (const [name, value] of Object.entries(headers)) sent.headers.set(name, value)
    return sent
  }
  const foreign = await signOut(request({ Origin: 'https://example.com', 'Sec-Fetch-Site': 'cross-site' }))
  expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([403, []])
  expect(await findSessionUser(sessionId)).toMatchObject({ email })
  const response = await signOut(request())
  expect(await response.json()).toEqual({ done: true })
  expect(response.headers.getSetCookie()).toEqual([
    '__Secure-next-auth.session-token=; Path=/; Max-Age=0; Secure',
    'next-auth.session-token=; Path=/; Max-Age=0',
  ])
  expect(await findSessionUser(sessionId)).toBeUndefined()
})

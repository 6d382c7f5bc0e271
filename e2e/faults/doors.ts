/** Simulates doors that scan one ticket after another, through the API or through the check-in page's route. */
import { setTimeout as pause } from 'node:timers/promises'
import { encode } from 'next-auth/jwt'
import { readCredentialsHash } from '@/lib/accounts/credentials'
import type { Role } from '@/lib/accounts/roles'
import { createSession } from '@/lib/accounts/sessions'
import { newObjectId } from '@/lib/core/object-id'
import { makeUser } from '@/testing/users'
import { keepAlive, sendRequest, type TimedResponse } from './send-request'
import { SECRET, type Server, type Shop, sendScan } from './world'

/**
 * Scans at several doors while `shouldContinue` returns true.
 *
 * @param pauseMs how long a door waits after each response, in milliseconds
 * @param send sends scan number `i` over the door's connection
 */
async function scanRepeatedly(
  doors: number,
  shouldContinue: () => boolean,
  pauseMs: number,
  send: (i: number, agent: ReturnType<typeof keepAlive>) => Promise<TimedResponse>,
): Promise<TimedResponse[]> {
  const replies: TimedResponse[] = []
  let next = 0
  const door = async () => {
    const agent = keepAlive()
    while (shouldContinue()) {
      replies.push(await send(next++, agent))
      await pause(pauseMs)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: doors }, door))
  return replies
}

const codeAt = ({ codes }: Shop, i: number) => codes[i % codes.length] ?? ''

/** Scans through the API while `shouldContinue` returns true. */
export const scanWhile = (
  { url }: Server,
  shop: Shop,
  doors: number,
  shouldContinue: () => boolean,
  pauseMs = 20,
): Promise<TimedResponse[]> =>
  scanRepeatedly(doors, shouldContinue, pauseMs, (i, agent) =>
    sendScan(url, shop.key, { code: codeAt(shop, i), key: `scan-${i}`, note: 'scan' }, agent),
  )

/** Scans through the check-in page's route while `shouldContinue` returns true. @param cookie the session cookie of a signed-in user */
export const scanOnPageWhile = (
  { url }: Server,
  shop: Shop,
  cookie: string,
  doors: number,
  shouldContinue: () => boolean,
  pauseMs = 20,
): Promise<TimedResponse[]> =>
  scanRepeatedly(doors, shouldContinue, pauseMs, (i, agent) =>
    sendRequest(url, '/door/scan', {
      method: 'POST',
      headers: { Cookie: cookie, 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ code: codeAt(shop, i), key: `page-${i}`, checkIn: true }),
      agent,
    }),
  )

/** Adds a user and starts a session without the sign-in form. @returns the session's `Cookie` header */
export async function signInAs({ seller }: Shop, role: Role): Promise<string> {
  const userId = await makeUser(seller, `${role}-${newObjectId()}@example.com`, role)
  const sessionId = await createSession(userId, String(await readCredentialsHash(userId)))
  return `next-auth.session-token=${await encode({ token: { sessionId }, secret: SECRET })}`
}

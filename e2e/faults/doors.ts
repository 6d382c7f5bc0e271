/** Simulated doors, each of which scans one ticket after another, through the API or through the check-in page's route. */
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
 * Scans at several doors while `isGoing` returns true.
 *
 * @param restMs how long a door waits after each response, in milliseconds
 * @param send sends scan number `i` over its door's connection
 */
async function scanRepeatedly(
  doors: number,
  isGoing: () => boolean,
  restMs: number,
  send: (i: number, agent: ReturnType<typeof keepAlive>) => Promise<TimedResponse>,
): Promise<TimedResponse[]> {
  const replies: TimedResponse[] = []
  let next = 0
  const door = async () => {
    const agent = keepAlive()
    while (isGoing()) {
      replies.push(await send(next++, agent))
      await pause(restMs)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: doors }, door))
  return replies
}

const codeAt = ({ codes }: Shop, i: number) => codes[i % codes.length] ?? ''

/** Scans through the API while `isGoing` returns true. */
export const scanWhile = ({ url }: Server, shop: Shop, doors: number, isGoing: () => boolean, restMs = 20): Promise<TimedResponse[]> =>
  scanRepeatedly(doors, isGoing, restMs, (i, agent) =>
    sendScan(url, shop.key, { code: codeAt(shop, i), key: `scan-${i}`, note: 'scan' }, agent),
  )

/** Scans through the check-in page's route while `isGoing` returns true. @param cookie the session cookie of a signed-in user */
export const scanOnPageWhile = (
  { url }: Server,
  shop: Shop,
  cookie: string,
  doors: number,
  isGoing: () => boolean,
  restMs = 20,
): Promise<TimedResponse[]> =>
  scanRepeatedly(doors, isGoing, restMs, (i, agent) =>
    sendRequest(url, '/door/scan', {
      method: 'POST',
      headers: { Cookie: cookie, 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ code: codeAt(shop, i), key: `page-${i}`, checkIn: true }),
      agent,
    }),
  )

/** Adds a user and starts a session without the sign-in form. @returns the Cookie header for the session */
export async function signInAs({ seller }: Shop, role: Role): Promise<string> {
  const userId = await makeUser(seller, `${role}-${newObjectId()}@example.com`, role)
  const sessionId = await createSession(userId, String(await readCredentialsHash(userId)))
  return `next-auth.session-token=${await encode({ token: { sessionId }, secret: SECRET })}`
}

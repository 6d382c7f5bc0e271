/** Doors that scan one ticket after another, through the API or through the check-in page's route. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Role } from '@/lib/accounts/roles'
import { addUser } from '@/lib/accounts/users'
import { newObjectId } from '@/lib/core/object-id'
import { ask, keepAlive, type Reply } from './ask'
import { type Server, type Shop, sendScan } from './world'

const PASSWORD = 'correct horse battery'

/** Scans from several doors while `going` returns true. @param send sends the scan number `at` over its door's connection */
async function repeat(
  doors: number,
  going: () => boolean,
  restMs: number,
  send: (at: number, agent: ReturnType<typeof keepAlive>) => Promise<Reply>,
): Promise<Reply[]> {
  const replies: Reply[] = []
  let turn = 0
  const door = async () => {
    const agent = keepAlive()
    while (going()) {
      replies.push(await send(turn++, agent))
      await pause(restMs)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: doors }, door))
  return replies
}

const codeAt = ({ codes }: Shop, at: number) => codes[at % codes.length] ?? ''

/** Scans through the API. */
export const scanWhile = ({ url }: Server, shop: Shop, doors: number, going: () => boolean, restMs = 20): Promise<Reply[]> =>
  repeat(doors, going, restMs, (at, agent) => sendScan(url, shop.key, { code: codeAt(shop, at), key: `scan-${at}`, note: 'turn' }, agent))

/** Scans through the check-in page's route. @param cookie of a signed-in user */
export const scanOnPageWhile = (
  { url }: Server,
  shop: Shop,
  cookie: string,
  doors: number,
  going: () => boolean,
  restMs = 20,
): Promise<Reply[]> =>
  repeat(doors, going, restMs, (at, agent) =>
    ask(url, '/door/scan', {
      method: 'POST',
      headers: { Cookie: cookie, 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ code: codeAt(shop, at), key: `page-${at}`, checkIn: true }),
      agent,
    }),
  )

const listCookies = ({ headers }: Reply): string[] => [headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0] ?? '')

/** Adds a user and signs in with the form's requests. @returns the cookie header of the session */
export async function signInAs({ url }: Server, { seller }: Shop, role: Role): Promise<string> {
  const email = `${role}-${newObjectId()}@example.com`
  await addUser(seller, { email, password: PASSWORD, role })
  const asked = await ask(url, '/api/auth/csrf')
  const { csrfToken } = JSON.parse(asked.text) as { csrfToken: string }
  const signedIn = await ask(url, '/api/auth/callback/credentials', {
    method: 'POST',
    headers: { Cookie: listCookies(asked).join('; '), 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ email, password: PASSWORD, csrfToken, json: 'true' }).toString(),
  })
  const session = listCookies(signedIn).find((cookie) => cookie.startsWith('next-auth.session-token='))
  if (!session) throw new Error(`${role} could not sign in: ${signedIn.status} ${signedIn.text}`)
  return session
}

/** A signed-in browser that makes itself a check-in device: it works while somebody is signed in, and not without. */
import { beforeAll, expect, it, vi } from 'vitest'
import { DEVICE_COOKIE, listDevices } from '@/lib/accounts/check-in-devices'
import { readCredentialsHash } from '@/lib/accounts/credentials'
import { createSession, endSession, findSessionUser, type SessionUser } from '@/lib/accounts/sessions'
import { doorRequest, makeOwner } from '@/testing/devices'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { sessionCookie } from '@/testing/session-cookie'
import { POST as scan } from '../scan/route'
import { GET as tickets } from '../tickets/route'
import { GET as turnout } from '../turnout/route'
import { enrollSelf } from './enroll-self'

const jar = vi.hoisted(() => ({ cookie: '', set: vi.fn<(name: string, value: string) => void>() }))
vi.mock('next/headers', () => ({ cookies: async () => jar, headers: async () => new Headers({ cookie: jar.cookie }) }))

const signedIn = vi.hoisted((): { user: SessionUser | undefined } => ({ user: undefined }))
vi.mock('@/app/session', () => ({ requireCaller: async () => signedIn.user }))

beforeAll(openTestDatabase)

/** Signs an owner of a new seller in. */
async function signIn() {
  const sellerId = await makeSeller()
  const { userId } = await makeOwner(sellerId)
  await importLines('tickets', sellerId, [minimal('tickets', { qrCode: 'K7qW2xZr9LmT4vBn8HcYs3Dj0001' })])
  const sessionId = await createSession(userId, String(await readCredentialsHash(userId)))
  if (!sessionId) throw new Error('no session')
  signedIn.user = await findSessionUser(sessionId)
  return { sellerId, sessionId, session: await sessionCookie(sessionId) }
}

async function enroll(name: string): Promise<string> {
  jar.set.mockClear()
  await enrollSelf(name)
  const [cookie, token] = jar.set.mock.lastCall ?? []
  expect(cookie).toBe(DEVICE_COOKIE)
  jar.cookie = `${DEVICE_COOKIE}=${token}`
  return jar.cookie
}

const statusOf = async (cookie: string) => [
  (await tickets(doorRequest('/door/tickets', cookie))).status,
  (await turnout(doorRequest('/door/turnout', cookie))).status,
  (await scan(doorRequest('/door/scan', cookie, { key: `self-${Math.random()}`, code: 'x', checkIn: true }))).status,
]

it('gets the ticket list while a user of its seller is signed in, and nothing afterwards', async () => {
  const { sessionId, session } = await signIn()
  const device = await enroll('Gate 7')
  expect(await statusOf(`${device}; ${session}`)).toEqual([200, 200, 200])
  expect(await statusOf(device)).toEqual([401, 401, 401])
  await endSession(sessionId)
  expect(await statusOf(`${device}; ${session}`)).toEqual([401, 401, 401])
  // A user of another seller, in the same browser.
  const other = await signIn()
  expect((await tickets(doorRequest('/door/tickets', `${device}; ${other.session}`))).status).toBe(403)
})

it('is one device, which owners can revoke, however often it is made one', async () => {
  const { sellerId } = await signIn()
  jar.cookie = ''
  await enroll('  ')
  await enrollSelf('Gate 8')
  expect(await listDevices(sellerId)).toMatchObject([{ name: 'Unnamed device', state: 'active', rights: ['session', 'offline', 'names'] }])
})

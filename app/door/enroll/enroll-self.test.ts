/** A signed-in user can enroll a browser as a check-in device, which works only while a user is signed in. */
import { beforeAll, expect, it, vi } from 'vitest'
import { DEVICE_COOKIE, type DeviceRight, type DeviceSettings, listDevices, revokeDevice } from '@/lib/accounts/check-in-devices'
import { readCredentialsHash } from '@/lib/accounts/credentials'
import { createSession, endSession, findSessionUser, type SessionUser } from '@/lib/accounts/sessions'
import { ApiError } from '@/lib/core/errors'
import { listAudit } from '@/lib/listing/list-audit'
import { addOwnBrowsers, backdateAudit, doorRequest, makeDevice, makeOwner } from '@/testing/devices'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { sessionCookie } from '@/testing/session-cookie'
import { makeUser } from '@/testing/users'
import type { DoorCaller } from '../door-caller'
import CheckInPage from '../page'
import { POST as scan } from '../scan/route'
import { GET as tickets } from '../tickets/route'
import { GET as turnout } from '../turnout/route'
import { enrollSelf, renameSelf } from './enroll-self'

const jar = vi.hoisted(() => ({ cookie: '', set: vi.fn<(name: string, value: string) => void>() }))
vi.mock('next/headers', () => ({ cookies: async () => jar, headers: async () => new Headers({ cookie: jar.cookie }) }))

const signedIn = vi.hoisted((): { user: SessionUser | undefined; error?: Error | undefined } => ({ user: undefined }))
vi.mock('@/app/session', () => {
  const user = async () => signedIn.user
  const caller = async () => {
    if (signedIn.error) throw signedIn.error
    return signedIn.user
  }
  return { requireCaller: caller, requireUser: user, currentUser: user }
})

beforeAll(openTestDatabase)

/** Creates a seller with a ticket, and signs in its owner. */
async function signIn() {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  await importLines('tickets', sellerId, [minimal('tickets', { qrCode: 'K7qW2xZr9LmT4vBn8HcYs3Dj0001' })])
  const sessionId = await createSession(owner.userId, String(await readCredentialsHash(owner.userId)))
  if (!sessionId) throw new Error('no session')
  signedIn.user = await findSessionUser(sessionId)
  return { sellerId, owner, sessionId, session: await sessionCookie(sessionId) }
}

/** Enrolls the browser. @returns its `Cookie` header */
async function enroll(name: string): Promise<string> {
  jar.set.mockClear()
  await enrollSelf(name)
  const [cookie, token] = jar.set.mock.lastCall ?? []
  expect(cookie).toBe(DEVICE_COOKIE)
  jar.cookie = `${DEVICE_COOKIE}=${token}`
  return jar.cookie
}

/** Returns the statuses of the responses to requests for the ticket list and the turnout, and to a scan. */
const requestStatuses = async (cookie: string) => [
  (await tickets(doorRequest('/door/tickets', cookie))).status,
  (await turnout(doorRequest('/door/turnout', cookie))).status,
  (await scan(doorRequest('/door/scan', cookie, { key: `self-${Math.random()}`, code: 'x', checkIn: true }))).status,
]

it('the browser gets the ticket list only while a user of its seller is signed in', async () => {
  const { sessionId, session } = await signIn()
  const device = await enroll('Gate 7')
  expect(await requestStatuses(`${device}; ${session}`)).toEqual([200, 200, 200])
  expect(await requestStatuses(device)).toEqual([401, 401, 401])
  await endSession(sessionId)
  expect(await requestStatuses(`${device}; ${session}`)).toEqual([401, 401, 401])
  // A user of another seller, in the same browser.
  const other = await signIn()
  expect((await tickets(doorRequest('/door/tickets', `${device}; ${other.session}`))).status).toBe(403)
})

it('the browser is a single device, even if it is enrolled several times', async () => {
  const { sellerId } = await signIn()
  jar.cookie = ''
  await enroll('  ')
  await enrollSelf('Gate 8')
  expect(await listDevices(sellerId)).toMatchObject([{ name: 'Gate 8', state: 'active', rights: ['session', 'offline', 'names'] }])
})

it('the browser can be renamed by its user, which is logged once, but not by another user, and not if it was set up with a code', async () => {
  const { sellerId, owner } = await signIn()
  jar.cookie = ''
  await enroll('')
  for (const name of ['Gate 8', ' Gate 8 ', '', 'a\nb']) await renameSelf(name)
  const { user } = signedIn
  const colleagueId = await makeUser(sellerId, `colleague-${sellerId}@example.com`, 'door')
  signedIn.user = user && { ...user, userId: colleagueId }
  await renameSelf('Gate 9')
  expect(await listDevices(sellerId)).toMatchObject([{ name: 'Gate 8' }])
  const renamed = (await listAudit(sellerId)).rows.filter(({ action }) => action === 'device.renamed')
  expect(renamed).toMatchObject([
    { email: owner.email, subject: 'Gate 8', changes: { name: { before: 'Unnamed device', after: 'Gate 8' } } },
  ])
  signedIn.user = user
  jar.cookie = (await makeDevice(sellerId, owner)).cookie
  await renameSelf('Gate 9')
  expect((await listDevices(sellerId)).map(({ name }) => name)).toEqual(['Gate 2', 'Gate 8'])
})

it('a user’s browsers can be renamed at most 100 times a day, so that a script cannot fill the seller’s audit log', async () => {
  const { sellerId, owner } = await signIn()
  jar.cookie = ''
  await enroll('Gate')
  const first = jar.cookie
  jar.cookie = ''
  const second = await enroll('Gate')
  const renameTo = (name: string, cookie = first) => {
    jar.cookie = cookie
    return renameSelf(name)
  }
  for (let count = 1; count <= 98; count += 1) await renameTo(`Gate ${count}`)
  await renameTo('Bar', second)
  await Promise.all([renameTo('Gate 99'), renameTo('Gate 100'), renameTo('Gate 101')])
  const countRenames = async () =>
    (await listAudit(sellerId, { limit: 1000 })).rows.filter(({ action, email }) => action === 'device.renamed' && email === owner.email)
      .length
  expect(await countRenames()).toBe(100)
  // Enrolling the browser again also renames it.
  expect(await enrollSelf('Gate 102')).toBeUndefined()
  expect(await countRenames()).toBe(100)
  await backdateAudit(sellerId)
  await renameTo('Gate 103')
  expect((await listDevices(sellerId)).map(({ name }) => name).toSorted()).toEqual(['Bar', 'Gate 103'])
})

it('a user can enroll at most 100 browsers, so that a script cannot fill the seller’s device list and audit log', async () => {
  const { sellerId, owner } = await signIn()
  const [other] = await addOwnBrowsers(sellerId, owner, 99)
  const enrollNew = () => {
    jar.cookie = ''
    return enrollSelf('Gate')
  }
  const message = 'Too many of your browsers are check-in devices. Ask an owner or staff member to revoke some.'
  expect((await Promise.all([enrollNew(), enrollNew()])).toSorted()).toEqual([message, undefined])
  await revokeDevice(sellerId, String(other), owner)
  expect([await enrollNew(), await enrollNew()]).toEqual([undefined, message])
})

it('a user who has been signed out gets a message', async () => {
  await signIn()
  signedIn.error = new ApiError('key_missing', 'You have been signed out. Sign in again.')
  expect(await enrollSelf('Gate')).toBe('You have been signed out. Sign in again.')
  signedIn.error = undefined
})

/** Returns the check-in page's state of the browser, and for whom the page checks in guests. */
async function openPage(cookie: string): Promise<{ browser: unknown; caller: DoorCaller }> {
  jar.cookie = cookie
  return (await CheckInPage()).props
}
/** Returns the state of the browser according to the check-in page. */
const readBrowserState = async (cookie: string) => (await openPage(cookie)).browser

it('the browser loses access to the ticket list once it is revoked, but its signed-in user can still scan online', async () => {
  const { sellerId, owner, session } = await signIn()
  jar.cookie = ''
  const device = await enroll('Gate 7')
  expect(await readBrowserState(device)).toBe('offline')
  await revokeDevice(sellerId, String((await listDevices(sellerId))[0]?.id), owner)
  expect(await readBrowserState(device)).toBe('ended')
  // The 401 makes the device delete its list.
  expect(await requestStatuses(`${device}; ${session}`)).toEqual([401, 200, 200])
})

it.each([[[]], [['offline']]] as DeviceRight[][][])(
  'enrolling does not replace a device that was set up with a code and has the rights %j',
  async (rights) => {
    const { sellerId, owner } = await signIn()
    const others = await signIn()
    for (const [shop, by] of [
      [sellerId, owner],
      [others.sellerId, others.owner],
    ] as const) {
      const { cookie } = await makeDevice(shop, by, { rights })
      expect(await readBrowserState(cookie)).toBe(shop === others.sellerId && rights.length > 0 ? 'offline' : 'onlineOnly')
      jar.set.mockClear()
      await enrollSelf('Gate 8')
      expect(jar.set).not.toHaveBeenCalled()
    }
  },
)

it('on a device that was set up with a code, a signed-in user is offered only what the device can also do offline', async () => {
  const { sellerId, owner } = await signIn()
  const [jazz, choir] = [minimal('pages', { name: 'Jazz' }), minimal('pages', { name: 'Choir' })]
  await importLines('pages', sellerId, [jazz, choir])
  const pageIds = [String(jazz.id)]
  const open = async (settings: Partial<DeviceSettings>) => {
    const { caller } = await openPage((await makeDevice(sellerId, owner, settings)).cookie)
    expect([caller.actorId, caller.deviceName]).toEqual([owner.userId, undefined])
    return [caller.pageIds, caller.rights]
  }
  expect(await open({ pageIds, rights: ['offline'] })).toEqual([pageIds, ['scan', 'search', 'undo']])
  const all = ['scan', 'search', 'checkout', 'undo']
  expect(await open({ rights: ['offline', 'checkout'] })).toEqual([undefined, all])
  // These browsers do not check tickets offline, or do so with all of the user's rights.
  expect(await open({ pageIds })).toEqual([undefined, all])
  expect(await open({ rights: ['session', 'offline', 'names'] })).toEqual([undefined, all])
  const other = await signIn()
  const { caller } = await openPage((await makeDevice(sellerId, owner, { pageIds, rights: ['offline'] })).cookie)
  expect([caller.sellerId, caller.pageIds, caller.rights]).toEqual([other.sellerId, undefined, all])
})

/**
 * A check-in device can access only its own seller's data, for its own events, as far as its rights allow, and nothing once it is revoked.
 * A check-in page can access only the data of the seller for whom it was rendered.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { revokeDevice } from '@/lib/accounts/check-in-devices'
import { readCredentialsHash } from '@/lib/accounts/credentials'
import { createSession } from '@/lib/accounts/sessions'
import { deriveScanKey } from '@/lib/admission/sealed-scan'
import type { TicketListPage } from '@/lib/admission/sealed-ticket'
import { getTicketDetails } from '@/lib/admission/ticket-details'
import { readDoorRoutes } from '@/lib/http/route-tree'
import { listConflicts } from '@/lib/listing/list-conflicts'
import { listRefusals } from '@/lib/listing/list-refusals'
import { doorRequest, makeDevice, makeOwner } from '@/testing/devices'
import { importLines, type Line, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { sessionCookie } from '@/testing/session-cookie'
import { countStatements } from '@/testing/statements'
import { POST as admit } from './admit/route'
import { GET as counts } from './counts/route'
import { GET as find } from './find/route'
import { POST as note } from './metadata/route'
import { sealScan } from './offline/seal-scan'
import { PAGE_SELLER } from './page-seller'
import { POST as scan } from './scan/route'
import { GET as open } from './ticket/route'
import { GET as tickets } from './tickets/route'
import { GET as turnout } from './turnout/route'
import { POST as undo } from './undo/route'

beforeAll(openTestDatabase)

let keyCount = 0
const nextKey = () => {
  keyCount += 1
  return `device-${keyCount}`
}

/** Returns a new strong code. Its ticket is on the device's list immediately; a weak code would first need a slow key derivation. */
const strongCode = () => `b7Qx2LkP9vRtZ4mWcY8sHdJ3-${nextKey()}`

/** Creates a seller with two events, and tickets for both in a single order. */
async function createShop(firstGuest = 'Ada') {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  const [jazz, choir] = [minimal('pages', { name: 'Jazz' }), minimal('pages', { name: 'Choir' })]
  await importLines('pages', sellerId, [jazz, choir])
  const makeTicket = (page: Line, customerName: string) =>
    minimal('tickets', { pageId: page.id, orderId: 'BK-1', customerName, qrCode: strongCode() })
  const tickets = [makeTicket(jazz, firstGuest), makeTicket(jazz, 'Ben'), makeTicket(choir, 'Cleo')] as const
  await importLines('tickets', sellerId, [...tickets])
  const [ada, ben, cleo] = tickets.map((line) => ({ id: String(line.id), code: String(line.qrCode) }))
  if (!ada || !ben || !cleo) throw new Error('no tickets')
  return { sellerId, owner, jazz: String(jazz.id), choir: String(choir.id), ada, ben, cleo }
}

/** Returns the status and the body of a response. */
const read = async (response: Response) => [response.status, (await response.json()) as Line] as const
const sendScan = (cookie: string, body: Line) =>
  scan(doorRequest('/door/scan', cookie, { key: nextKey(), checkIn: true, ...body })).then(read)

describe('a check-in device', () => {
  it('checks in a guest with seven statements, and records the device’s own name', async () => {
    const { sellerId, owner, ada } = await createShop()
    const { cookie } = await makeDevice(sellerId, owner)
    // The first request also records the device's last contact.
    await turnout(doorRequest('/door/turnout', cookie))
    let result: readonly [number, Line] | undefined
    const count = await countStatements(async () => {
      result = await sendScan(cookie, { code: ada.code, device: 'Another name' })
    })
    expect(count).toBe(7)
    expect(result).toMatchObject([200, { kind: 'admitted', ticket: { guest: { name: 'Ada' }, others: [] } }])
    expect((await getTicketDetails(sellerId, ada.id, undefined)).history).toMatchObject([{ status: 'CHECKEDIN', who: 'Gate 2' }])
  })

  it('cannot use routes that require other rights, or any route without a valid token', { tags: 'slow' }, async () => {
    const { sellerId, owner, ada, ben } = await createShop()
    const calls = (cookie: string) => ({
      search: [
        () => find(doorRequest('/door/find?search=Ada', cookie)),
        () => open(doorRequest(`/door/ticket?id=${ada.id}`, cookie)),
        () => admit(doorRequest('/door/admit', cookie, { key: nextKey(), ticketId: ben.id })),
        () => note(doorRequest('/door/metadata', cookie, { key: nextKey(), ticketId: ada.id, metadata: [{ key: 'seat', value: 'A1' }] })),
      ],
      undo: [() => undo(doorRequest('/door/undo', cookie, { key: nextKey(), ticketId: ada.id, sequence: 1, reason: 'Left' }))],
      scan: [
        () => scan(doorRequest('/door/scan', cookie, { key: nextKey(), code: ada.code, checkIn: false })),
        () => turnout(doorRequest('/door/turnout', cookie)),
      ],
    })
    for (const rights of [[], ['search'], ['undo'], ['search', 'undo']] as ('search' | 'undo')[][]) {
      const { cookie } = await makeDevice(sellerId, owner, { rights })
      for (const [right, sent] of Object.entries(calls(cookie))) {
        for (const call of sent) {
          const [status] = await read(await call())
          expect([right, rights, status]).toEqual([right, rights, right === 'scan' || rights.includes(right as 'undo') ? 200 : 403])
        }
      }
    }
    for (const cookie of ['', 'desk-check-in-device=forged', `desk-check-in-device=${'A'.repeat(43)}`])
      for (const call of Object.values(calls(cookie)).flat()) expect((await call()).status).toBe(401)
  })

  it('checks in guests only for its own events, and cannot see tickets for others', async () => {
    const { sellerId, owner, jazz, choir, ada, cleo } = await createShop()
    const { cookie } = await makeDevice(sellerId, owner, { pageIds: [jazz], rights: ['search', 'undo'] })
    const [status, other] = await sendScan(cookie, { code: cleo.code })
    expect([status, other.kind, other.ticket]).toEqual([200, 'other_event', undefined])
    expect((await sendScan(cookie, { code: cleo.code, pageId: choir }))[0]).toBe(403)
    expect((await open(doorRequest(`/door/ticket?id=${cleo.id}`, cookie))).status).toBe(404)
    expect(await read(await admit(doorRequest('/door/admit', cookie, { key: nextKey(), ticketId: cleo.id })))).toMatchObject([
      200,
      { kind: 'other_event' },
    ])
    expect(await read(await find(doorRequest('/door/find?search=BK-1', cookie)))).toMatchObject([
      200,
      { guests: [{ pageId: jazz }, { pageId: jazz }], hasMore: false },
    ])
    expect((await find(doorRequest(`/door/find?search=BK-1&pageId=${choir}`, cookie))).status).toBe(403)
    expect(await read(await turnout(doorRequest('/door/turnout', cookie)))).toMatchObject([200, { sold: 2, at: expect.any(Number) }])
    expect(await sendScan(cookie, { code: ada.code })).toMatchObject([200, { kind: 'admitted', ticket: { others: [{ name: 'Ben' }] } }])
    expect((await getTicketDetails(sellerId, cleo.id, undefined)).history).toEqual([])
  })

  it('makes no manual check-in with a scan that names one, unless it may search for guests', async () => {
    const { sellerId, owner, ada, ben } = await createShop()
    for (const [{ id, code }, rights, method] of [
      [ada, [], 'QRSCAN'],
      [ben, ['search'], 'MANUAL'],
    ] as [typeof ada, 'search'[], string][]) {
      const { cookie } = await makeDevice(sellerId, owner, { rights })
      const unanswered = [{ key: nextKey(), ticketId: id }]
      expect(await sendScan(cookie, { code, unanswered })).toMatchObject([200, { kind: 'admitted' }])
      expect((await getTicketDetails(sellerId, id, undefined)).history).toMatchObject([{ method }])
    }
  })

  it('must specify the event if it has several', async () => {
    const { sellerId, owner, jazz, choir, ada } = await createShop()
    const { cookie } = await makeDevice(sellerId, owner, { pageIds: [jazz, choir] })
    expect((await sendScan(cookie, { code: ada.code }))[0]).toBe(403)
    expect(await sendScan(cookie, { code: ada.code, pageId: jazz })).toMatchObject([200, { kind: 'admitted' }])
  })

  it('cannot access another seller’s data through any route', { tags: 'slow' }, async () => {
    const [mine, theirs] = [await createShop(), await createShop('Grace')]
    const { cookie } = await makeDevice(mine.sellerId, mine.owner, { rights: ['search', 'undo', 'checkout', 'offline', 'names'] })
    const { id, code } = theirs.ada
    const late = { code, claimedAt: new Date().toISOString(), clockOffset: 0, decision: 'admitted' as const, isOverride: true }
    const scanId = randomBytes(16).toString('hex')
    const sealed = await sealScan(await deriveScanKey(mine.sellerId), scanId, late)
    /** The query or body for each route; undefined if the route returns no data. The test fails if a route is missing. */
    const requests: Record<string, string | Line | undefined> = {
      'GET /door/find': `?search=Grace&pageId=${theirs.jazz}`,
      'GET /door/ticket': `?id=${id}`,
      'GET /door/turnout': `?pageId=${theirs.jazz}`,
      'GET /door/counts': `?pageId=${theirs.jazz}`,
      'GET /door/tickets': '',
      'GET /door/sw.js': undefined,
      'GET /door/manifest.webmanifest': undefined,
      'POST /door/scan': { key: nextKey(), code, checkIn: true },
      'POST /door/scans': { protocol: 1, scans: [{ id: scanId, sealed }] },
      'POST /door/admit': { key: nextKey(), ticketId: id },
      'POST /door/undo': { key: nextKey(), ticketId: id, sequence: 1, reason: 'Left' },
      'POST /door/metadata': { key: nextKey(), ticketId: id, metadata: [{ key: 'seat', value: 'A1' }] },
      'POST /door/sign-out': {},
    }
    const table = [...(await readDoorRoutes(join(process.cwd(), 'app')))].flatMap(([path, handlers]) =>
      Object.entries(handlers).map(([method, handle]) => ({ route: `${method} ${path}`, path, handle })),
    )
    expect(table.map(({ route }) => route).toSorted()).toEqual(Object.keys(requests).toSorted())
    for (const { route, path, handle } of table) {
      const input = requests[route]
      if (input === undefined) continue
      const isQuery = typeof input === 'string'
      const response = await handle?.(doorRequest(isQuery ? path + input : path, cookie, isQuery ? undefined : input))
      // A stream does not end, but its first chunk contains all counts.
      const reader = response?.body?.getReader()
      const text = new TextDecoder().decode((await reader?.read())?.value)
      await reader?.cancel()
      const words = ['Grace', theirs.sellerId, theirs.jazz, theirs.choir, id, theirs.ben.id, theirs.owner.email]
      for (const word of words) expect(text.includes(word) && !JSON.stringify(input).includes(word), `${route}: ${text}`).toBe(false)
      if (route === 'GET /door/turnout') expect(JSON.parse(text)).toMatchObject({ sold: 0 })
      if (route === 'GET /door/tickets') expect((JSON.parse(text) as TicketListPage).entries).toHaveLength(3)
    }
    expect(await getTicketDetails(theirs.sellerId, id, undefined)).toMatchObject({ history: [], refusals: [], metadata: [] })
    expect(await listConflicts(theirs.sellerId)).toEqual([])
    expect((await listConflicts(mine.sellerId)).map(({ kind, ticketId }) => [kind, ticketId])).toEqual([['unknown_code', null]])
  })

  it('is rejected as soon as it is revoked, and if its request comes from another origin', async () => {
    const { sellerId, owner, ada } = await createShop()
    const { id, cookie } = await makeDevice(sellerId, owner)
    const foreign = doorRequest('/door/scan', cookie, { key: nextKey(), code: ada.code, checkIn: true })
    foreign.headers.set('Sec-Fetch-Site', 'same-site')
    expect((await scan(foreign)).status).toBe(403)
    await revokeDevice(sellerId, id, owner)
    expect(await sendScan(cookie, { code: ada.code })).toMatchObject([401, { code: 'key_invalid' }])
    expect((await getTicketDetails(sellerId, ada.id, undefined)).history).toEqual([])
  })
})

const OTHER_SHOP = { message: 'You are signed in to another shop. Reload this page.' }
const OTHER_DEVICE = { message: 'This browser is now set up as a check-in device for another shop. Reload this page.' }

/** Returns a request from a page that was rendered for a seller. */
function pageRequest(pageSellerId: string, ...request: Parameters<typeof doorRequest>): Request {
  const sent = doorRequest(...request)
  sent.headers.set(PAGE_SELLER, pageSellerId)
  return sent
}

/** Signs in a user. @returns the session's `Cookie` header */
async function startSession({ userId }: { userId: string }): Promise<string> {
  const sessionId = await createSession(userId, String(await readCredentialsHash(userId)))
  return sessionCookie(String(sessionId))
}

describe('a check-in page in a browser whose user has signed in to another shop', () => {
  /** Creates the page's shop and the shop of the session. @returns functions that scan a ticket of the page's shop */
  async function openPage() {
    const [mine, theirs] = [await createShop(), await createShop('Grace')]
    const session = await startSession(theirs.owner)
    const send = (cookie: string, pageSellerId = mine.sellerId) =>
      scan(pageRequest(pageSellerId, '/door/scan', cookie, { key: nextKey(), checkIn: true, code: mine.ada.code })).then(read)
    const history = async () => (await getTicketDetails(mine.sellerId, mine.ada.id, undefined)).history
    return { mine, theirs, session, send, history }
  }

  it('cannot use any route, and its scans are not recorded', async () => {
    const { mine, theirs, session, send } = await openPage()
    expect(await send(session)).toMatchObject([403, OTHER_SHOP])
    const { id } = mine.ada
    for (const [handle, path, body] of [
      [admit, '/door/admit', { key: nextKey(), ticketId: id }],
      [note, '/door/metadata', { key: nextKey(), ticketId: id, metadata: [{ key: 'seat', value: 'A1' }] }],
      [undo, '/door/undo', { key: nextKey(), ticketId: id, sequence: 1, reason: 'Left' }],
      [find, '/door/find?search=Ada', undefined],
      [open, `/door/ticket?id=${id}`, undefined],
      [tickets, '/door/tickets', undefined],
      [turnout, '/door/turnout', undefined],
      [counts, '/door/counts', undefined],
    ] as const)
      expect([path, ...(await read(await handle(pageRequest(mine.sellerId, path, session, body))))]).toMatchObject([path, 403, OTHER_SHOP])
    for (const shop of [mine, theirs]) expect((await listRefusals(shop.sellerId)).rows).toEqual([])
    // A page that was rendered for the session's shop, or that names no seller, checks tickets of that shop.
    expect(await send(session, theirs.sellerId)).toMatchObject([200, { kind: 'unknown' }])
    expect(await sendScan(session, { code: theirs.ada.code })).toMatchObject([200, { kind: 'admitted' }])
  })

  it('checks in guests as the browser’s device, if the device belongs to the page’s shop and needs no session', async () => {
    const { mine, session, send, history } = await openPage()
    const ownBrowser = await makeDevice(mine.sellerId, mine.owner, { rights: ['session', 'offline'] })
    expect(await send(`${ownBrowser.cookie}; ${session}`)).toMatchObject([403, OTHER_SHOP])
    expect(await history()).toEqual([])
    const { cookie } = await makeDevice(mine.sellerId, mine.owner)
    expect(await send(`${cookie}; ${session}`)).toMatchObject([200, { kind: 'admitted' }])
    expect(await history()).toMatchObject([{ status: 'CHECKEDIN', who: 'Gate 2' }])
  })

  it('is refused if the browser has become a device of another shop', async () => {
    const { mine, theirs, session, send } = await openPage()
    const { cookie } = await makeDevice(theirs.sellerId, theirs.owner, { rights: ['offline'] })
    expect(await send(cookie)).toMatchObject([403, OTHER_DEVICE])
    expect(await send(`${cookie}; ${session}`)).toMatchObject([403, OTHER_SHOP])
    expect(await read(await tickets(pageRequest(mine.sellerId, '/door/tickets', cookie)))).toMatchObject([403, OTHER_DEVICE])
    expect((await tickets(pageRequest(theirs.sellerId, '/door/tickets', cookie))).status).toBe(200)
    expect((await listRefusals(theirs.sellerId)).rows).toEqual([])
  })

  it('can name its shop in the query of a request for counts, because an `EventSource` cannot send custom headers', async () => {
    const { mine, session } = await openPage()
    const { cookie } = await makeDevice(mine.sellerId, mine.owner)
    for (const [handle, path] of [
      [turnout, '/door/turnout'],
      [counts, '/door/counts'],
    ] as const) {
      const send = (cookies: string) => handle(doorRequest(`${path}?${PAGE_SELLER}=${mine.sellerId}`, cookies))
      expect(await read(await send(session))).toMatchObject([403, OTHER_SHOP])
      const response = await send(`${cookie}; ${session}`)
      expect(response.status).toBe(200)
      await response.body?.cancel()
    }
  })

  it('gets a 401 for a revoked device, which makes the device delete its ticket list', async () => {
    const { mine, session } = await openPage()
    const { id, cookie } = await makeDevice(mine.sellerId, mine.owner, { rights: ['session', 'offline'] })
    await revokeDevice(mine.sellerId, id, mine.owner)
    const [status] = await read(await tickets(pageRequest(mine.sellerId, '/door/tickets', `${cookie}; ${session}`)))
    expect(status).toBe(401)
  })
})

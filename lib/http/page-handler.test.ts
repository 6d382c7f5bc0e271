/** Visitors without a session get cached pages or wait for a slot; signed-in users and check-in devices have separate slots. */
// @module-tag slow
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import inject from 'light-my-request'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { database, openDatabase, setDatabase } from '@/db/client'
import { sessions } from '@/db/schema'
import { reportedLoads } from '@/db/semaphore'
import { makeDevice, makeOwner } from '@/testing/devices'
import { makeSeller, openTestDatabase } from '@/testing/seller'
import { countStatements } from '@/testing/statements'
import { makeUser } from '@/testing/users'
import { revokeDevice } from '../accounts/check-in-devices'
import { loadKnownDevices } from '../accounts/known-devices'
import { endSession } from '../accounts/sessions'
import { createPageCache } from './cached-pages'
import { setAddressHeader } from './client-address'
import type { DoorListener } from './door-routes'
import { createPageHandler } from './page-handler'

let server: Server
let serveTest: RequestListener
let url: string
/** The paths that were rendered. */
let rendered: string[]
/** If set, called with the function that completes a response, instead of completing it immediately. */
let hold: ((end: () => void) => void) | undefined

/** Renders like Next: with a nonce, the host and the theme in the text. */
const page: DoorListener = (incoming, outgoing, onHandled) => {
  rendered.push(String(incoming.url))
  const nonce = randomBytes(16).toString('base64')
  const end = () => {
    onHandled?.()
    outgoing.writeHead(incoming.url === '/no-such-page' ? 404 : 200, {
      'Content-Security-Policy': `script-src 'nonce-${nonce}'`,
      Link: `</a.css>; nonce="${nonce}"`,
    })
    const { host, cookie = '', rsc = '' } = incoming.headers
    const theme = /theme=(\w+)/.exec(cookie)?.[1] ?? ''
    const session = /next-auth\S+/.exec(cookie)?.[0] ?? ''
    outgoing.end(
      `<html data-theme="${theme}"><script nonce="${nonce}">\\"data-theme\\":\\"${theme}\\"</script>light ${host} ${session}${rsc}`,
    )
  }
  if (hold) hold(end)
  else end()
}

const cache = createPageCache(page, new Set(['/icon.svg']))

beforeAll(openTestDatabase)

beforeEach(async () => {
  rendered = []
  hold = undefined
  const isDoorRoute = (incoming: IncomingMessage) => incoming.url === '/door/turnout'
  const handle = createPageHandler({ render: page, isDoorRoute, readSessionId, cache })
  serveTest = (incoming, outgoing) => {
    setAddressHeader(incoming.headers, String(incoming.headers['x-test-address'] ?? randomBytes(4).toString('hex')))
    handle(incoming, outgoing)
  }
  server = createServer(serveTest)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url + path, { headers: { accept: 'text/html', ...headers } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Waits for a condition without using a timer. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextIteration()
}

/** Loads the sign-in page many times, without the network. */
async function visit(headers: Record<string, string>, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent += 1)
    expect((await inject(serveTest, { url: '/sign-in', headers: { host: 'x', ...headers } })).statusCode).toBe(200)
}

/** The session IDs of genuine tokens. Every other token is forged. */
const tokens = new Map<string, string>()
const readSessionId = async (token: string) => tokens.get(token)

/** Returns the headers of a signed-in user, with a new token for the session, as if next-auth had renewed it. */
const signedInHeaders = async (sessionId?: string) => {
  const token = randomBytes(12).toString('hex')
  tokens.set(token, sessionId ?? (await openSession()))
  return { cookie: `theme=dark; next-auth.session-token=${token}` }
}

async function openSession(): Promise<string> {
  const sellerId = await makeSeller()
  const userId = await makeUser(sellerId, `owner-${sellerId}@example.com`, 'owner')
  const id = `session-${sellerId}`
  await database().use(({ orm }) => orm.insert(sessions).values({ id, userId, expiresAt: new Date(Date.now() + 60_000).toISOString() }))
  return id
}

it('renders the cached pages once, before the first request', async () => {
  await cache.fill()
  expect(rendered).toEqual(['/', '/docs', '/sign-in', '/no-such-page'])
  for (const path of ['/', '/docs', '/sign-in', '/unknown']) await get(path)
  expect(rendered).toHaveLength(4)
})

it('sends a cached page with a new nonce, and with the host and the theme of the request', async () => {
  const nonces = new Set<string>()
  const requests: Record<string, string>[] = [
    {},
    { cookie: 'theme=dark' },
    { 'accept-encoding': 'identity', cookie: 'theme=light' },
    { rsc: '1', cookie: 'next-auth.session-token=forged' },
  ]
  for (const headers of requests) {
    const { status, headers: responseHeaders, text } = await get('/docs', headers)
    const nonce = String(/'nonce-(.+)'/.exec(String(responseHeaders.get('content-security-policy')))?.[1])
    expect([status, responseHeaders.get('link')]).toEqual([200, `</a.css>; nonce="${nonce}"`])
    const theme = /theme=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? ''
    expect(text.trim()).toBe(
      `<html data-theme="${theme}"><script nonce="${nonce}">\\"data-theme\\":\\"${theme}\\"</script>light ${new URL(url).host}`,
    )
    nonces.add(nonce)
  }
  expect(nonces.size).toBe(4)
})

it('renders nothing for unknown paths, except paths of files', async () => {
  await cache.fill()
  rendered = []
  for (const path of ['/a', '/b?c=d', '/e/f', '/wp-login.php', '/.env']) expect((await get(path)).status).toBe(404)
  expect(rendered).toEqual([])
  await get('/icon.svg')
  expect(rendered).toEqual(['/icon.svg'])
})

it('sends at most 20 cached pages per tenth of a second to visitors, while other requests wait', async () => {
  let sent = 0
  const responses = Array.from({ length: 60 }, async () => {
    const { statusCode } = await inject(serveTest, { url: '/sign-in', headers: { host: 'x' } })
    sent += 1
    return statusCode
  })
  let max = 0
  await until(() => {
    max = Math.max(max, reportedLoads().get('cached_pages')?.waiting ?? 0)
    return sent === 60
  })
  expect(max).toBeGreaterThan(19)
  expect(new Set(await Promise.all(responses))).toEqual(new Set([200]))
})

it('leaves time for check-in between two pages for visitors', async () => {
  const gaps: number[] = []
  let ended: number | undefined
  hold = (end) => {
    if (ended !== undefined) gaps.push(performance.now() - ended)
    end()
    ended = performance.now()
  }
  await Promise.all(Array.from({ length: 6 }, () => inject(serveTest, { url: '/payments', headers: { host: 'x' } })))
  expect(gaps).toHaveLength(5)
  expect(Math.min(...gaps)).toBeGreaterThan(25)
})

it('redirects form submissions without a session before their body arrives, except on pages for visitors', async () => {
  const sendForm = (path: string, headers: Record<string, string>) =>
    fetch(url + path, { method: 'POST', headers, body: new Uint8Array(1024 * 1024), redirect: 'manual' })
  const action = { 'next-action': 'x', 'content-type': 'text/plain' }
  const form = await sendForm('/settings/keys?a=b', { 'content-type': 'multipart/form-data; boundary=x' })
  expect([form.status, form.headers.get('location')]).toEqual([303, '/sign-in?callbackUrl=%2Fsettings%2Fkeys%3Fa%3Db'])
  // On the dashboard, a redirect would lose what the user has entered.
  const script = await sendForm('/settings/keys', action)
  expect([script.status, script.headers.get('x-action-redirect'), script.headers.get('location')]).toEqual([401, null, null])
  const door = await sendForm('/door', action)
  expect([door.status, door.headers.get('x-action-redirect')]).toEqual([303, '/sign-in?callbackUrl=%2Fdoor;push'])
  for (const path of ['/invite/x', '/sign-in']) {
    expect((await sendForm(path, action)).status).toBe(413)
    expect((await fetch(url + path, { method: 'POST', headers: action, body: 'x'.repeat(16 * 1024) })).status).toBe(200)
    expect((await fetch(url + path, { method: 'POST', headers: action, body: 'x'.repeat(16 * 1024 + 1) })).status).toBe(413)
  }
  expect(rendered).toEqual(['/invite/x', '/sign-in'])
  const headers = { ...action, ...(await signedInHeaders()) }
  expect((await fetch(`${url}/settings/keys`, { method: 'POST', headers, body: 'x'.repeat(64 * 1024) })).status).toBe(200)
})

it('lets 20 requests from one address wait, and rejects further ones, with a delay if there are many', async () => {
  const ends: (() => void)[] = []
  hold = (end) => ends.push(end)
  const open = async () => (await inject(serveTest, { url: '/payments', headers: { host: 'x', 'x-test-address': '192.0.2.9' } })).statusCode
  // With fake timers, no slot is released and no wait ends, however slow the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    // The first request is rendered immediately. Until then, it counts as waiting.
    const opened = [open()]
    await until(() => ends.length === 1)
    opened.push(...Array.from({ length: 20 }, open))
    await until(() => reportedLoads().get('pages')?.waiting === 20)
    expect(await open()).toBe(429)
    // If there are many rejections, some are delayed, because a client that is rejected immediately would retry immediately.
    const startedAt = performance.now()
    const isDelayed = async () => [await open(), performance.now() - startedAt > 900].join()
    const others = await Promise.all(Array.from({ length: 60 }, isDelayed))
    expect(others.filter((result) => result === '429,true').length).toBeGreaterThan(5)
    vi.useRealTimers()
    hold = undefined
    for (const end of ends) end()
    expect(new Set(await Promise.all(opened))).toEqual(new Set([200]))
    expect(reportedLoads().get('visitors')?.waiting).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('renders pages for each request if they depend on the session, the path or a body', async () => {
  for (const path of ['/sign-in', '/a', '/settings/keys']) await get(path, await signedInHeaders())
  for (const path of ['/payments', '/invite/x', '/api/auth/csrf']) await get(path)
  await fetch(`${url}/sign-in`, { method: 'POST', body: 'x' })
  expect(rendered).toHaveLength(7)
})

it('renders one page at a time for visitors without a session, while signed-in users do not wait', async () => {
  const signedIn = await signedInHeaders()
  // Looks up the session, so that it is cached.
  await get('/door', signedIn)
  rendered = []
  const ends: (() => void)[] = []
  hold = (end) => ends.push(end)
  const visitors = ['/payments', '/coupons', '/bookings'].map((path) => get(path))
  const user = get('/door', signedIn)
  await expect.poll(() => rendered).toContain('/door')
  expect(rendered.filter((path) => path !== '/door')).toHaveLength(1)
  hold = undefined
  for (const end of ends) end()
  expect((await Promise.all([...visitors, user])).map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

it('renders two dashboard pages of a seller at a time, while other sellers and check-in do not wait', async () => {
  const [busy, other] = [await signedInHeaders(), await signedInHeaders()]
  // Looks up the sessions, so that they are cached.
  for (const [headers, path] of [
    [busy, '/door'],
    [other, '/door'],
  ] as const)
    await get(path, headers)
  rendered = []
  const ends: (() => void)[] = []
  hold = (end) => ends.push(end)
  const pages = Array.from({ length: 8 }, () => get('/payments', busy))
  await expect.poll(() => reportedLoads().get('dashboard')?.active).toBe(2)
  pages.push(get('/coupons', other), get('/door/turnout', busy))
  await expect.poll(() => rendered.length).toBe(10)
  hold = undefined
  for (const end of ends) end()
  await Promise.all(pages)
  for (const path of ['/coupons', '/door/turnout']) expect(rendered.indexOf(path), path).toBeLessThan(rendered.lastIndexOf('/payments') - 1)
})

it('reports that the server is busy if too many dashboard pages of a seller are waiting', async () => {
  const user = await signedInHeaders()
  await get('/door', user)
  const ends: (() => void)[] = []
  hold = (end) => ends.push(end)
  const refused = () => reportedLoads().get('dashboard')?.refused ?? 0
  const before = refused()
  const responses = Array.from({ length: 60 }, () => get('/payments?search=a', user))
  // Requests that do not fit in the queue are rejected immediately, before any other request has waited too long.
  await expect.poll(() => refused() - before, { timeout: 8_000 }).toBeGreaterThan(0)
  const first = await Promise.race(responses)
  hold = undefined
  for (const end of ends) end()
  expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1'])
  expect(first.text).toContain('<h1>Temporarily unavailable</h1><p>Your request was not processed. Try again in a moment.</p>')
  expect(new Set((await Promise.all(responses)).map(({ status }) => status))).toEqual(new Set([200, 503]))
})

const doorPages = (state: 'active' | 'waiting' | 'refused') =>
  expect.poll(() => reportedLoads().get('door_pages')?.[state], { timeout: 8_000 })

/**
 * Creates devices of a seller, and opens the check-in page on each, so that they are known.
 *
 * @returns their cookies, and a function that opens a page with one of them
 */
async function makeKnownDevices(count: number) {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  const cookies: string[] = []
  const open = async (cookie = '', path = '/door') =>
    (await inject(serveTest, { url: path, headers: { host: 'x', accept: 'text/html', cookie } })).statusCode
  while (cookies.length < count) {
    const { cookie } = await makeDevice(sellerId, owner)
    expect(await open(cookie)).toBe(200)
    cookies.push(cookie)
  }
  await doorPages('active').toBe(0)
  rendered = []
  return { cookies, open }
}

it('renders the check-in page for 50 devices of a seller, two at a time, while its routes and other sellers do not wait', async () => {
  const [busy, other] = [await makeKnownDevices(50), await makeKnownDevices(1)]
  const ends: (() => void)[] = []
  hold = (end) => ends.push(end)
  // With fake timers, no slot is released and no wait ends, however slow the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const pages = busy.cookies.map((cookie) => busy.open(cookie))
    await doorPages('waiting').toBe(48)
    pages.push(other.open(other.cookies[0]), busy.open(busy.cookies[0], '/door/turnout'))
    await expect.poll(() => rendered.toSorted()).toEqual(['/door', '/door', '/door', '/door/turnout'])
    vi.useRealTimers()
    hold = undefined
    for (const end of ends) end()
    expect(new Set(await Promise.all(pages))).toEqual(new Set([200]))
  } finally {
    vi.useRealTimers()
  }
})

it('handles four requests of one device to the check-in routes at a time, queues up to 100, and does not delay other devices', async () => {
  const { cookies } = await makeKnownDevices(2)
  const ends: (() => void)[] = []
  hold = (end) => ends.push(end)
  const send = async (cookie = '') => (await get('/door/turnout', { cookie })).status
  const flood = Array.from({ length: 105 }, () => send(cookies[0]))
  const load = () => reportedLoads().get('door_requests') ?? { active: 0, waiting: 0 }
  await expect.poll(() => load().active + load().waiting).toBeGreaterThan(100)
  expect(ends.length).toBeLessThan(5)
  expect(await Promise.race(flood)).toBe(503)
  const other = send(cookies[1])
  await expect.poll(() => ends.length).toBe(5)
  hold = undefined
  for (const end of ends) end()
  expect(await other).toBe(200)
  expect((await Promise.all(flood)).filter((status) => status === 200)).toHaveLength(104)
})

it('lets ten check-in pages of one device wait, and opens the page on the seller’s other devices before most of them', async () => {
  const { cookies, open } = await makeKnownDevices(2)
  const before = reportedLoads().get('door_pages')?.refused ?? 0
  const ends: (() => void)[] = []
  hold = (end) => ends.push(end)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const flood = Array.from({ length: 13 }, () => open(cookies[0]))
    await doorPages('refused').toBe(before + 1)
    expect(await Promise.race(flood)).toBe(503)
    const other = open(cookies[1], '/door?other')
    await doorPages('waiting').toBe(11)
    vi.useRealTimers()
    hold = undefined
    for (const end of ends) end()
    expect((await Promise.all([...flood, other])).filter((status) => status === 200)).toHaveLength(13)
    // Two pages were being rendered, and devices take turns.
    expect(rendered.indexOf('/door?other')).toBeLessThan(5)
  } finally {
    vi.useRealTimers()
  }
})

it('rejects visitors without a session if too many are waiting, with a page for browsers and JSON for scripts', async () => {
  const ends: (() => void)[] = []
  hold = (end) => ends.push(end)
  const responses = Array.from({ length: 100 }, (_, index) => get('/payments', index % 2 === 0 ? {} : { accept: '*/*' }))
  const refused = await Promise.all([
    Promise.race(responses.filter((_, index) => index % 2 === 0)),
    Promise.race(responses.filter((_, index) => index % 2 === 1)),
  ])
  hold = undefined
  for (const end of ends) end()
  expect(refused.map(({ status, headers }) => [status, headers.get('retry-after'), headers.get('content-type')])).toEqual([
    [503, '1', 'text/html; charset=utf-8'],
    [503, '1', 'application/json; charset=utf-8'],
  ])
  expect(refused[0].headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(JSON.parse(refused[1].text)).toMatchObject({ code: 'unavailable' })
  expect(new Set((await Promise.all(responses)).map(({ status }) => status))).toEqual(new Set([200, 503]))
})

it('rejects an address that sends more than 300 requests per minute, but not its signed-in users or other addresses', async () => {
  const sameAddress = { 'x-test-address': '192.0.2.1' }
  await visit(sameAddress, 300)
  const refused = await get('/sign-in', sameAddress)
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect(refused.text).toContain('Too many requests from your network')
  expect((await get('/payments', { ...sameAddress, ...(await signedInHeaders()) })).status).toBe(200)
  expect((await get('/_next/static/a.js', sameAddress)).status).toBe(200)
  expect((await get('/sign-in', { 'x-test-address': '192.0.2.2' })).status).toBe(200)
})

it('limits requests whose path only starts like that of a build file', async () => {
  const sameAddress = { 'x-test-address': '192.0.2.3' }
  const paths = ['/_next/static/%2e%2e/overview', '/_next/static/..%5coverview', '/_next/staticx', '/_next/static/a%20b']
  await visit(sameAddress, 300)
  for (const path of paths) expect((await get(path, sameAddress)).status, path).toBe(429)
  expect((await fetch(`${url}/_next/static/a.js`, { method: 'POST', headers: sameAddress })).status).toBe(429)
  expect((await fetch(`${url}/_next/static/chunks/a~b_c-1.js?dpl=x`, { headers: sameAddress })).status).toBe(200)
})

it('limits a user whose session has ended like a visitor, no matter how often the token is renewed', async () => {
  const sameAddress = { 'x-test-address': '192.0.2.4' }
  const [ended, open] = [await openSession(), await openSession()]
  await endSession(ended)
  await visit(sameAddress, 300)
  for (let renewed = 0; renewed < 2; renewed += 1) {
    const headers = { ...sameAddress, ...(await signedInHeaders(ended)) }
    expect((await get('/payments', headers)).status).toBe(429)
  }
  expect((await get('/payments', { ...sameAddress, ...(await signedInHeaders(open)) })).status).toBe(200)
})

it('lets check-in devices exceed the limit on check-in routes only, and looks up a forged token only within the limit', async () => {
  const sameAddress = { 'x-test-address': '192.0.2.5' }
  const sellerId = await makeSeller()
  const { cookie } = await makeDevice(sellerId, await makeOwner(sellerId))
  expect((await get('/door', { ...sameAddress, cookie })).status).toBe(200)
  await visit(sameAddress, 299)
  expect((await get('/door', { ...sameAddress, cookie })).status).toBe(200)
  expect((await get('/sign-in', { ...sameAddress, cookie })).status).toBe(429)
  const forged = { ...sameAddress, cookie: cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) }
  let refused: { status: number } | undefined
  const statements = await countStatements(async () => {
    refused = await get('/door', forged)
  })
  expect([refused?.status, statements]).toEqual([429, 0])
  const later = performance.now() + 61_000
  const clock = vi.spyOn(performance, 'now').mockReturnValue(later)
  try {
    expect((await get('/door', { ...sameAddress, cookie })).status).toBe(200)
  } finally {
    clock.mockRestore()
  }
})

it('serves a device that was loaded at startup, even if its address has exceeded the limit on visitors', async () => {
  const sameAddress = { 'x-test-address': '192.0.2.6' }
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  const [loaded, revoked] = [await makeDevice(sellerId, owner), await makeDevice(sellerId, owner)]
  await loadKnownDevices()
  await revokeDevice(sellerId, revoked.id, owner)
  const added = await makeDevice(sellerId, owner)
  await visit(sameAddress, 300)
  const open = async ({ cookie }: { cookie: string }) => (await get('/door', { ...sameAddress, cookie })).status
  expect([await open(loaded), await open(revoked), await open(added)]).toEqual([200, 429, 429])
  await loadKnownDevices()
  expect(await open(added)).toBe(200)
})

it('accepts the unsent scans of a revoked device, and treats its other requests like a visitor’s', async () => {
  const sellerId = await makeSeller()
  const owner = await makeOwner(sellerId)
  const { id, cookie } = await makeDevice(sellerId, owner, { rights: ['offline'] })
  await revokeDevice(sellerId, id, owner)
  const post = async (path: string) => (await fetch(url + path, { method: 'POST', headers: { cookie }, body: 'x'.repeat(41_000) })).status
  expect([await post('/door/scans'), await post('/door/scan'), await post('/door/scans')]).toEqual([200, 413, 200])
})

it('looks up a session once per token, and treats a new token as unknown only while the database is down', async () => {
  const id = await openSession()
  const [known, renewed] = [await signedInHeaders(id), await signedInHeaders(id)]
  expect((await get('/sign-in', known)).text).toContain('session-token')
  const originalDatabase = database()
  const unreachable = openDatabase({ url: 'postgres://x@127.0.0.1:9/x', max: 1 })
  setDatabase(unreachable)
  try {
    expect((await get('/sign-in', known)).text).toContain('session-token')
    const unknown = await get('/sign-in', renewed)
    expect([unknown.status, unknown.text.includes('session-token')]).toEqual([200, false])
    expect((await get('/payments', renewed)).status).toBe(200)
  } finally {
    setDatabase(originalDatabase)
    await unreachable.close(0)
  }
  expect((await get('/sign-in', renewed)).text).toContain('session-token')
})

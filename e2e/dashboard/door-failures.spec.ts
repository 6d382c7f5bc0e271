/** The check-in page when things go wrong: conflicting check-ins, lost connections, hanging scans, no camera, missing permissions. */
import { chromium } from 'playwright/test'
import { disableMember } from '@/lib/accounts/team'
import { listRefusals } from '@/lib/listing/list-refusals'
import { minimal } from '@/testing/seller'
import { makeUser } from '@/testing/users'
import { makeApi } from '../support/api'
import { addScript } from '../support/browser'
import { chromiumPath, LAUNCH_ARGS } from '../support/chromium'
import { expect, holdRequests, newAddress, type Page, type Shop, signIn, startSession, test } from '../support/dashboard'
import {
  createTicket,
  fetchTicket,
  findGuest,
  loseResponses,
  openDoor,
  openTicket,
  outcome,
  scan,
  setPreview,
  sidePanel,
  skipStart,
  stopClock,
} from '../support/door'

/** Returns a function, and a promise that resolves when it is called. */
function makeSignal(): [send: () => void, sent: Promise<void>] {
  let send = () => {}
  const sent = new Promise<void>((resolve) => {
    send = resolve
  })
  return [send, sent]
}

/** How many times the page sends a scan that gets no response. */
const ATTEMPTS = 3

test('two devices check in the same order concurrently: each ticket is admitted once, and each device shows its own results', async ({
  page: first,
  other: second,
  shop,
  baseUrl,
}) => {
  const codes: string[] = []
  for (const ticketShortId of ['A1', 'A2', 'A3', 'A4']) codes.push(await createTicket(shop, { ticketShortId, orderId: 'BK-9' }))
  const doors = [first, second]
  await Promise.all(doors.map((page) => openDoor(page, shop, baseUrl)))
  for (const page of doors) {
    await page.getByRole('button', { name: 'Find a guest' }).click()
    await page.getByLabel('Name, email, order number or short ID').fill('a1')
    await sidePanel(page).getByRole('listitem').getByRole('button').click()
  }
  await Promise.all(doors.map((page) => sidePanel(page).getByRole('button', { name: 'Check in all 4' }).click()))
  const results: string[] = []
  for (const page of doors) {
    await expect(sidePanel(page)).toContainText(/[0-4] of 4 admitted/)
    for (const id of ['A1', 'A2', 'A3', 'A4'])
      results.push(`${id} ${await sidePanel(page).locator(`[data-ticket=${id}] > span`).last().textContent()}`)
  }
  expect(results.sort()).toEqual(['A1', 'A2', 'A3', 'A4'].flatMap((id) => [`${id} Admitted`, `${id} Already in`]))
  for (const code of codes) expect((await fetchTicket(shop, code)).checkIns).toHaveLength(1)
})

test('a ticket of an order that is not checked in shows why', async ({ page, shop, baseUrl }) => {
  const line = minimal('tickets', { ticketShortId: 'A2', orderId: 'BK-9' })
  await createTicket(shop, { ticketShortId: 'A1', orderId: 'BK-9' })
  await shop.load('tickets', [line])
  await openDoor(page, shop, baseUrl)
  await findGuest(page, 'a1')
  const button = sidePanel(page).getByRole('button', { name: 'Check in all 2' })
  await expect(button).toBeVisible()
  await shop.load('tickets', [{ ...line, status: 'CANCELED', canceledAt: '2026-03-02T12:00:00.000Z' }])
  await button.click()
  await expect(sidePanel(page)).toContainText('1 of 2 admitted')
  await expect(sidePanel(page).locator('[data-ticket=A2]')).toContainText('This ticket was canceled on ')
})

test('an outdated undo does not revert a newer check-in, and shows why', async ({ page: first, other: second, shop, baseUrl }) => {
  const code = await createTicket(shop)
  await Promise.all([first, second].map((page) => openDoor(page, shop, baseUrl, 'staff')))
  const undo = async (page: Page) => {
    await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
    await sidePanel(page).getByLabel('Reason').fill('Wrong guest')
    await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
  }
  await scan(first, code)
  await openTicket(first)
  await findGuest(second, 'connor')
  await undo(first)
  await expect(outcome(first, 'undone')).toBeVisible()
  await scan(first, code)
  await expect(outcome(first, 'admitted')).toBeVisible()
  await undo(second)
  await expect(sidePanel(second).getByRole('alert')).toContainText(
    /The guest was checked in again (by scanner|with a typed code) on .+ at \d\d:\d\d/,
  )
  // The second device now shows the current history, and can undo the newer check-in.
  await expect(sidePanel(second).getByRole('region', { name: 'History' }).getByRole('listitem')).toHaveCount(3)
  // Fetch the ticket only after checking the history, which would list this preview as a refused scan.
  expect(await fetchTicket(shop, code)).toMatchObject({ checkInStatus: 'CHECKEDIN', checkIns: [{}, {}, {}] })
  await sidePanel(second).getByRole('button', { name: 'Cancel' }).click()
  await sidePanel(second).getByRole('button', { name: 'Undo check-in' }).click()
  await expect(sidePanel(second).getByRole('alert')).toHaveCount(0)
  await sidePanel(second).getByRole('button', { name: 'Undo check-in' }).click()
  await expect(outcome(second, 'undone')).toBeVisible()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('a manual check-in without a connection can be repeated; a scan replaces the open ticket; recent scans open their tickets', async ({
    page,
    shop,
    baseUrl,
  }) => {
    const manual = await createTicket(shop, { customerName: 'Ann de Vries', orderId: 'BK-3' })
    const [first, second] = [await createTicket(shop), await createTicket(shop, { customerName: 'Liam Smit', orderId: 'BK-2' })]
    await openDoor(page, shop, baseUrl)
    await findGuest(page, 'vries')
    await page.context().setOffline(true)
    await sidePanel(page).getByRole('button', { name: 'Check in manually' }).click()
    await expect(outcome(page, 'offline')).toContainText('Ann de Vries')
    await page.context().setOffline(false)
    await openTicket(page)
    await sidePanel(page).getByRole('button', { name: 'Check in manually' }).click()
    await expect(outcome(page, 'admitted')).toBeVisible()
    expect((await fetchTicket(shop, manual)).checkIns).toHaveLength(1)

    await scan(page, first)
    await expect(outcome(page, 'admitted')).toContainText('Zoë O’Connor')
    await openTicket(page)
    await expect(sidePanel(page)).toHaveAttribute('data-side-panel', 'raised')
    await scan(page, second)
    await expect(outcome(page, 'admitted')).toContainText('Liam Smit')
    await expect(sidePanel(page)).toBeHidden()
    await openTicket(page)
    await expect(sidePanel(page).getByRole('heading', { level: 2 })).toHaveText('Liam Smit')

    await scan(page, 'nobody')
    await expect(outcome(page, 'unknown')).toBeVisible()
    const list = page.getByRole('button', { name: 'List' })
    await list.click()
    await expect(sidePanel(page).getByRole('heading', { name: 'List' })).toBeFocused()
    const recent = sidePanel(page).getByRole('region', { name: 'Recent scans' }).getByRole('listitem')
    await expect(recent.filter({ hasText: 'Unknown code' })).toHaveText(/^Unknown code\d\d:\d\d$/)
    await sidePanel(page).getByRole('button', { name: /Zoë/ }).click()
    await expect(sidePanel(page).getByRole('heading', { level: 2 })).toHaveText('Zoë O’Connor')
    await expect(sidePanel(page).getByRole('heading', { level: 2 })).toBeFocused()
    await sidePanel(page).getByRole('button', { name: 'Back to the list' }).click()
    await expect(sidePanel(page).getByRole('heading', { name: 'List' })).toBeFocused()
    await sidePanel(page).getByRole('button', { name: 'Close' }).click()
    await expect(list).toBeFocused()
  })
})

test('a note that fails without a connection keeps its text, and can be added when the connection is back', async ({
  page,
  shop,
  baseUrl,
}) => {
  const code = await createTicket(shop)
  await openDoor(page, shop, baseUrl)
  await findGuest(page, 'connor')
  const notes = sidePanel(page).getByRole('region', { name: 'Notes' })
  await notes.getByLabel('Name').fill('Seat')
  await notes.getByLabel('Text').fill('A12')
  await page.context().setOffline(true)
  await notes.getByRole('button', { name: 'Add' }).click()
  const stale = sidePanel(page).getByRole('alert').filter({ hasText: 'The ticket couldn’t be loaded.' })
  await expect(stale).toBeVisible()
  await expect(notes.getByRole('alert')).toContainText('the change won’t be made twice')
  await expect(notes.getByLabel('Text')).toHaveValue('A12')
  await page.context().setOffline(false)
  await notes.getByRole('button', { name: 'Add' }).click()
  await expect(notes.getByRole('button', { name: 'Seat A12 Edit' })).toBeVisible()
  await expect(stale).toHaveCount(0)
  expect(await fetchTicket(shop, code)).toMatchObject({ metadata: [{ key: 'Seat', value: 'A12' }] })
})

test('an undo whose response is lost is retried automatically, and done once; a hanging undo does not hide the next guest’s result', async ({
  page,
  shop,
  baseUrl,
}) => {
  const retried = await createTicket(shop, { customerName: 'Ann de Vries', orderId: 'BK-3' })
  const [undone, next] = [await createTicket(shop), await createTicket(shop, { customerName: 'Liam Smit', orderId: 'BK-2' })]
  await openDoor(page, shop, baseUrl, 'owner')
  const scanAndOpen = async (code: string, guest: string) => {
    await scan(page, code)
    await expect(outcome(page, 'admitted')).toContainText(guest)
    await openTicket(page)
    await expect(sidePanel(page).getByRole('heading', { level: 2 })).toHaveText(guest)
  }
  await scanAndOpen(retried, 'Ann de Vries')
  const countLost = await loseResponses(page, '**/door/undo', 2)
  await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
  await sidePanel(page).getByLabel('Reason').fill('Wrong guest')
  await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
  await expect(outcome(page, 'undone')).toBeVisible()
  expect(countLost()).toBe(2)
  expect((await fetchTicket(shop, retried)).checkIns).toHaveLength(2)
  await page.unroute('**/door/undo')

  await page.getByLabel('Ticket code').focus()
  await scanAndOpen(undone, 'Zoë O’Connor')
  const { release } = await holdRequests(page, ({ pathname }) => pathname === '/door/undo')
  await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
  await sidePanel(page).getByLabel('Reason').fill('Wrong guest')
  await page.keyboard.press('Enter')
  await page.getByLabel('Ticket code').focus()
  await scan(page, next)
  await expect(outcome(page, 'admitted')).toContainText('Liam Smit')
  release()
  await expect(page.getByRole('region', { name: 'Recent scans' }).getByRole('listitem').first()).toContainText('Undone')
  await expect(outcome(page, 'admitted')).toContainText('Liam Smit')
  expect(await fetchTicket(shop, undone)).toMatchObject({ checkInStatus: 'UNCHECKEDIN' })
})

test('a user who has lost access has to sign in at the next scan, and cannot check in guests', async ({ page, shop, baseUrl }) => {
  const code = await createTicket(shop)
  const email = await shop.user('door')
  await skipStart(page)
  await signIn(page, `${baseUrl}/door`, email)
  await expect(page.getByLabel('Ticket code')).toBeFocused()
  await disableMember(shop.seller, { email })
  await scan(page, code)
  await page.waitForURL('**/sign-in?callbackUrl=/door')
  expect(await fetchTicket(shop, code)).toMatchObject({ checkInStatus: 'UNCHECKEDIN' })
})

test('a page does not check tickets in another shop after its browser has signed in there', async ({ page, shop, baseUrl }) => {
  const code = await createTicket(shop)
  await openDoor(page, shop, baseUrl)
  const other = await makeApi(baseUrl)
  const email = `door-${other.seller}@example.com`
  await makeUser(other.seller, email, 'door')
  await startSession(page.context(), baseUrl, email)
  await scan(page, code)
  await expect(outcome(page, 'failed')).toContainText('You are signed in to another shop. Reload this page.')
  expect((await listRefusals(other.seller)).rows).toEqual([])
})

test('a hanging scan does not delay the next guest, and search results always belong to the latest input', async ({
  page,
  shop,
  baseUrl,
}) => {
  const slow = await createTicket(shop, { status: 'CANCELED' })
  const quick = await createTicket(shop, { customerName: 'Liam Smit', orderId: 'BK-2' })
  await openDoor(page, shop, baseUrl)
  const [releaseScan, scanReleased] = makeSignal()
  await page.route('**/door/scan', async (route) => {
    if (route.request().postData()?.includes(slow)) await scanReleased
    await route.continue()
  })
  await scan(page, slow)
  await scan(page, quick)
  await expect(outcome(page, 'admitted')).toContainText('Liam Smit')
  releaseScan()
  // The result of the hanging scan is shown when it arrives.
  await expect(page.getByText('Earlier scan:')).toContainText('Canceled Zoë O’Connor')
  await expect(outcome(page, 'admitted')).toContainText('Liam Smit')

  const [releaseSearch, searchReleased] = makeSignal()
  const slowSearch = page.waitForRequest('**/door/find?search=connor')
  await page.route('**/door/find?search=connor', async (route) => {
    const response = await route.fetch()
    await searchReleased
    await route.fulfill({ response }).catch(() => {})
  })
  await page.getByRole('button', { name: 'Find a guest' }).last().click()
  const field = page.getByLabel('Name, email, order number or short ID')
  await field.fill('connor')
  await slowSearch
  await field.fill('smit')
  await expect(sidePanel(page).getByRole('listitem')).toContainText('Liam Smit')
  releaseSearch()
  await expect(sidePanel(page).getByRole('listitem')).toHaveCount(1)
  await expect(sidePanel(page).getByRole('listitem')).toContainText('Liam Smit')
})

test('if a scan’s response is lost, a second scan shows that this device admitted the ticket; a second scan after a minute is rejected', async ({
  page,
  shop,
  baseUrl,
}) => {
  const [first, second] = [await createTicket(shop), await createTicket(shop, { customerName: 'Liam Smit' })]
  await openDoor(page, shop, baseUrl)
  const start = Date.now()
  await stopClock(page, start)
  const lost = await loseResponses(page, '**/door/scan')
  for (const [index, code] of [first, second].entries()) {
    await scan(page, code)
    await expect(outcome(page, 'offline')).toContainText('No connection')
    await expect.poll(lost).toBe((index + 1) * ATTEMPTS)
  }
  await page.unrouteAll()
  await scan(page, first)
  await expect(outcome(page, 'replayed')).toContainText(
    /Already admitted by this device at \d.*Zoë|Zoë.*Already admitted by this device at \d/,
  )
  await stopClock(page, start + 60_000)
  const late = page.waitForRequest((request) => request.postData()?.includes('"late":true') ?? false)
  await scan(page, second)
  await expect(outcome(page, 'already_checked_in')).toContainText('Liam Smit')
  expect((await (await late).response())?.status()).toBe(200)
  for (const code of [first, second]) expect((await fetchTicket(shop, code)).checkIns).toHaveLength(1)
})

test('a code that is too long is reported; a scanner’s input reaches the code field even if another control has the focus', async ({
  page,
  shop,
  baseUrl,
}) => {
  await shop.load('pages', [minimal('pages', { name: 'A choir' })])
  const next = await createTicket(shop, { customerName: 'Ann de Vries' })
  const [first, second] = [
    await createTicket(shop, { qrCode: 'a-1' }),
    await createTicket(shop, { qrCode: 'zz-scanned-2', customerName: 'Liam Smit' }),
  ]
  await openDoor(page, shop, baseUrl)
  await page.getByLabel('Ticket code').fill('x'.repeat(600))
  await page.keyboard.press('Enter')
  await expect(outcome(page, 'failed')).toContainText('Not checked')
  // The next guest is admitted.
  await scan(page, next)
  await expect(outcome(page, 'admitted')).toContainText('Ann de Vries')
  await page.getByLabel('Event').focus()
  await scan(page, first)
  await expect(outcome(page, 'admitted')).toContainText('Zoë O’Connor')
  await expect(page.getByLabel('Event')).toHaveValue('')
  await page.getByRole('button', { name: 'Find a guest' }).last().click()
  await expect(page.getByLabel('Name, email, order number or short ID')).toBeFocused()
  await scan(page, second)
  await expect(outcome(page, 'admitted')).toContainText('Liam Smit')
  expect((await fetchTicket(shop, second)).latestCheckIn).toMatchObject({ method: 'QRSCAN' })
})

test('each result has its own color, word, icon, sound and vibration', async ({ page, shop, baseUrl }) => {
  // Record the page's sounds and vibrations without suppressing them.
  await addScript(page, () => {
    const played: { notes: number[]; vibration: string } = { notes: [], vibration: '' }
    Object.assign(window, { played })
    const start = OscillatorNode.prototype.start
    OscillatorNode.prototype.start = function (when) {
      played.notes.push(this.frequency.value)
      start.call(this, when)
    }
    const vibrate = navigator.vibrate.bind(navigator)
    navigator.vibrate = (pattern: number | Iterable<number>) => {
      const times = typeof pattern === 'number' ? [pattern] : [...pattern]
      played.vibration = times.join(' ')
      return vibrate(times)
    }
  })
  const event = minimal('pages', { name: 'Choir' })
  await shop.load('pages', [event])
  const [paid, previewed, lost, canceled] = [
    await createTicket(shop, { pageId: event.id }),
    await createTicket(shop, { pageId: event.id }),
    await createTicket(shop, { pageId: event.id }),
    await createTicket(shop, { pageId: event.id, status: 'CANCELED' }),
  ]
  const otherEvent = await createTicket(shop)
  await openDoor(page, shop, baseUrl, 'owner')
  await page.getByLabel('Event').selectOption({ label: 'Choir' })
  const seen: Record<string, string[]> = {}
  const recordSignals = async (kind: string) => {
    const result = outcome(page, kind)
    await expect(result).toBeVisible()
    const signals = await result.evaluate((box) => {
      const { backgroundColor, backgroundImage } = getComputedStyle(box)
      const { played } = window as unknown as { played: { notes: number[]; vibration: string } }
      const values = [
        backgroundColor + backgroundImage,
        box.querySelector('p')?.textContent ?? '',
        box.querySelector('svg')?.innerHTML ?? '',
        played.notes.join(' '),
        played.vibration,
      ]
      Object.assign(played, { notes: [], vibration: '' })
      return values
    })
    seen[kind] = signals
  }
  await scan(page, paid)
  await recordSignals('admitted')
  await scan(page, paid)
  await recordSignals('already_checked_in')
  await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
  await sidePanel(page).getByLabel('Reason').fill('Wrong guest')
  await page.keyboard.press('Enter')
  await recordSignals('undone')
  for (const [code, kind] of [
    [canceled, 'canceled'],
    [otherEvent, 'other_event'],
    ['nobody', 'unknown'],
    ['x'.repeat(600), 'failed'],
  ] as const) {
    await page.getByLabel('Ticket code').fill(code)
    await page.keyboard.press('Enter')
    await recordSignals(kind)
  }
  const countLost = await loseResponses(page, '**/door/scan')
  await scan(page, lost)
  await recordSignals('offline')
  await expect.poll(countLost).toBe(ATTEMPTS)
  await page.unrouteAll()
  await scan(page, lost)
  await recordSignals('replayed')
  await setPreview(page, true)
  await scan(page, previewed)
  await recordSignals('previewed')
  const kinds = Object.values(seen)
  expect(kinds).toHaveLength(10)
  for (const [index, signal] of ['color', 'word', 'icon', 'sound', 'vibration'].entries()) {
    expect(new Set(kinds.map((signals) => signals[index])).size, `${signal}: ${JSON.stringify(seen)}`).toBe(10)
    expect(
      kinds.every((signals) => signals[index] !== ''),
      signal,
    ).toBe(true)
  }
})

/** Expects the camera button to show this error, and a scan to work nevertheless. */
async function expectNoCamera(page: Page, shop: Shop, baseUrl: string, error: string): Promise<void> {
  const code = await createTicket(shop)
  await openDoor(page, shop, baseUrl)
  await page.getByRole('button', { name: 'Camera' }).click()
  await expect(page.getByRole('alert').filter({ hasText: error })).toBeVisible()
  await scan(page, code)
  await expect(outcome(page, 'admitted')).toBeVisible()
}

test('a blocked camera is reported, and scanning works without it', async ({ shop, baseUrl }) => {
  const args = [...LAUNCH_ARGS, '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream=deny']
  const browser = await chromium.launch({ executablePath: chromiumPath(), args })
  const page = await browser.newPage({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })
  await expectNoCamera(page, shop, baseUrl, 'Camera access is blocked.')
  await browser.close()
})

test('a missing camera is reported, and scanning works without it', async ({ page, context, shop, baseUrl }) => {
  await context.grantPermissions(['camera'])
  await expectNoCamera(page, shop, baseUrl, 'No camera found on this device.')
})

test('a door user cannot undo a check-in; requests from visitors and other sites, malformed requests, and unknown and other sellers’ tickets are rejected', async ({
  page,
  shop,
  baseUrl,
}) => {
  const line = minimal('tickets', { customerName: 'Zoë' })
  await shop.load('tickets', [line])
  await openDoor(page, shop, baseUrl)
  const ticketId = String(line.id)
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const call = async (path: string, body: object | undefined, headers: Record<string, string>) => {
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })
    expect(response.headers.get('cache-control')).toBe('no-store')
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }
  const ownHeaders = { Cookie: cookie, Origin: baseUrl }
  const undo = { ticketId, sequence: 0, reason: 'x' }
  const posts = [
    ['/door/admit', { ticketId }],
    ['/door/metadata', { ticketId, metadata: [{ key: 'a', value: 'b' }] }],
    ['/door/undo', undo],
  ] as const
  for (const [path, body] of posts) {
    const keyed = { ...body, key: path }
    expect((await call(path, keyed, { Origin: baseUrl })).status).toBe(401)
    expect((await call(path, keyed, { Cookie: cookie, Origin: 'https://evil.example' })).status).toBe(403)
    expect((await call(path, keyed, { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site', Origin: baseUrl })).status).toBe(403)
    expect((await call(path, keyed, { Cookie: cookie })).status).toBe(403)
  }
  for (const path of [`/door/ticket?id=${ticketId}`, '/door/find?search=zo']) {
    expect((await call(path, undefined, {})).status).toBe(401)
    expect((await call(path, undefined, { Cookie: cookie })).status).toBe(200)
  }
  expect(await call('/door/undo', { ...undo, key: 'u' }, ownHeaders)).toMatchObject({ status: 403, json: { code: 'scope_missing' } })
  // Each malformed request is rejected with a 400.
  for (const [path, body] of [
    ['/door/admit', { ticketId: 'x', key: 'k' }],
    ['/door/metadata', { ticketId, key: 'k', metadata: [{ key: '', value: 'b' }] }],
    ['/door/metadata', { ticketId, key: 'k', metadata: [{ key: 'x'.repeat(51), value: 'b' }] }],
    ['/door/metadata', { ticketId, key: 'k', metadata: [{ key: 'a', value: 'x'.repeat(101) }] }],
    ['/door/scan', { code: 'x', checkIn: true, key: 'has space' }],
  ] as const) {
    expect(await call(path, body, ownHeaders)).toMatchObject({ status: 400, json: { code: 'body_invalid' } })
  }
  expect((await call('/door/find?search=z', undefined, ownHeaders)).status).toBe(400)
  const otherShop = await makeApi(baseUrl)
  const theirs = minimal('tickets')
  await otherShop.load('tickets', [theirs])
  // The first ID belongs to no ticket, the second to another seller's ticket.
  for (const unknownId of ['f'.repeat(24), String(theirs.id)]) {
    expect((await call('/door/admit', { ticketId: unknownId, key: unknownId }, ownHeaders)).json).toMatchObject({ kind: 'unknown' })
    expect((await call(`/door/ticket?id=${unknownId}`, undefined, ownHeaders)).status).toBe(404)
  }
  expect(await fetchTicket(otherShop, String(theirs.qrCode))).toMatchObject({ checkInStatus: 'UNCHECKEDIN' })
  expect(await fetchTicket(shop, String(line.qrCode))).toMatchObject({ checkInStatus: 'UNCHECKEDIN', metadata: [] })
  // The page has no undo button, because the role does not allow undoing.
  await scan(page, String(line.qrCode))
  await openTicket(page)
  await expect(sidePanel(page).getByRole('button', { name: 'Undo check-in' })).toHaveCount(0)
})

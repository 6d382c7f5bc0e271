/** Tests check-in devices in Chromium: setup, offline scans, reloaded and killed pages, reconnection, and the data stored on the phone. */
import type { Browser, BrowserContext } from 'playwright/test'
import { createDevice, type DeviceRight, listDevices, revokeDevice } from '@/lib/accounts/check-in-devices'
import { updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { deriveCodeKeys } from '@/lib/admission/code-keys'
import { getTicketDetails } from '@/lib/admission/ticket-details'
import { listConflicts } from '@/lib/listing/list-conflicts'
import { minimal } from '@/testing/seller'
import {
  expect,
  expectAccessibleInAllThemesAndSizes,
  makeUser,
  newAddress,
  openShopMenu,
  type Page,
  type Shop,
  signIn,
  signOut,
  test,
} from '../support/dashboard'
import { expectLargeTargets, openMenu, openTicket, outcome, scan, sidePanel, skipStart, stopClock } from '../support/door'

/** Opens a browser context for a phone. It is not shared with other tests, because devices keep their data. */
const openPhone = (browser: Browser) =>
  browser.newContext({ viewport: { width: 390, height: 844 }, extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })

/** Codes whose keys need no slow derivation. */
const CODES = ['K7qW2xZr9LmT4vBn8HcYs3Dj0001', 'K7qW2xZr9LmT4vBn8HcYs3Dj0002', 'K7qW2xZr9LmT4vBn8HcYs3Dj0003'] as const

/** Locates the bar with the state of the ticket list. */
const bar = (page: Page) => page.locator('[data-offline]')
/** Locates the text with the counts for screen readers. */
const counts = (page: Page) => page.locator('[data-turnout]')

/** Returns a function that creates a check-in device and returns its setup code. */
async function makeDeviceCreator(shop: Shop) {
  const email = `devices-${shop.seller}@example.com`
  const owner = { userId: await makeUser(shop.seller, email, 'owner'), email }
  return async (name: string, rights: DeviceRight[] = ['offline', 'names'], pageIds: string[] = []): Promise<string> =>
    (await createDevice(shop.seller, { name, pageIds, rights, days: 1 }, owner)).code
}

/** Sets up a browser as a device, and shows the start screen. @param prepare called before the check-in page is loaded */
async function enroll(page: Page, baseUrl: string, code: string, prepare?: () => Promise<void>): Promise<void> {
  await page.goto(`${baseUrl}/door/enroll#${code}`)
  await expect(page.getByLabel('Code')).toHaveValue(code)
  expect(page.url()).not.toContain(code)
  await prepare?.()
  await page.getByRole('button', { name: 'Set up' }).click()
}

/** Sets up a browser as a device, starts scanning, and waits until it works offline. */
async function setUp(page: Page, baseUrl: string, code: string): Promise<void> {
  await enroll(page, baseUrl, code)
  await startScanning(page)
}

/** Continues from the start screen, and waits until the device works offline. The shop must have three tickets. */
async function startScanning(page: Page): Promise<void> {
  // The start screen shows what the device has loaded.
  await expect(bar(page)).toContainText(
    /3 tickets on this device, updated \d+ s ago, offline data (not )?protected, (camera (works|not tested yet)|no camera)(, page not stored yet: stay online and keep it open)?\./,
  )
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await untilReady(page)
}

/** Signs in as a door user and sets up the browser as a device on the start screen, which must be accessible. */
async function setUpByUser(page: Page, shop: Shop, baseUrl: string): Promise<void> {
  await signIn(page, `${baseUrl}/door`, await shop.user('door'))
  await page.getByRole('radio', { name: 'All events' }).check()
  await page.getByLabel('Device name').fill('Gate 3')
  await expectLargeTargets(page)
  await expectAccessibleInAllThemesAndSizes(page)
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await untilReady(page)
}

/** Waits until a device works offline. */
async function untilReady(page: Page): Promise<void> {
  await expect(bar(page)).toHaveAttribute('data-offline', 'ready')
  await expect(bar(page)).not.toContainText('page not stored yet')
  const isInstalled = async () => Boolean(navigator.serviceWorker.controller) && Boolean(await caches.match('/door'))
  await expect.poll(() => page.evaluate(isInstalled)).toBe(true)
}

/** Opens the check-in page on a phone, signs in, and starts scanning once the browser is ready to work offline. */
async function openAsUser(browser: Browser, baseUrl: string, email: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await openPhone(browser)
  const page = await context.newPage()
  await signIn(page, `${baseUrl}/door`, email)
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await untilReady(page)
  return { context, page }
}

/** Closes the page without running its handlers, as a phone that has run out of memory does. @returns a new page */
async function killAndReopen(page: Page, context: BrowserContext, baseUrl: string): Promise<Page> {
  await page.close({ runBeforeUnload: false })
  const next = await context.newPage()
  await next.goto(`${baseUrl}/door`)
  return next
}

/** Makes every access to the browser's databases fail. Runs in the page. */
function breakDatabase(): void {
  IDBDatabase.prototype.transaction = () => {
    throw new DOMException('broken', 'DataError')
  }
}

/** Returns the contents of local storage, IndexedDB and the caches as strings. Binary data has one character per byte. */
const readStorage = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const parts: string[] = Object.entries(window.localStorage).flat()
    const add = (value: unknown): void => {
      if (value instanceof Uint8Array) parts.push(Array.from(value, (byte) => String.fromCharCode(byte)).join(''))
      else if (typeof value === 'object' && value !== null) for (const pair of Object.entries(value)) for (const part of pair) add(part)
      else parts.push(String(value))
    }
    const toPromise = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    for (const { name } of await indexedDB.databases()) {
      const database = await toPromise(indexedDB.open(String(name)))
      for (const store of database.objectStoreNames) {
        add(await toPromise(database.transaction(store).objectStore(store).getAllKeys()))
        add(await toPromise(database.transaction(store).objectStore(store).getAll()))
      }
      database.close()
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) {
        parts.push(request.url, (await (await cache.match(request))?.text()) ?? '')
      }
    }
    return parts
  })

/** Returns the number of records in the stores of the check-in page's database. */
const countStored = (page: Page) =>
  page.evaluate(async () => {
    const toPromise = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const database = await toPromise(indexedDB.open('checkout-desk-door'))
    const count = (store: string) => toPromise(database.transaction(store).objectStore(store).count())
    const counts = { state: await count('state'), tickets: await count('tickets'), queue: await count('queue') }
    database.close()
    return counts
  })

/** Scans a ticket that the device checks itself, because the server is busy, and keeps the device from sending the scan. */
async function scanUnsent(page: Page, code: string): Promise<void> {
  await page.route(/\/door\/(scans|tickets)/, (route) => route.fulfill({ status: 503, json: {} }))
  await page.route('**/door/scan', (route) => route.fulfill({ status: 429, json: {} }))
  await page.getByLabel('Ticket code').focus()
  await scan(page, code)
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  await expect(bar(page)).toHaveAttribute('data-unsent', '1')
}

/** Returns a string, and the results of decoding it as Base64, base64url and hexadecimal. */
const withDecodings = (part: string) => [
  part,
  ...(['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(part, encoding).toString('latin1')),
]

test('two devices work offline, even after the page is reloaded or killed, store no readable guest data, and send every scan when they are back online', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const tickets = CODES.map((qrCode) =>
    minimal('tickets', { qrCode, customerName: 'Zoë Lovelace', customerEmail: 'ada@example.com', orderId: 'BK-1' }),
  )
  const event = minimal('pages', { name: 'Jazz' })
  await shop.load('pages', [event])
  const settings = { name: 'Jazz', entryPolicy: 'single', offlineSearch: true } as const
  await updateCheckoutPage(shop.seller, String(event.id), settings, undefined)
  tickets[2] = { ...tickets[2], customerName: 'Renée Ørsted', pageId: event.id }
  await shop.load('tickets', tickets)
  const newCode = await makeDeviceCreator(shop)
  const [context, otherContext] = [await openPhone(browser), await openPhone(browser)]
  let page = await context.newPage()
  const other = await otherContext.newPage()
  await setUp(page, baseUrl, await newCode('Gate 2'))
  await setUpByUser(other, shop, baseUrl)
  for (const each of [context, otherContext]) await each.setOffline(true)

  // The first scan detects that the device is offline.
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).toContainText('Zoë Lovelace')
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  await expect(outcome(page, 'admitted')).toContainText('Checked on this device')
  await expect(bar(page)).toContainText('Offline: using this device’s list')
  await expect(counts(page)).toHaveText(/^1 of 3 arrived, as of \d\d:\d\d, including 1 admitted on this device since then$/)
  await expectAccessibleInAllThemesAndSizes(page)
  await expectLargeTargets(page)
  // The other device cannot know about this scan, and admits a guest with a copy of the ticket.
  await scan(other, CODES[0])
  await expect(outcome(other, 'admitted')).toHaveAttribute('data-local', 'true')
  // A guest without a code is found by name.
  await other.getByRole('button', { name: 'Find a guest' }).last().click()
  await other.getByLabel('Name, email, order number or short ID').fill('orsted')
  await other.getByRole('button', { name: /Renée Ørsted.*Not checked in/ }).click()
  await expectAccessibleInAllThemesAndSizes(other)
  await expectLargeTargets(other)
  await other.getByRole('button', { name: 'Check in manually' }).click()
  await expect(outcome(other, 'admitted')).toContainText('Renée Ørsted')
  await expect(outcome(other, 'admitted')).toHaveAttribute('data-local', 'true')

  await page.reload()
  await expect(bar(page)).toHaveAttribute('data-unsent', '1')
  await page.getByLabel('Ticket code').focus()
  await scan(page, CODES[0])
  await expect(outcome(page, 'already_checked_in')).toHaveAttribute('data-local', 'true')
  page = await killAndReopen(page, context, baseUrl)
  await expect(bar(page)).toHaveAttribute('data-unsent', '2')
  await page.getByLabel('Ticket code').focus()
  await scan(page, 'a-printed-ticket')
  await expect(outcome(page, 'unknown')).toContainText(/Not on this device’s list \(updated \d/)
  await page.getByRole('button', { name: 'Let in anyway' }).click()
  await expect(outcome(page, 'admitted')).toContainText('recorded for review')
  await expect(bar(page)).toHaveAttribute('data-unsent', '4')
  await expect(counts(page)).toHaveText(/^1 of 3 arrived, as of .+, including 2 admitted on this device since then$/)

  const stored = (await readStorage(page)).flatMap(withDecodings).join('\n').toLowerCase()
  expect(stored).toContain('clockoffset')
  for (const secret of [...CODES, 'a-printed-ticket', 'Lovelace', 'rsted', 'ada@example', ...tickets.map(({ id }) => String(id))])
    expect(stored.includes(secret.toLowerCase()), secret).toBe(false)

  for (const [index, each] of [page, other].entries()) {
    await each.context().setOffline(false)
    await expect(bar(each), `device ${index}`).toHaveAttribute('data-unsent', '0')
    await expect(bar(each)).toHaveAttribute('data-offline', 'ready')
  }
  await expect(counts(page)).toHaveText('2 of 3 arrived')
  // The other device is notified that it admitted the same ticket.
  const notice = other.getByRole('status').filter({ hasText: /^Let in more than once: Zoë Lovelace, \d\d:\d\d/ })
  await expect(notice).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(other)
  await expectLargeTargets(other)
  await notice.getByRole('button', { name: 'Show' }).click()
  await expect(notice).toBeHidden()
  const conflict = other.locator('[data-side-panel=raised]').getByRole('listitem').filter({ hasText: 'Let in more than once' })
  await expect(conflict).toContainText(/Zoë Lovelace.*first let in at Gate 2, \d\d:\d\d/)
  await expect(
    other
      .locator('[data-side-panel=raised]')
      .getByRole('listitem')
      .filter({ hasText: /Admitted.*Conflict.*Zoë Lovelace/ }),
  ).toHaveCount(1)
  await expectAccessibleInAllThemesAndSizes(other)
  await other.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByText('Let in more than once')).toHaveCount(0)
  expect((await getTicketDetails(shop.seller, String(tickets[0]?.id), undefined)).history).toMatchObject([
    { status: 'CHECKEDIN', who: 'Gate 2' },
  ])
  const found = await getTicketDetails(shop.seller, String(tickets[2]?.id), undefined)
  expect(found.history).toMatchObject([{ status: 'CHECKEDIN', method: 'MANUAL', who: 'Gate 3' }])
  const conflicts = (await listConflicts(shop.seller)).map(({ kind, isOverride, scannedBy }) => [kind, isOverride, scannedBy])
  expect(conflicts.toSorted()).toEqual([
    ['double_entry', false, 'Gate 3'],
    ['unknown_code', true, 'Gate 2'],
  ])
  await page.getByLabel('Ticket code').focus()
  await scan(page, CODES[1])
  await expect(outcome(page, 'admitted')).not.toHaveAttribute('data-local')
  for (const each of [context, otherContext]) await each.close()
})

test('a guest search removes earlier results if the list on the device cannot be read', async ({ browser, shop, baseUrl }) => {
  const event = minimal('pages', { name: 'Jazz' })
  await shop.load('pages', [event])
  const settings = { name: 'Jazz', entryPolicy: 'single', offlineSearch: true } as const
  await updateCheckoutPage(shop.seller, String(event.id), settings, undefined)
  await shop.load('tickets', [minimal('tickets', { qrCode: CODES[0], customerName: 'Zoë Lovelace', pageId: event.id })])
  const { context, page } = await openAsUser(browser, baseUrl, await shop.user('door'))
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Find a guest' }).click()
  await page.getByLabel('Name, email, order number or short ID').fill('zoë')
  await expect(sidePanel(page).getByRole('listitem')).toContainText('Zoë Lovelace')
  await page.evaluate(breakDatabase)
  await page.getByLabel('Name, email, order number or short ID').fill('liam')
  await expect(sidePanel(page)).toContainText('No connection, so guests can’t be found by name.')
  await expect(sidePanel(page).getByRole('listitem')).toHaveCount(0)
  await context.close()
})

test('a browser that works offline is renamed when its user changes the name', async ({ browser, shop, baseUrl }) => {
  const { context, page } = await openAsUser(browser, baseUrl, await shop.user('door'))
  expect(await listDevices(shop.seller)).toMatchObject([{ name: 'Unnamed device' }])
  await openMenu(page)
  await page.getByLabel('Device name').fill('Gate 7')
  await expect.poll(() => listDevices(shop.seller)).toMatchObject([{ name: 'Gate 7' }])
  await context.close()
})

test('a user can cancel signing out, and can sign out even if the browser cannot delete the ticket list', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const { context, page } = await openAsUser(browser, baseUrl, await shop.user('door'))
  await page.setViewportSize({ width: 390, height: 664 })
  await page.evaluate(breakDatabase)
  await openMenu(page)
  const signOut = page.getByRole('button', { name: 'Sign out' })
  await signOut.click()
  const cancel = page.getByRole('button', { name: 'Cancel' })
  await expect(cancel).toBeFocused()
  await expect(cancel).toBeInViewport({ ratio: 1 })
  await expect(signOut).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('Enter')
  await expect(signOut).toBeFocused()
  await page.keyboard.press('Enter')
  await signOut.click()
  await page.waitForURL('**/sign-in')
  await context.close()
})

test('signing out deletes the ticket list, or keeps it and shows a message if the server does not respond', async ({
  browser,
  shop,
  baseUrl,
}) => {
  await shop.load('tickets', [minimal('tickets', { qrCode: CODES[0] })])
  const { context, page } = await openAsUser(browser, baseUrl, await shop.user('door'))
  const signOut = async () => {
    await openMenu(page)
    await sidePanel(page).getByRole('button', { name: 'Sign out' }).click()
    await sidePanel(page).getByRole('button', { name: 'Sign out' }).click()
  }
  await context.setOffline(true)
  await signOut()
  await expect(sidePanel(page).getByRole('alert')).toHaveText('No connection. You are still signed in.')
  await expectAccessibleInAllThemesAndSizes(page)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByLabel('Ticket code').focus()
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')

  // The browser is connected to a network, but no scan reaches the server.
  await context.setOffline(false)
  await expect(bar(page)).toHaveAttribute('data-unsent', '0')
  await page.route('**/door/**', (route) => route.abort())
  await scan(page, CODES[0])
  await expect(outcome(page, 'already_checked_in')).toHaveAttribute('data-local', 'true')
  await signOut()
  await expect(sidePanel(page).getByRole('alert')).toHaveText('No connection. You are still signed in.')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.unrouteAll({ behavior: 'wait' })

  // Scans reach the server, but the requests to change the theme and to sign out are lost.
  await expect(bar(page)).toHaveAttribute('data-offline', 'ready')
  await page.route('**/door', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
  await page.route('**/door/sign-out', (route) => route.abort())
  await openMenu(page)
  const lost = page.waitForEvent('requestfailed')
  await sidePanel(page)
    .getByRole('button', { name: /^Theme/ })
    .click()
  await lost
  await page.getByRole('button', { name: 'Close' }).click()
  await signOut()
  await expect(sidePanel(page).getByRole('alert')).toHaveText('You may still be signed in. Reload the page, then try again.')
  const hasList = async () => (await readStorage(page)).includes('clockOffset')
  expect(await hasList()).toBe(true)

  await page.unrouteAll({ behavior: 'wait' })
  // The page does not navigate away before the list has been deleted, even if that takes a second.
  await page.evaluate(() => {
    const { clear } = IDBObjectStore.prototype
    IDBObjectStore.prototype.clear = function clearSlowly() {
      const until = Date.now() + 1_000
      const wait = () => {
        if (Date.now() < until) this.count().onsuccess = wait
      }
      wait()
      return clear.call(this)
    }
  })
  await sidePanel(page).getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  expect(await hasList()).toBe(false)
  await context.close()
})

test('signing out in the dashboard requires a connection, deletes the ticket list but not the unsent scans, and works even if the storage does not respond', async ({
  browser,
  shop,
  baseUrl,
}) => {
  await shop.load('tickets', [minimal('tickets', { qrCode: CODES[0] })])
  const email = await shop.user('owner')
  const { context, page } = await openAsUser(browser, baseUrl, email)
  await scanUnsent(page, CODES[0])
  await page.goto(`${baseUrl}/overview`)
  const button = page.getByRole('button', { name: 'Sign out' })
  const error = page.locator('#shop-menu').getByRole('alert')
  await context.setOffline(true)
  await openShopMenu(page)
  await button.click()
  await expect(error).toHaveText('No connection. You are still signed in.')
  await expectAccessibleInAllThemesAndSizes(page)
  await context.setOffline(false)
  await page.route('**/*', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
  await button.click()
  await expect(error).toHaveText('You may still be signed in. Reload the page, then try again.')
  await page.reload()
  expect(await countStored(page)).toEqual({ state: 1, tickets: 1, queue: 1 })
  await page.unrouteAll({ behavior: 'wait' })
  await signOut(page)
  expect(await countStored(page)).toEqual({ state: 0, tickets: 0, queue: 1 })

  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest
  })
  await signIn(page, `${baseUrl}/overview`, email)
  await signOut(page)
  await context.close()
})

test('a revoked device deletes its ticket list and sends its scans, even if its first request to the server is a scan', async ({
  browser,
  shop,
  baseUrl,
}) => {
  await shop.load(
    'tickets',
    CODES.map((qrCode) => minimal('tickets', { qrCode })),
  )
  const context = await openPhone(browser)
  const page = await context.newPage()
  await setUp(page, baseUrl, await (await makeDeviceCreator(shop))('Gate 2'))
  await scanUnsent(page, CODES[0])
  const [device] = await listDevices(shop.seller)
  const email = `revokes-${shop.seller}@example.com`
  await revokeDevice(shop.seller, String(device?.id), { userId: await makeUser(shop.seller, email, 'owner'), email })
  await page.unrouteAll({ behavior: 'wait' })
  await scan(page, CODES[1])
  await expect(page.getByRole('heading', { name: 'This device no longer has access' })).toBeVisible()
  await expect(page.getByRole('status')).toHaveText('All scans have been sent.')
  await expect.poll(() => countStored(page)).toEqual({ state: 0, tickets: 0, queue: 0 })
  await page.getByRole('link', { name: 'Enter a new code' }).click()
  await expect(page.getByLabel('Code')).toBeVisible()
  await context.close()
})

test('a browser whose device was revoked opens offline once it has been set up again', async ({ browser, shop, baseUrl }) => {
  await shop.load('tickets', [minimal('tickets', { qrCode: CODES[0] })])
  const email = await shop.user('door')
  const { context, page } = await openAsUser(browser, baseUrl, email)
  const [device] = await listDevices(shop.seller)
  const owner = { userId: await makeUser(shop.seller, `revokes-${shop.seller}@example.com`, 'owner'), email }
  await revokeDevice(shop.seller, String(device?.id), owner)
  await page.reload()
  await expect(bar(page)).toContainText('This device’s access was revoked or has expired')
  await openMenu(page)
  await page.getByRole('button', { name: 'Work offline' }).click()
  await untilReady(page)
  await context.setOffline(true)
  await page.reload()
  await page.getByLabel('Ticket code').focus()
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  await context.close()
})

test('a user whose browser no longer works offline, for example because its cookie has expired, can set it up again', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const context = await openPhone(browser)
  const page = await context.newPage()
  await skipStart(page)
  await signIn(page, `${baseUrl}/door`, await shop.user('door'))
  const hint = page.getByText('This browser isn’t set up to work offline, so scans need a connection.')
  await expect(hint).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await expectLargeTargets(page)
  await page.getByRole('button', { name: 'Work offline' }).click()
  await untilReady(page)
  await expect(hint).toBeHidden()
  await context.close()
})

test('offline mode starts later if its code did not load or the device’s storage could not be opened at first, even on a revoked device', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const context = await openPhone(browser)
  const page = await context.newPage()
  await page.clock.install()
  /** Advances the clock to the page's next attempt. */
  const wait = () => page.clock.fastForward(5_000)
  await enroll(page, baseUrl, await (await makeDeviceCreator(shop))('Gate 2'), async () => {
    // Blocks the code for offline mode: the page can load only the files that its HTML references.
    let html = ''
    await page.route('**/door', async (route) => {
      const response = await route.fetch()
      html = await response.text()
      await route.fulfill({ response, body: html })
    })
    await page.route('**/_next/static/**', (route) =>
      html === '' || html.includes(new URL(route.request().url()).pathname) ? route.continue() : route.abort(),
    )
  })
  await expect(page.getByRole('alert').filter({ hasText: 'Part of this page didn’t load' })).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  await wait()
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await untilReady(page)
  await page.addInitScript(() => {
    const open = IDBFactory.prototype.open
    // The page retries once immediately, so two attempts must fail.
    let failures = 0
    IDBFactory.prototype.open = function (...args) {
      failures += 1
      if (failures > 2) return open.apply(this, args)
      throw new DOMException('broken', 'UnknownError')
    }
  })
  await page.reload()
  await expect(page.getByRole('alert').filter({ hasText: 'This device can’t store the ticket list' })).toBeVisible()
  await wait()
  await untilReady(page)

  const [device] = await listDevices(shop.seller)
  const email = `revokes-${shop.seller}@example.com`
  await revokeDevice(shop.seller, String(device?.id), { userId: await makeUser(shop.seller, email, 'owner'), email })
  await page.reload()
  await expect(page.getByRole('heading', { name: 'This device no longer has access' })).toBeVisible()
  await expect(page.getByRole('status')).toContainText('This browser’s storage couldn’t be opened')
  await expectAccessibleInAllThemesAndSizes(page)
  await wait()
  await expect(page.getByRole('status')).toHaveText('All scans have been sent.')
  await context.close()
})

test('a device whose browser refused to store the page stores it later, without a reload', async ({ browser, shop, baseUrl }) => {
  const context = await openPhone(browser)
  const page = await context.newPage()
  await page.clock.install()
  await page.addInitScript(() => {
    const put = Cache.prototype.put
    Cache.prototype.put = function (request, response) {
      if (request !== '/door' || sessionStorage.getItem('refusals') === null) return put.call(this, request, response)
      sessionStorage.setItem('refusals', String(Number(sessionStorage.getItem('refusals')) + 1))
      return Promise.reject(new DOMException('full', 'QuotaExceededError'))
    }
  })
  await enroll(page, baseUrl, await (await makeDeviceCreator(shop))('Gate 2'), () =>
    page.evaluate(() => sessionStorage.setItem('refusals', '0')),
  )
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await expect.poll(() => page.evaluate(() => Number(sessionStorage.getItem('refusals')))).toBeGreaterThan(0)
  await expect(bar(page)).toHaveAttribute('data-offline', 'storing')
  await expect(bar(page)).toContainText('page not stored yet')
  await page.evaluate(() => sessionStorage.removeItem('refusals'))
  const readState = async () => {
    const updated = page.waitForResponse('**/door/tickets?*')
    // The time between updates.
    await page.clock.fastForward(15_000)
    await updated
    return bar(page).getAttribute('data-offline')
  }
  await expect.poll(readState).toBe('ready')
  await untilReady(page)
  await context.close()
})

test('a device for several events initially selects the one that is in progress, and keeps the user’s choice after a reload', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const toEvent = (name: string, days: number) => {
    const [startsAt, endsAt] = [days - 0.1, days + 0.1].map((day) => new Date(Date.now() + day * DAY_MS).toISOString())
    return minimal('pages', { name, startsAt, endsAt })
  }
  const events = [toEvent('Choir', -7), toEvent('Folk', 7), toEvent('Jazz', 0)]
  await shop.load('pages', events)
  const [, , jazz] = events
  const tickets = CODES.slice(0, 2).map((qrCode) => minimal('tickets', { qrCode, pageId: jazz?.id }))
  await shop.load('tickets', tickets)
  const ids = events.map(({ id }) => String(id))
  const context = await openPhone(browser)
  const page = await context.newPage()
  await enroll(page, baseUrl, await (await makeDeviceCreator(shop))('Gate 2', [], ids))
  await expect(page.getByRole('radio')).toHaveCount(3)
  await expect(page.getByRole('radio').first()).toBeChecked()
  await expect(page.getByRole('radio', { name: /^Jazz/ })).toBeChecked()
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).toBeVisible()
  await expect(counts(page)).toHaveText('1 of 2 arrived')
  await page.getByRole('combobox', { name: 'Event' }).selectOption('Folk')
  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Event' })).toHaveValue(ids[1] ?? '')
  await context.close()
})

test('a device shows how many tickets are missing from its list until the keys of their codes have been derived', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const tickets = [...CODES.slice(0, 2), 'TICKET-0000000001'].map((qrCode) => minimal('tickets', { qrCode }))
  await shop.load('tickets', tickets)
  const context = await openPhone(browser)
  const page = await context.newPage()
  await enroll(page, baseUrl, await (await makeDeviceCreator(shop))('Gate 2'))
  await expect(bar(page)).toHaveText('1 of 3 tickets is still being prepared. Until it’s ready, scanning it needs a connection.')
  await expect(bar(page)).toHaveAttribute('data-offline', 'preparing')
  await expectAccessibleInAllThemesAndSizes(page)
  await deriveCodeKeys()
  await startScanning(page)
  await context.setOffline(true)
  await scan(page, 'TICKET-0000000001')
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  await context.close()
})

test('after an undo, a device admits the guest again offline, even if its list does not include the undo yet', async ({
  browser,
  shop,
  baseUrl,
}) => {
  await shop.load('tickets', [minimal('tickets', { qrCode: CODES[0], customerName: 'Zoë Lovelace' })])
  const { context, page } = await openAsUser(browser, baseUrl, await shop.user('staff'))
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).not.toHaveAttribute('data-local')
  await page.route('**/door/tickets*', () => {})
  await openTicket(page)
  await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
  await sidePanel(page).getByLabel('Reason').fill('Wrong guest')
  await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
  await expect(outcome(page, 'undone')).toContainText('Zoë Lovelace')
  await context.setOffline(true)
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  await context.close()
})

test('a device that may not view tickets can undo the last check-in, and shows why an undo failed', async ({ browser, shop, baseUrl }) => {
  await shop.load('tickets', [minimal('tickets', { qrCode: CODES[0], customerName: 'Zoë Lovelace' })])
  const create = await makeDeviceCreator(shop)
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })
  const page = await context.newPage()
  await enroll(page, baseUrl, await create('Gate 1', ['undo']))
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).toContainText('Zoë Lovelace')
  const undo = sidePanel(page).getByRole('button', { name: 'Undo check-in' })
  await undo.click()
  await sidePanel(page).getByLabel('Reason').fill('Wrong guest')
  await page.route('**/door/undo', (route) => route.fulfill({ json: { done: false, message: 'Review the ticket' } }), { times: 1 })
  await undo.click()
  await expect(sidePanel(page).getByRole('alert')).toHaveText('Review the ticket')
  await undo.click()
  await expect(outcome(page, 'undone')).toContainText('Zoë Lovelace')
  await expect(sidePanel(page)).toHaveCount(0)
  await context.close()
})

test('a device that is back online does not check in a ticket again before its offline scan of the ticket has been sent', async ({
  browser,
  shop,
  baseUrl,
}) => {
  await shop.load('tickets', [minimal('tickets', { qrCode: CODES[0], customerName: 'Zoë Lovelace', ticketShortId: 'LH1' })])
  const { context, page } = await openAsUser(browser, baseUrl, await shop.user('staff'))
  await context.setOffline(true)
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  const rateLimited = { message: 'Too many requests.', code: 'rate_limited' }
  await page.route('**/door/scans', (route) => route.fulfill({ status: 429, json: rateLimited }))
  await context.setOffline(false)
  await expect(bar(page)).toHaveAttribute('data-offline', 'ready')
  await expect(bar(page)).toContainText('1 scan not sent yet.')
  await scan(page, CODES[0])
  await expect(outcome(page, 'already_checked_in')).toHaveAttribute('data-local', 'true')
  const notSent = 'This device hasn’t sent its last scan of this ticket yet.'
  await scan(page, 'lh1')
  await expect(outcome(page, 'failed')).toContainText(notSent)
  await page.getByRole('button', { name: 'Find a guest' }).click()
  await page.getByLabel('Name, email, order number or short ID').fill('zoë')
  await sidePanel(page).getByRole('listitem').getByRole('button').click()
  await sidePanel(page).getByRole('button', { name: 'Check in manually' }).click()
  await expect(outcome(page, 'failed')).toContainText('Zoë Lovelace')
  await expect(outcome(page, 'failed')).toContainText(notSent)
  await page.unrouteAll({ behavior: 'wait' })
  await scan(page, 'lh1')
  await expect(bar(page)).toHaveAttribute('data-unsent', '0', { timeout: 20_000 })
  await scan(page, CODES[0])
  await expect(outcome(page, 'already_checked_in')).not.toHaveAttribute('data-local')
  expect(await listConflicts(shop.seller)).toEqual([])
  await context.close()
})

test('a device that loads its list again does not check in a ticket again before its offline scan of the ticket has been sent', async ({
  browser,
  shop,
  baseUrl,
}) => {
  await shop.load('tickets', [minimal('tickets', { qrCode: CODES[0] }), minimal('tickets', { qrCode: CODES[1] })])
  const { context, page } = await openAsUser(browser, baseUrl, await shop.user('staff'))
  await context.setOffline(true)
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  await page.route('**/door/scans', (route) =>
    route.fulfill({ status: 429, json: { message: 'Too many requests.', code: 'rate_limited' } }),
  )
  // The server starts the list over, and is too busy to send the second part.
  let requests = 0
  await page.route('**/door/tickets*', async (route) => {
    requests += 1
    if (requests > 1) return route.fulfill({ status: 503 })
    const list = (await (await route.fetch()).json()) as Record<string, unknown>
    await route.fulfill({ json: { ...list, reset: true, entries: [], hasMore: true, cursor: 'part' } })
  })
  await context.setOffline(false)
  await expect(bar(page)).toContainText('Loading the ticket list: 0 tickets so far.')
  await expect(bar(page)).toContainText('1 scan not sent yet.')
  await scan(page, CODES[0])
  await expect(outcome(page, 'failed')).toContainText('This device hasn’t sent its last scan of this ticket yet.')
  await scan(page, CODES[1])
  await expect(outcome(page, 'admitted')).not.toHaveAttribute('data-local')
  await page.unrouteAll({ behavior: 'wait' })
  // Refuses the ticket again, but sends the scan immediately.
  await scan(page, CODES[0])
  await expect(bar(page)).toHaveAttribute('data-unsent', '0')
  await untilReady(page)
  await scan(page, CODES[0])
  await expect(outcome(page, 'already_checked_in')).toBeVisible()
  expect(await listConflicts(shop.seller)).toEqual([])
  await context.close()
})

test('a scanner’s input in the search field is checked if the search fails because there is no connection', async ({
  browser,
  shop,
  baseUrl,
}) => {
  await shop.load('tickets', [minimal('tickets', { qrCode: CODES[0] })])
  const { context, page } = await openAsUser(browser, baseUrl, await shop.user('staff'))
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Find a guest' }).click()
  const field = page.getByLabel('Name, email, order number or short ID')
  await field.fill('Zoë')
  await field.press('Enter')
  await expect(sidePanel(page).getByRole('status')).toContainText('Scan or type the code on the ticket.')
  await expect(field).toHaveValue('Zoë')
  // Key presses that are dispatched together are fast enough on any machine.
  await field.evaluate((input, code) => {
    for (const key of code) input.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  }, CODES[0])
  await field.fill(CODES[0])
  await field.press('Enter')
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  await context.close()
})

test('counts that arrive while a device cannot send its scans are shown if sending fails, and contain each scan once if it succeeds', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const codes = CODES.slice(0, 2)
  await shop.load(
    'tickets',
    codes.map((qrCode) => minimal('tickets', { qrCode })),
  )
  const { context, page } = await openAsUser(browser, baseUrl, await shop.user('staff'))
  await expect(counts(page)).toHaveText('0 of 2 arrived')
  // Scans and the list get no response, but the stream of counts stays open.
  await page.route(/\/door\/(scan|scans|tickets)\b/, (route) => route.abort())
  await scan(page, codes[0] ?? '')
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  const receive = () => page.waitForEvent('console', (message) => message.text() === 'counts received')
  await page.evaluate(() => {
    const parse = JSON.parse
    JSON.parse = (text: string) => {
      if (text.includes('"perMinute"')) setTimeout(() => console.log('counts received'))
      return parse(text)
    }
  })
  const received = receive()
  await shop.validate(codes[1] ?? '', { checkIn: true })
  await received
  await page.unrouteAll({ behavior: 'wait' })
  // The stream sends the counts again only when they change, which may be a minute later.
  const requested = page.waitForRequest('**/door/turnout?*')
  await page.route('**/door/scans', (route) =>
    route.fulfill({ status: 429, json: { message: 'Too many requests.', code: 'rate_limited' } }),
  )
  await expect(bar(page)).toHaveAttribute('data-offline', 'ready', { timeout: 20_000 })
  await expect(bar(page)).toContainText('1 scan not sent yet.')
  await requested
  await expect(counts(page)).toHaveText('2 of 2 arrived')
  await page.unrouteAll({ behavior: 'wait' })
  // The server has recorded the scan, and sends counts that include it, before the device knows this.
  let shown: string | null = null
  await page.route('**/door/scans', async (route) => {
    const receivedAgain = receive()
    const response = await route.fetch()
    await receivedAgain
    shown = await counts(page).textContent()
    await route.fulfill({ response })
  })
  // After this scan, the device sends its scans within 5 seconds.
  await scan(page, codes[0] ?? '')
  await expect(outcome(page, 'already_checked_in')).toHaveAttribute('data-local', 'true')
  await expect.poll(() => shown).toBe('2 of 2 arrived')
  await expect(bar(page)).not.toContainText('not sent yet')
  await expect(counts(page)).toHaveText('2 of 2 arrived')
  await context.close()
})

test('if an event requires a connection, a scan whose response was lost can be repeated; a browser sends its scans before it becomes another device', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const event = minimal('pages', { name: 'Jazz' })
  const [onlineOnly] = CODES
  await shop.load('pages', [event])
  await updateCheckoutPage(shop.seller, String(event.id), { name: 'Jazz', entryPolicy: 'single', offlineAdmission: false }, undefined)
  const tickets = [
    minimal('tickets', { qrCode: onlineOnly, pageId: event.id }),
    ...CODES.slice(1).map((qrCode) => minimal('tickets', { qrCode })),
  ]
  await shop.load('tickets', tickets)
  const newCode = await makeDeviceCreator(shop)
  const context = await openPhone(browser)
  const page = await context.newPage()
  await enroll(page, baseUrl, await newCode('Gate 1'))
  await page.getByRole('button', { name: 'Start scanning' }).click()
  await untilReady(page)
  await stopClock(page, Date.now())
  // The server admits the guest, but the responses to all four attempts are lost.
  let lost = 0
  await page.route('**/door/scan', async (route) => {
    await route.fetch()
    await route.abort()
    lost += 1
  })
  await scan(page, onlineOnly)
  await expect(outcome(page, 'offline')).toContainText('No connection')
  await expect.poll(() => lost).toBe(4)
  await page.unrouteAll({ behavior: 'wait' })
  // A busy server may take longer than the page waits.
  await expect(async () => {
    await scan(page, onlineOnly)
    await expect(outcome(page, 'replayed')).toContainText('Already admitted by this device at', { timeout: 10_000 })
  }).toPass()

  // The device admits a guest offline. Then its browser is set up as another device.
  await page.route('**/door/sc*', (route) => route.abort())
  await scan(page, CODES[1])
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  const code = await newCode('Gate 2')
  await page.goto(`${baseUrl}/door/enroll#${code}`)
  await page.getByRole('button', { name: 'Set up' }).click()
  await expect(page.getByText('1 scan from this browser hasn’t been sent yet.')).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('button', { name: 'Set up' }).click()
  await untilReady(page)
  expect((await getTicketDetails(shop.seller, String(tickets[1]?.id), undefined)).history).toMatchObject([{ who: 'Gate 1' }])
  expect(await listConflicts(shop.seller)).toEqual([])
  await context.close()
})

test('two tabs of a device admit each ticket once, and send each scan once', async ({ browser, shop, baseUrl }) => {
  const tickets = CODES.map((qrCode) => minimal('tickets', { qrCode }))
  await shop.load('tickets', tickets)
  const context = await openPhone(browser)
  const first = await context.newPage()
  await setUp(first, baseUrl, await (await makeDeviceCreator(shop))('Gate 2'))
  const second = await context.newPage()
  await second.goto(`${baseUrl}/door`)
  await expect(bar(second)).toHaveAttribute('data-offline', 'ready')
  const tabs = [first, second]
  const sent: string[] = []
  context.on('response', (response) => {
    if (!response.ok() || new URL(response.url()).pathname !== '/door/scans') return
    sent.push(...(response.request().postDataJSON() as { scans: { id: string }[] }).scans.map(({ id }) => id))
  })
  await context.setOffline(true)
  // Both tabs notice that they are offline, so that they do not hold back a refusal.
  for (const [index, tab] of tabs.entries()) {
    await tab.getByLabel('Ticket code').fill(String(CODES[index + 1]))
    await tab.getByLabel('Ticket code').press('Enter')
    await expect(outcome(tab, 'admitted')).toHaveAttribute('data-local', 'true')
  }
  for (const tab of tabs) await tab.getByLabel('Ticket code').fill(CODES[0])
  await Promise.all(tabs.map((tab) => tab.getByLabel('Ticket code').press('Enter')))
  const readOutcomes = () => Promise.all(tabs.map((tab) => tab.locator('[data-outcome]').getAttribute('data-outcome')))
  await expect.poll(async () => (await readOutcomes()).toSorted()).toEqual(['admitted', 'already_checked_in'])
  await context.setOffline(false)
  for (const tab of tabs) await expect(bar(tab)).toHaveAttribute('data-unsent', '0')
  expect([sent.length, new Set(sent).size]).toEqual([4, 4])
  for (const { id } of tickets)
    expect((await getTicketDetails(shop.seller, String(id), undefined)).history).toMatchObject([{ status: 'CHECKEDIN', who: 'Gate 2' }])
  expect(await listConflicts(shop.seller)).toEqual([])
  await context.close()
})

test('the counts do not change while a device sends scans that they already include', async ({ browser, shop, baseUrl }) => {
  await shop.load(
    'tickets',
    CODES.map((qrCode) => minimal('tickets', { qrCode })),
  )
  const context = await openPhone(browser)
  // Delays responses, so that the stream of counts includes the scans long before the device learns that they were recorded. Requests for
  // the counts are slow, too.
  await context.addInitScript(() => {
    const originalFetch = window.fetch
    window.fetch = async (input, init) => {
      const response = await originalFetch(input, init)
      // Without scans, the request only checks whether the server responds.
      const isReport = String(input).startsWith('/door/scans') && !String(init?.body).includes('"scans":[]')
      const delay = isReport ? 6_000 : String(input).startsWith('/door/turnout') ? 1_000 : 0
      await new Promise((resolve) => setTimeout(resolve, delay))
      return response
    }
  })
  const page = await context.newPage()
  await setUp(page, baseUrl, await (await makeDeviceCreator(shop))('Gate 2'))
  await context.setOffline(true)
  for (const code of CODES.slice(0, 2)) {
    await scan(page, code)
    await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  }
  await expect(counts(page)).toHaveText(/^2 of 3 arrived, as of .+, including 2 admitted on this device since then$/)
  await counts(page).evaluate((element) => {
    const shown: string[] = []
    Object.assign(window, { shown })
    new MutationObserver(() => shown.push(String(element.textContent))).observe(element, {
      childList: true,
      characterData: true,
      subtree: true,
    })
  })
  await context.setOffline(false)
  await expect(bar(page)).toHaveAttribute('data-unsent', '0')
  await scan(page, CODES[2])
  await expect(counts(page)).toHaveText('3 of 3 arrived')
  const shown = await page.evaluate(() => (window as unknown as { shown: string[] }).shown)
  expect(shown.filter((text) => !text.startsWith('2 of 3')).filter((text) => text !== '3 of 3 arrived')).toEqual([])

  // If a scan gets no response, the device decides whether to admit the guest. This does not close the panel with the ticket of a newer
  // scan.
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.route('**/door/scan', (route) => (route.request().postData()?.includes(CODES[0]) ? undefined : route.continue()))
  await scan(page, CODES[0])
  await scan(page, CODES[1])
  const notes = sidePanel(page).getByRole('region', { name: 'Notes' })
  await expect(notes).toBeVisible()
  await expect(page.getByText('Earlier scan:')).toBeVisible()
  await expect(notes).toBeVisible()
  await context.close()
})

const DAY_MS = 86_400_000

/** While a tab's session storage contains this key, the ticket list has a newer protocol, as if it came from a newer server. */
const NEWER_SERVER = 'newer-server'

test('a device reports full storage, reloads a deleted list, opens offline a day later, and sends its scans to a newer server', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const tickets = CODES.map((qrCode) => minimal('tickets', { qrCode, customerName: 'Zoë Lovelace' }))
  await shop.load('tickets', tickets)
  const context = await openPhone(browser)
  await context.addInitScript((key) => {
    const originalFetch = window.fetch
    window.fetch = async (input, init) => {
      const response = await originalFetch(input, init)
      if (!window.sessionStorage.getItem(key) || !String(input).startsWith('/door/tickets') || !response.ok) return response
      return Response.json({ ...(await response.json()), protocol: 99, entries: 'in another form' })
    }
  }, NEWER_SERVER)
  let page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  const { origin } = new URL(baseUrl)

  // Setup.
  await page.goto(`${baseUrl}/sign-in`)
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 2 * 1024 * 1024 })
  await enroll(page, baseUrl, await (await makeDeviceCreator(shop))('Gate 2'))
  await expect(page.getByRole('alert').filter({ hasText: 'This device’s storage is almost full' })).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await devtools.send('Storage.overrideQuotaForOrigin', { origin })
  await page.reload()
  await startScanning(page)
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
  await context.setOffline(true)
  await page.reload()
  await expect(bar(page)).toContainText('Loading the ticket list: 0 tickets so far. Until it is complete, scans need a connection.')
  await context.setOffline(false)
  await untilReady(page)

  // The page is opened offline the next day.
  await context.setOffline(true)
  await page.close({ runBeforeUnload: false })
  page = await context.newPage()
  await page.clock.setSystemTime(Date.now() + DAY_MS)
  await page.goto(`${baseUrl}/door`)
  // The list's date in the shop's time zone.
  const today = new Intl.DateTimeFormat('en-US', { timeZone: 'Europe/Amsterdam', month: 'short', day: 'numeric' }).format(new Date())
  await expect(bar(page)).toContainText(`Offline: using this device’s list from ${today}`)
  // Browsers check for a newer service worker once a day, even when they are offline.
  await page.evaluate(() => navigator.serviceWorker.ready.then((worker) => worker.update()).then(String, String))
  await page.reload()
  await expect(bar(page)).toHaveAttribute('data-offline', 'offline')
  await page.getByLabel('Ticket code').focus()
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).toContainText(`with the list from ${today}`)
  await expect(bar(page)).toHaveAttribute('data-unsent', '1')

  // The server was updated in the meantime.
  await page.evaluate((key) => window.sessionStorage.setItem(key, '1'), NEWER_SERVER)
  await context.setOffline(false)
  await expect(bar(page)).toContainText('There is a new version of this page')
  await expectLargeTargets(page)
  await openMenu(page)
  await expectLargeTargets(page)
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(bar(page)).toHaveAttribute('data-unsent', '0')
  await expectAccessibleInAllThemesAndSizes(page)
  expect((await getTicketDetails(shop.seller, String(tickets[0]?.id), undefined)).history).toMatchObject([
    { status: 'CHECKEDIN', who: 'Gate 2' },
  ])
  await page.getByLabel('Ticket code').focus()
  await scan(page, CODES[1])
  await expect(outcome(page, 'admitted')).not.toHaveAttribute('data-local')
  await page.evaluate((key) => window.sessionStorage.removeItem(key), NEWER_SERVER)
  await page.getByRole('button', { name: 'Reload' }).click()
  await untilReady(page)
  await context.close()
})

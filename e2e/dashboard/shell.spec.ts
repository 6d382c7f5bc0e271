/** The dashboard's shell: first paint, sidebar, bottom bar on phones, keyboard shortcuts, and offline behavior. */
import { minimal } from '@/testing/seller'
import {
  expect,
  expectAccessible,
  expectAccessibleInAllThemesAndSizes,
  openShopMenu,
  signIn,
  startSession,
  test,
  watch,
} from '../support/dashboard'

test('keyboard shortcuts open pages and the shortcut list; the sidebar collapses, and stays collapsed after a reload', async ({
  signedIn: page,
  baseUrl,
}) => {
  await page.goto(`${baseUrl}/payments`)
  const sidebar = page.getByRole('navigation', { name: 'Main' })
  // Keys are ignored until the page is hydrated.
  await expect(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.waitForURL('**/customers', { timeout: 1000 })
  }).toPass()
  await expect(sidebar.getByRole('link', { name: 'Customers' })).toHaveAttribute('aria-current', 'page')

  await page.keyboard.press('?')
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(shortcuts).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  // Shortcuts do not navigate while the dialog is open.
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.keyboard.press('Escape')
  await expect(shortcuts).toHaveCount(0)
  expect(page.url()).toBe(`${baseUrl}/customers`)

  const measureWidth = () => sidebar.evaluate((element) => element.getBoundingClientRect().width)
  expect(await measureWidth()).toBe(223)
  const saved = page.waitForResponse((response) => response.request().method() === 'POST')
  // As on Mac keyboards that type a backslash with Option. Holding the keys toggles the sidebar only once.
  await page.keyboard.down('Alt')
  for (let press = 0; press < 4; press += 1) await page.keyboard.down('\\')
  await page.keyboard.up('\\')
  await page.keyboard.up('Alt')
  await expect.poll(measureWidth).toBeLessThan(60)
  await saved
  await page.reload()
  expect(await measureWidth()).toBeLessThan(60)
  await expect(sidebar.getByRole('link', { name: 'Customers' })).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)

  await openShopMenu(page)
  await expect(page.getByText(/^owner-.*@example\.com$/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  await page.getByRole('link', { name: 'My password' }).click()
  await page.waitForURL('**/settings/password')
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeHidden()
})

test('the sidebar lists the pages in order, and shortcuts open the overview and the lists', async ({ signedIn: page, baseUrl }) => {
  await page.goto(`${baseUrl}/customers`)
  const sidebar = page.getByRole('navigation', { name: 'Main' })
  await expect(sidebar.getByRole('link')).toHaveText([
    'Overview',
    ...['Payments', 'Bookings', 'Subscriptions', 'Customers', 'Coupons'],
    ...['Tickets', /Check-in/, /API docs/, 'Settings'],
  ])
  const rows = await sidebar.getByRole('link').evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height))
  expect(new Set(rows)).toEqual(new Set([32]))
  await expect(page.getByRole('button', { name: 'Search…' })).toContainText('Ctrl K')
  // Keys are ignored until the page is hydrated.
  await expect(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await page.waitForURL('**/overview', { timeout: 1000 })
  }).toPass()
  await expect(page).toHaveTitle('Overview · Checkout Desk')
  for (const title of ['Payments', 'Bookings', 'Subscriptions', 'Customers', 'Tickets']) {
    await page.keyboard.press('g')
    await page.keyboard.press(title.charAt(0).toLowerCase())
    await page.waitForURL(`**/${title.toLowerCase()}`)
    await expect(page).toHaveTitle(`${title} · Checkout Desk`)
  }
  // The settings pages are listed in a second sidebar.
  await sidebar.getByRole('link', { name: 'Settings' }).click()
  const settingsSidebar = page.getByRole('navigation', { name: 'Settings' })
  await expect(settingsSidebar.getByRole('link', { name: 'API keys' })).toHaveAttribute('aria-current', 'page')
  expect((await settingsSidebar.boundingBox())?.x).toBe(224)
})

test('after a click on a sidebar link, the old page stays visible until the new rows and their scripts are loaded', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await shop.load('payments', [minimal('payments')])
  await page.goto(`${baseUrl}/settings/keys`)
  // Keys are ignored until the page is hydrated.
  await expect(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await page.waitForURL('**/overview', { timeout: 1000 })
  }).toPass()
  const overview = page.getByRole('heading', { name: 'Overview', level: 1 })
  await expect(overview).toBeVisible()
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const held: string[] = []
  await page.route('**/_next/static/chunks/*.js', async (route) => {
    held.push(route.request().url())
    await released
    await route.continue()
  })
  await page.evaluate(() => {
    const seen = new MutationObserver(() => {
      if (document.querySelector('main div[aria-busy=true]')) document.documentElement.dataset.placeholder = 'seen'
    })
    seen.observe(document.body, { childList: true, subtree: true })
  })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Payments' }).click()
  await expect.poll(() => held.length).toBeGreaterThan(0)
  await expect(overview).toBeVisible()
  release()
  await expect(page.locator('a[data-row]')).toHaveCount(1)
  await expect(page.locator('html')).not.toHaveAttribute('data-placeholder')
})

test('the first page that a browser opens is painted before its stylesheet is loaded, and later pages only link the stylesheet', async ({
  page,
  shop,
  baseUrl,
}) => {
  const problems = watch(page, baseUrl)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let held = 0
  await page.route('**/_next/static/chunks/*.css', async (route) => {
    held += 1
    await released
    await route.continue()
  })
  await startSession(page.context(), baseUrl, await shop.user('owner'))
  await page.goto(`${baseUrl}/payments`, { waitUntil: 'domcontentloaded' })
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
  await expect.poll(() => held).toBe(1)
  const sidebar = page.getByRole('navigation', { name: 'Main' })
  await expect(sidebar.getByRole('link', { name: 'Payments' })).toHaveCSS('white-space', 'nowrap')
  release()
  await page.waitForLoadState('load')
  await sidebar.getByRole('link', { name: 'Coupons' }).click()
  await page.waitForURL('**/coupons')

  const later = await page.goto(`${baseUrl}/payments`)
  expect(await later?.text()).not.toContain('<style')
  await expect(sidebar.getByRole('link', { name: 'Payments' })).toHaveCSS('white-space', 'nowrap')
  await expect(page.locator('link[rel=stylesheet]')).not.toHaveAttribute('media')
  expect(problems).toEqual([])
})

test('on a phone, the bottom bar and its menu open pages, touch targets are at least 44 px, and focusing a field does not zoom', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })
  const page = await context.newPage()
  const problems = watch(page, baseUrl)
  await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
  const bar = page.getByRole('navigation', { name: 'Quick navigation' })
  await bar.getByRole('link', { name: 'Customers' }).click()
  await page.waitForURL('**/customers')
  await expect(bar.getByRole('link', { name: 'Customers' })).toHaveAttribute('aria-current', 'page')
  const readColor = (element: Element) => getComputedStyle(element).color
  const currentColor = await bar.getByRole('link', { name: 'Customers' }).evaluate(readColor)
  const more = bar.getByRole('button', { name: 'More' })
  expect(await more.evaluate(readColor)).not.toBe(currentColor)
  await more.click()
  const menu = page.getByRole('navigation', { name: 'Main' })
  await expect(menu).toBeVisible()
  for (const target of await page.locator('nav:visible :is(a, button):visible, header :is(a, button):visible').all()) {
    const box = await target.boundingBox()
    expect(Math.min(box?.width ?? 0, box?.height ?? 0), await target.innerText()).toBeGreaterThanOrEqual(44)
  }
  await expectAccessible(page)
  await menu.getByRole('link', { name: 'Coupons' }).click()
  await page.waitForURL('**/coupons')
  await expect(menu).toBeHidden()
  await expect(more).toHaveCSS('color', currentColor)
  expect(await page.getByLabel('Search', { exact: true }).evaluate((element) => getComputedStyle(element).fontSize)).toBe('16px')
  expect(problems).toEqual([])
  await context.close()
})

test('offline, the page stays visible under a notice, and clicked links open after reconnecting', async ({
  page,
  context,
  shop,
  baseUrl,
}) => {
  await shop.load('payments', [minimal('payments', { orderId: 'OR-1' })])
  await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
  await page.waitForLoadState('networkidle')
  // A control whose code can't be loaded shows a message, and works once the connection is back.
  const [scripts, status] = ['**/_next/static/chunks/*.js', page.getByRole('button', { name: 'Status', exact: true })]
  await page.route(scripts, (route) => route.abort())
  await status.click()
  await expect(page.getByText('This couldn’t be loaded.', { exact: false })).toBeVisible()
  await page.unroute(scripts)
  await status.click()
  await expect(page.getByRole('dialog', { name: 'Status' })).toBeVisible()
  await page.keyboard.press('Escape')
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Coupons' }).click()
  await expect(page.getByRole('alert').filter({ hasText: /^Offline — showing data from \d\d:\d\d/ })).toBeVisible()
  await expect(page.locator('[data-progress]')).toBeVisible()
  await expect(page.getByRole('link', { name: 'OR-1' })).toBeVisible()
  await context.setOffline(false)
  await page.waitForURL('**/coupons')
  await expect(page.getByRole('heading', { name: 'No coupons yet' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'You’re back online.' })).toBeVisible()
  await expect(page.locator('[data-progress]')).toBeHidden()
  // If the drawer's code can't be loaded, clicking a row opens the record's page after reconnecting.
  await page.goBack()
  await expect(page.getByRole('link', { name: 'OR-1' })).toBeVisible()
  await page.route(scripts, (route) => route.abort())
  await context.setOffline(true)
  await page.getByRole('row', { name: 'OR-1' }).click({ position: { x: 600, y: 10 } })
  await expect(page.locator('[data-progress]')).toBeVisible()
  await page.unroute(scripts)
  await context.setOffline(false)
  await page.waitForURL('**/payments/*')
  await expect(page.getByRole('heading', { name: 'OR-1' })).toBeVisible()
})

test('offline, the notice shows when the server rendered the page, also after going back and after a refresh', async ({
  page,
  context,
  shop,
  baseUrl,
}) => {
  await shop.load('payments', [minimal('payments', { orderId: 'OR-1' })])
  const begun = Date.now()
  const format = (time: number) =>
    page.evaluate((at) => new Intl.DateTimeFormat('en-US', { timeStyle: 'short', hourCycle: 'h23' }).format(at), time)
  // The document is rendered five hours ago.
  const renderedAt = begun - 5 * 3_600_000
  await page.route('**/payments', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback()
    const response = await route.fetch()
    const body = (await response.text()).replaceAll(
      /(desk-rendered-at\W{1,8}content\W{1,6})[\d-]+T[\d:.]+Z/g,
      (_, start) => start + new Date(renderedAt).toISOString(),
    )
    await route.fulfill({ response, body })
  })
  await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
  await page.waitForLoadState('networkidle')
  const sidebar = page.getByRole('navigation', { name: 'Main' })
  const goBack = async () => {
    await page.goBack()
    await page.waitForURL('**/payments')
    await expect(page.getByRole('link', { name: 'OR-1' })).toBeVisible()
  }
  /** Opens a page while offline. Returns the notice's time once the page has been opened after reconnecting. */
  async function readNotice(link: string): Promise<string> {
    await context.setOffline(true)
    await sidebar.getByRole('link', { name: link }).click()
    const notice = page.getByRole('alert').filter({ hasText: /^Offline — showing data from \d\d:\d\d/ })
    const time = /\d\d:\d\d/.exec(await notice.innerText())?.[0] ?? ''
    await context.setOffline(false)
    await page.waitForURL(`**/${link.toLowerCase()}`)
    await expect(notice).toHaveCount(0)
    return time
  }

  expect(await readNotice('Coupons')).toBe(await format(renderedAt))
  await goBack()
  expect(await readNotice('Bookings')).toBe(await format(renderedAt))
  await context.setOffline(true)
  await sidebar.getByRole('link', { name: 'Coupons' }).click()
  await expect(page.getByRole('alert').filter({ hasText: /^Offline/ })).not.toContainText(await format(renderedAt))
  await goBack()
  await expect(page.getByRole('alert').filter({ hasText: /^Offline/ })).toContainText(await format(renderedAt))
  await context.setOffline(false)
  // Choosing a column refreshes the page.
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Updated', exact: true }).click()
  await expect(page.getByRole('columnheader', { name: 'Updated' })).toBeVisible()
  await page.keyboard.press('Escape')
  const time = await readNotice('Coupons')
  expect([await format(begun), await format(Date.now())]).toContain(time)
})

test('offline, searching, filtering, opening a record and going back leave the page unchanged, and take effect after reconnecting', async ({
  page,
  context,
  shop,
  baseUrl,
}) => {
  const failed = minimal('payments', { orderId: 'OR-2', status: 'failed' })
  await shop.load('payments', [minimal('payments', { orderId: 'OR-1' }), failed])
  await signIn(page, `${baseUrl}/customers`, await shop.user('owner'))
  const notice = page.getByRole('alert').filter({ hasText: /^Offline/ })
  const rows = page.locator('a[data-row]')
  // Keys are ignored until the page is hydrated.
  await expect(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.waitForURL('**/payments', { timeout: 1000 })
  }).toPass()
  for (const [act, expectedUrl] of [
    [() => page.getByLabel('Search', { exact: true }).fill('OR-2'), /search=OR-2/],
    [() => page.getByRole('link', { name: 'Failed 1' }).click(), /status=failed/],
    [() => page.getByRole('link', { name: 'OR-2' }).click(), new RegExp(`/payments/${failed.id}`)],
  ] as const) {
    const before = await rows.allTextContents()
    await context.setOffline(true)
    await act()
    await expect(notice).toBeVisible()
    await expect(rows).toHaveText(before)
    await context.setOffline(false)
    await expect(page).toHaveURL(expectedUrl)
    await expect(notice).toHaveCount(0)
  }
  const title = page.getByRole('heading', { name: 'OR-2' })
  await expect(title).toBeVisible()
  await context.setOffline(true)
  await page.goBack()
  await expect(title.or(rows)).toBeVisible()
  await context.setOffline(false)
  await expect(rows).toHaveText(['OR-2'])
})

test('changing the theme keeps the page and what was entered in it if the server is unavailable or the user has been signed out', async ({
  page,
  shop,
  baseUrl,
}) => {
  await signIn(page, `${baseUrl}/settings/seller`, await shop.user('owner'))
  await openShopMenu(page)
  const theme = page.getByRole('button', { name: /^Theme/ })
  await theme.click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('New name')
  let status = 0
  await page.route('**/*', (route) => (route.request().method() === 'POST' ? route.fulfill({ status, body: '' }) : route.fallback()))
  for (const [failure, message] of [
    [503, 'The server is unavailable.'],
    [401, 'You have been signed out.'],
  ] as const) {
    status = failure
    const refused = page.waitForResponse((response) => response.request().method() === 'POST')
    // The previous iteration opened the shortcut list, which closes the menu.
    if (!(await theme.isVisible())) await openShopMenu(page)
    await theme.click()
    await refused
    // Once the page's scripts handle another action, they have handled this response.
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(name).toHaveValue('New name')
    await expect(page.getByRole('status').filter({ hasText: message })).toBeVisible()
  }
})

test('the theme and the row height change as shown on their buttons, even if another tab has changed them', async ({
  page,
  shop,
  baseUrl,
}) => {
  await shop.load('payments', [minimal('payments', { orderId: 'OR-1' })])
  await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
  const tab = await page.context().newPage()
  await tab.goto(`${baseUrl}/payments`)
  const toggleDensity = async (target: typeof page, label: string) => {
    await target.getByLabel('More actions').click()
    await target.getByRole('button', { name: label }).click()
  }
  await toggleDensity(page, 'Use taller rows')
  await expect(page.getByRole('button', { name: 'Use compact rows' })).toBeVisible()
  await toggleDensity(tab, 'Use taller rows')
  await expect(tab.getByRole('button', { name: 'Use compact rows' })).toBeVisible()
  const theme = page.getByRole('button', { name: 'Theme: System' })
  const otherTheme = tab.getByRole('button', { name: 'Theme: System' })
  await openShopMenu(page)
  await theme.click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await openShopMenu(tab)
  await otherTheme.click()
  await expect(tab.locator('html')).toHaveAttribute('data-theme', 'light')
  await tab.close()
})

test('if the row height cannot be changed, a message says so and the table stays', async ({ page, shop, baseUrl }) => {
  await shop.load('payments', [minimal('payments', { orderId: 'OR-1' })])
  await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
  await expect(async () => {
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible({ timeout: 1000 })
  }).toPass()
  await page.keyboard.press('Escape')
  await page.route('**/*', (route) => (route.request().method() === 'POST' ? route.fulfill({ status: 503, body: '' }) : route.fallback()))
  await page.getByLabel('More actions').click()
  await page.getByRole('button', { name: 'Use taller rows' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'The server is unavailable.' })).toBeVisible()
  await expect(page.locator('a[data-row]')).toHaveText(['OR-1'])
})

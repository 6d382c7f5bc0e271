/** The command palette opens pages and finds records. */
import { type Line, minimal } from '@/testing/seller'
import {
  expect,
  expectAccessibleInAllThemesAndSizes,
  holdRequests,
  newAddress,
  signIn,
  startSession,
  test,
  watch,
} from '../support/dashboard'
import { field, openPalette } from '../support/palette'

test('the palette loads on first use; ⌘K opens it with the text typed while it loads, and Escape closes it and restores the focus', async ({
  signedIn: page,
  baseUrl,
}) => {
  await page.goto(`${baseUrl}/payments`, { waitUntil: 'networkidle' })
  let scripts = 0
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/_next\/static\/.*\.js/, async (route) => {
    scripts += 1
    await released
    await route.continue()
  })
  const trigger = page.getByRole('button', { name: 'Search…', exact: true })
  await trigger.focus()
  expect(scripts).toBe(0)
  await page.keyboard.press('Meta+k')
  await page.keyboard.type('boo')
  await expect.poll(() => scripts).toBeGreaterThan(0)
  release()
  await expect(field(page)).toHaveValue('boo')
  await page.keyboard.type('k')
  await expect(page.getByRole('option')).toHaveText(['Bookings'])
  await expect(field(page)).toHaveValue('book')
  await page.keyboard.press('Escape')
  await expect(field(page)).toHaveCount(0)
  await expect(trigger).toBeFocused()
})

test('pages and actions can be opened by keyboard, and staff do not find the settings', async ({
  signedIn: page,
  other: staff,
  shop,
  baseUrl,
}) => {
  await page.goto(`${baseUrl}/payments`)
  await openPalette(page)
  const options = page.getByRole('option')
  await expect(options).toHaveText([
    ...['Overview', 'Payments', 'Bookings', 'Subscriptions', 'Customers', 'Coupons', 'Tickets'],
    ...['Check-in', 'Settings'],
  ])
  await page.keyboard.type('boo')
  await expect(options).toHaveText(['Bookings'])
  await page.keyboard.press('Enter')
  await page.waitForURL('**/bookings')
  await expect(field(page)).toHaveCount(0)

  // The palette fits on a short screen.
  await page.setViewportSize({ width: 1280, height: 400 })
  await openPalette(page)
  const { y, height } = (await page.getByRole('dialog').boundingBox()) ?? { y: 0, height: 0 }
  expect(height).toBeGreaterThan(300)
  expect(y + height).toBeLessThan(400)
  await page.setViewportSize({ width: 1280, height: 720 })
  // An action opens its dialog, both from another page and from the page that contains the dialog.
  await page.keyboard.type('create key')
  await expect(options).toHaveText(['Create key'])
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Create key' })).toBeVisible()
  expect(page.url()).toBe(`${baseUrl}/settings/keys`)
  await page.keyboard.press('Escape')
  await openPalette(page)
  await page.keyboard.type('create key')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Create key' })).toBeVisible()

  await signIn(staff, `${baseUrl}/payments`, await shop.user('staff'))
  await openPalette(staff)
  await expect(staff.getByRole('option', { name: 'Check-in' })).toBeVisible()
  await expect(staff.getByRole('option', { name: 'Settings' })).toHaveCount(0)
})

test('records of several lists are found by order number, email, code and ID, and the chosen one is opened', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const customerEmail = 'ada@example.com'
  const payment: Line = minimal('payments', { orderId: 'OR-777', customerEmail, amount: 2500, currency: 'jpy' })
  await shop.load('payments', [payment, minimal('payments', { orderId: 'OR-778' })])
  await shop.load('bookings', [minimal('bookings', { orderId: 'BK-1', customerEmail })])
  await shop.load('subscriptions', [minimal('subscriptions', { orderId: 'SU-1', customerEmail, status: 'active' })])
  await shop.load('coupons', [minimal('coupons', { code: 'SPRING', label: 'Ada’s' })])
  const options = page.getByRole('option')
  await page.goto(`${baseUrl}/payments`)
  await openPalette(page)
  await page.keyboard.type('OR-777')
  await expect(options).toHaveCount(1)
  await expect(options).toContainText('OR-777')
  await expect(options).toContainText('¥2,500')
  await expect(options).toContainText('Paid')
  await expect(page.getByText('1 result')).toBeAttached()
  await field(page).fill('ADA@EXAMPLE')
  await expect(options).toHaveCount(3)
  for (const list of ['Payments', 'Bookings', 'Subscriptions']) await expect(page.getByRole('group', { name: list })).toBeVisible()
  await field(page).fill('sprin')
  await expect(options).toHaveText([/SPRING/])
  await field(page).fill(String(payment.id).toUpperCase())
  await expect(options).toHaveText([/OR-777/])
  await field(page).fill('ada@')
  await expect(options).toHaveCount(3)
  await expect(options.first()).toHaveAttribute('data-highlighted', '')
  await page.keyboard.press('ArrowDown')
  await expect(options.nth(1)).toHaveAttribute('data-highlighted', '')
  expect(await field(page).getAttribute('aria-activedescendant')).toBe(await options.nth(1).getAttribute('id'))
  await page.keyboard.press('Enter')
  await page.waitForURL('**/bookings/*')
  await expect(page.getByRole('heading', { name: 'BK-1' })).toBeVisible()
  await shop.load('tickets', [minimal('tickets', { ticketShortId: 'K7-QX2', customerName: 'Zoë Lindqvist', qrCode: shop.seller })])
  await shop.load(
    'payments',
    Array.from({ length: 6 }, (_, index) => minimal('payments', { orderId: `LIND-${index}` })),
  )
  await openPalette(page)
  // On a busy machine, a search can fail.
  await expect(async () => {
    await field(page).fill('')
    await page.keyboard.type('lind')
    await expect(page.getByRole('group', { name: 'Tickets' })).toContainText('K7-QX2', { timeout: 5_000 })
  }).toPass()
  await expect(page.getByText('More than 6 results')).toBeAttached()
  await options.filter({ hasText: 'All matching payments' }).click()
  await page.waitForURL('**/payments?search=lind')
  await openPalette(page)
  await page.keyboard.type('nothing has this')
  await expect(page.getByText('No results.', { exact: false })).toBeVisible()
})

test('a late response to an earlier search never replaces newer results', async ({ signedIn: page, shop, baseUrl }) => {
  await shop.load('payments', [minimal('payments', { orderId: 'FIRST' }), minimal('payments', { orderId: 'SECOND' })])
  await page.goto(`${baseUrl}/payments`)
  await openPalette(page)
  const { requested, release } = await holdRequests(page, ({ pathname, search }) => pathname === '/find' && search === '?q=FIRST')
  await page.keyboard.type('FIRST')
  await requested
  await field(page).fill('SECOND')
  await expect(page.getByRole('option')).toHaveText([/SECOND/])
  release()
  await field(page).press('End')
  await expect(page.getByRole('option')).toHaveText([/SECOND/])
})

test('an outage and an ended session are reported, not shown as an empty result', async ({ page, shop, baseUrl, context }) => {
  await shop.load('payments', [minimal('payments', { orderId: 'OR-1' })])
  await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
  await openPalette(page)
  await context.setOffline(true)
  await page.keyboard.type('OR-1')
  await expect(page.getByText('We can’t reach your data right now.', { exact: false })).toBeVisible()
  await expect(page.getByText('No results.', { exact: false })).toHaveCount(0)
  // Once the connection is back, the search is repeated without another key press.
  await context.setOffline(false)
  await expect(page.getByRole('option')).toHaveText([/OR-1/])
  await context.clearCookies()
  await field(page).fill('or-')
  await expect(page.getByText('You have been signed out.', { exact: false })).toBeVisible()
  // The drawer and the filters also link to the sign-in page.
  await page.keyboard.press('Escape')
  await expect(field(page)).toHaveCount(0)
  await page.keyboard.press('j')
  await page.keyboard.press('o')
  const link = page.getByRole('link', { name: 'Open sign-in page' })
  await expect(link).toHaveAttribute('href', /^\/sign-in\?callbackUrl=%2Fpayments%3Fpeek%3D\w+$/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Method' }).click()
  await expect(link).toHaveAttribute('href', '/sign-in?callbackUrl=%2Fpayments')
  // A check-in redirects to the sign-in page, with the ticket's page as the callback URL.
  const ticket = minimal('tickets', {})
  await shop.load('tickets', [ticket])
  await signIn(page, `${baseUrl}/tickets/${ticket.id}`, await shop.user('owner'))
  await context.clearCookies()
  // The button does nothing before the page is hydrated. Waiting for an idle network instead might take forever.
  await expect(async () => {
    // On a busy machine, the sign-in page may open only during the next attempt, which then finds no button.
    if (!page.url().includes('/sign-in')) await page.getByRole('button', { name: 'Check in' }).click({ timeout: 1000 })
    await page.waitForURL(`**/sign-in?callbackUrl=%2Ftickets%2F${ticket.id}`, { timeout: 5000 })
  }).toPass()
})

test('only users who can see records can search', async ({ browser, shop, baseUrl }) => {
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })
  expect((await context.request.get(`${baseUrl}/find?q=ada`)).status()).toBe(401)
  await startSession(context, baseUrl, await shop.user('door'))
  expect((await context.request.get(`${baseUrl}/find?q=ada`)).status()).toBe(403)
  await context.close()
})

test('the palette is accessible on desktop and phone, in light and dark mode', async ({ page, shop, baseUrl }) => {
  const problems = watch(page, baseUrl)
  const longEmail = `${'x'.repeat(150)}@example.com`
  await shop.load('payments', [
    minimal('payments', { orderId: 'مرحبا-1', customerEmail: longEmail }),
    minimal('payments', { orderId: 'L'.repeat(180), customerEmail: longEmail, status: 'failed' }),
  ])
  await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
  // Retry, because clicks are ignored until the page is hydrated.
  await expect(async () => {
    if ((await field(page).count()) === 0) await page.getByRole('button', { name: 'Search…', exact: true }).click()
    await expect(field(page)).toBeFocused({ timeout: 1000 })
  }).toPass()
  await expectAccessibleInAllThemesAndSizes(page)
  await field(page).fill('xxx')
  await expect(page.getByRole('option')).toHaveCount(2)
  await expectAccessibleInAllThemesAndSizes(page)
  await field(page).fill('nothing has this')
  await expect(page.getByText('No results.', { exact: false })).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(field(page)).toHaveCount(0)
  expect(problems).toEqual([])
})

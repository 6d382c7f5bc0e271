/** The overview, its chart and its checklist, and the theme switch. */
import { gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { createKey } from '@/lib/accounts/api-keys'
import { newObjectId } from '@/lib/core/object-id'
import { minimal } from '@/testing/seller'
import { addScript } from '../support/browser'
import {
  avoidMidnight,
  expect,
  expectAccessibleInAllThemesAndSizes,
  holdRequests,
  openShopMenu,
  type Page,
  type Shop,
  signIn,
  test,
  watch,
} from '../support/dashboard'

test.beforeEach(avoidMidnight)

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** Loads an event, orders in two currencies, a refund, failures, subscriptions and an expiring key, and checks in a guest. */
async function fillShop(shop: Shop): Promise<void> {
  const pageId = newObjectId()
  const order = (members: object) => minimal('payments', { currency: 'eur', pageId, ...members })
  await shop.load('pages', [minimal('pages', { id: pageId, name: 'Lantern Night <b>&' })])
  await shop.load('payments', [
    order({ amount: 4200, createdAt: new Date().toISOString(), orderId: 'TODAY-1' }),
    order({ amount: 700, currency: 'jpy', createdAt: new Date().toISOString() }),
    order({
      amount: 1100,
      status: 'failed',
      createdAt: new Date().toISOString(),
      orderId: 'FAILED-1',
      paymentError: 'Your card was declined.',
    }),
    order({ amount: 1100, status: 'failed', createdAt: daysAgo(3), orderId: 'FAILED-2' }),
    order({ amount: 1100, status: 'failed', createdAt: daysAgo(3), paymentError: 'Your card was declined.' }),
    order({ amount: 123_456, createdAt: daysAgo(8), orderId: 'EIGHT-1' }),
    order({ amount: 50_000, createdAt: daysAgo(40) }),
    order({ amount: 7000, currency: 'jpy', createdAt: daysAgo(8) }),
    order({ amount: 900, status: 'refunded', createdAt: daysAgo(9) }),
    order({ amount: 999_900, livemode: false, createdAt: daysAgo(1) }),
  ])
  const subscription = (members: object) =>
    minimal('subscriptions', { amount: 1000, currency: 'eur', interval: 'month', intervalCount: 1, ...members })
  await shop.load('subscriptions', [
    subscription({ status: 'active', createdAt: daysAgo(2) }),
    subscription({ status: 'active', amount: 12_000, interval: 'year', createdAt: daysAgo(200) }),
    subscription({ status: 'past_due', createdAt: daysAgo(100), currentPeriodStart: daysAgo(9) }),
    subscription({ status: 'canceled', createdAt: daysAgo(100), canceledAt: daysAgo(5) }),
  ])
  await shop.load('tickets', [minimal('tickets', { qrCode: shop.seller, pageId }), minimal('tickets', { pageId })])
  expect((await shop.validate(shop.seller)).json.success).toBe(true)
  await createKey({ sellerId: shop.seller, name: 'Old', scopes: ['full'], expiresAt: new Date(Date.now() + 86_400_000) })
}

/** Locates a metric of the chart or of the subscriptions by its label. */
const figure = (page: Page, label: string) => page.locator('dl > div').filter({ has: page.getByText(label, { exact: true }) })

/** Opens the explanation of MRR by keyboard, expects it to be next to its button at two widths, and closes it. */
async function expectExplanationNextToButton(page: Page): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 720 }
  const button = page.getByRole('button', { name: 'How is MRR calculated?' })
  const text = page.getByText('MRR is monthly recurring revenue', { exact: false })
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await button.press('Enter')
    await expect(text).toBeVisible()
    const [buttonBox, textBox] = [await button.boundingBox(), await text.boundingBox()]
    if (!buttonBox || !textBox) throw new Error('The button or its explanation is not visible.')
    const [below, above] = [textBox.y - buttonBox.y - buttonBox.height, buttonBox.y - textBox.y - textBox.height]
    expect(Math.min(Math.abs(below), Math.abs(above))).toBeLessThan(12)
    expect(textBox.x).toBeGreaterThanOrEqual(0)
    expect(textBox.x).toBeLessThan(buttonBox.x + buttonBox.width)
    expect(textBox.x + textBox.width).toBeGreaterThan(buttonBox.x)
    expect(textBox.x + textBox.width).toBeLessThanOrEqual(width)
    await page.keyboard.press('Escape')
    await expect(text).toBeHidden()
  }
  await page.setViewportSize(size)
}

test('the overview shows today’s revenue, failed payments and past-due subscriptions, with links to the records', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await fillShop(shop)
  await page.goto(`${baseUrl}/overview`)
  const today = page.getByRole('region', { name: 'Today' })
  for (const tile of [
    /Today’s revenue.*€42\.00.*Other currencies: ¥700/s,
    /Orders today.*2/s,
    /Failed payments.*1.*created in last 24\sh/s,
    /Past due.*1.*subscriptions/s,
  ])
    await expect(today.getByRole('link', { name: tile })).toBeVisible()
  await expect(today.getByRole('link', { name: /Checked in today.*1/s })).toBeVisible()
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await expect(attention.getByRole('link')).toHaveText([
    /1 failed payment created in the last 24 hours/,
    /1 past-due subscription€10\.00 · since/,
    /1 API key expiring within 7 days/,
  ])
  const reasons = page.getByRole('region', { name: 'Why payments failed' })
  await expect(reasons.getByRole('listitem')).toHaveText(['Your card was declined.2', 'No reason given1'])
  await expect(reasons.getByRole('link', { name: '3 failed payments' })).toHaveAttribute('href', /status=failed&livemode=true/)
  const subscriptions = page.getByRole('region', { name: 'Subscriptions' })
  await expect(figure(page, 'MRR now · EUR')).toContainText('€30.00')
  await expect(figure(page, 'MRR now · EUR')).toContainText('€30.00 at start of period')
  await expect(subscriptions).toContainText(/New.*1.*Churned.*1.*Past due now.*1/s)
  await expectExplanationNextToButton(page)
  await expect(page.getByRole('region', { name: 'Check-in today' })).toContainText('1/2 inside')
  await expect(page.getByRole('region', { name: 'Top products & events' }).getByRole('link', { name: 'Lantern Night <b>&' })).toBeVisible()

  await expect(today.getByRole('link', { name: /Past due/ })).toHaveAttribute('href', '/subscriptions?status=past_due')
  await database().use(({ rows }) =>
    rows(sql`
      insert into webhook_endpoints (seller_id, id, url, events, secret, disabled_reason)
      values (${shop.seller}, 'we_1', 'https://example.com', '{}', '\\x00', 'failing')`),
  )
  await page.reload()
  await expect(attention.getByRole('link', { name: '1 webhook endpoint failing or disabled' })).toHaveAttribute(
    'href',
    '/settings/webhooks',
  )

  await today.getByRole('link', { name: /Failed payments/ }).click()
  await expect(page.getByRole('link', { name: 'FAILED-1' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'FAILED-2' })).toHaveCount(0)
  await page.goBack()
  await today.getByRole('link', { name: /Today’s revenue/ }).click()
  await expect(page.getByRole('link', { name: 'TODAY-1' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'EIGHT-1' })).toHaveCount(0)
  // The order in yen is not part of the revenue in euros.
  await expect(page.getByText('1 payment · €42.00')).toBeVisible()

  const booking = (members: object) => minimal('bookings', { currency: 'eur', createdAt: new Date().toISOString(), ...members })
  await shop.load('bookings', [
    booking({ amount: 1000, orderId: 'BOOKED-1' }),
    booking({ amount: 3000, status: 'partially_paid', amountPaid: 500 }),
  ])
  await page.goto(`${baseUrl}/overview`)
  // The revenue is split between two lists, so only its parts are links.
  await expect(today.getByText('€57.00', { exact: true })).toBeVisible()
  await expect(today.getByRole('link', { name: /Today’s revenue|Orders today/ })).toHaveCount(0)
  await expect(today.getByText('€42.00 payments · €15.00 bookings')).toBeVisible()
  await expect(today.getByText('Other currencies: ¥700', { exact: true })).toBeVisible()
  await expect(today.getByText('2 payments · 2 bookings')).toBeVisible()
  await today.getByRole('link', { name: '€15.00 bookings' }).click()
  await expect(page.getByRole('link', { name: 'BOOKED-1' })).toBeVisible()
  await expect(page.getByText('2 bookings · €40.00 (€15.00 received)')).toBeVisible()
})

test('the chart compares a period with the previous one in the chosen currency, and can be read by pointer, by keyboard or as a table', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await fillShop(shop)
  await page.goto(`${baseUrl}/overview`)
  const chart = page.getByRole('slider', { name: 'Daily revenue in EUR' })
  await expect(figure(page, 'Revenue · EUR')).toContainText('€1,276.56')
  await expect(figure(page, 'Revenue · EUR')).toContainText('▲ up 155%')
  await expect(figure(page, 'Revenue · EUR')).toContainText('vs €500.00 previous period')
  await expect(figure(page, 'Orders · EUR')).toContainText('2')
  await expect(figure(page, 'Refunds · EUR')).toContainText('1')

  // The last bar is today's, and the eighth bar to its left is a day with one order. Keys are ignored until the page is hydrated.
  await expect(async () => {
    await chart.blur()
    await chart.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('End')
    await expect(page.getByText('€42.00 · 1 order · prev €0.00')).toBeVisible({ timeout: 500 })
  }).toPass()
  await expect(chart).toHaveAttribute('aria-valuetext', /, so far: €42\.00 · 1 order/)
  for (let step = 0; step < 8; step += 1) await page.keyboard.press('ArrowLeft')
  await expect(page.getByText('€1,234.56 · 1 order', { exact: false })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Click to see the orders')).toHaveCount(0)
  const box = await chart.boundingBox()
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * (21.5 / 30), (box?.y ?? 0) + 200)
  await expect(page.getByText('€1,234.56 · 1 order', { exact: false })).toBeVisible()
  await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) * (21.5 / 30), (box?.y ?? 0) + 200)
  await page.waitForURL('**/payments?created*')
  await expect(page.getByRole('link', { name: 'EIGHT-1' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'TODAY-1' })).toHaveCount(0)

  await page.goBack()
  await page.getByRole('link', { name: 'View as table' }).click()
  await expect(page.getByRole('row')).toHaveCount(31)
  await expect(page.getByRole('cell', { name: '€1,234.56' })).toBeVisible()
  await page.getByRole('link', { name: 'Hide table' }).click()
  await expect(page.getByRole('row')).toHaveCount(0)
  await page.getByRole('link', { name: 'Hide comparison' }).click()
  await expect(page.getByText('vs €500.00 previous period')).toHaveCount(0)
  await page.getByRole('navigation', { name: 'Currency' }).getByRole('link', { name: 'JPY' }).click()
  await expect(figure(page, 'Revenue · JPY')).toContainText('¥7,700')
  await page.getByRole('link', { name: '365 days' }).click()
  await expect(page.getByRole('slider', { name: 'Weekly revenue in JPY' })).toHaveAttribute('aria-valuemax', '53')
  // Applying a custom period preserves a currency change that is still loading.
  const { requested, release } = await holdRequests(page, (url) => url.searchParams.get('currency') === 'EUR')
  await page.getByRole('navigation', { name: 'Currency' }).getByRole('link', { name: 'EUR' }).click()
  await requested
  const [from, to] = [daysAgo(45).slice(0, 10), daysAgo(35).slice(0, 10)]
  await page.getByRole('button', { name: 'Custom' }).click()
  await page.getByLabel('From').fill(from)
  await page.getByLabel('To', { exact: true }).fill(to)
  await page.getByRole('button', { name: 'Apply' }).click()
  release()
  await expect(page).toHaveURL(`${baseUrl}/overview?compare=off&currency=EUR&from=${from}&to=${to}`)
  await expect(figure(page, 'Revenue · EUR')).toContainText('€500.00')
  await expect(figure(page, 'MRR at end of period · EUR')).toContainText('€30.00')
  await expect(figure(page, 'Active or trialing at end')).toContainText('2')
  // The form contains the days of the period shown.
  await page.getByRole('link', { name: '7 days', exact: true }).click()
  await expect(figure(page, 'MRR now · EUR')).toBeVisible()
  await page.getByRole('button', { name: 'Custom' }).click()
  await expect(page.getByLabel('From')).toBeVisible()
  await expect(page.getByLabel('From')).not.toHaveValue(from)
  await page.goto(`${baseUrl}/overview?from=2024-01-01&to=2024-01-10`)
  await expect(figure(page, 'Revenue · EUR')).toContainText('€0.00')
  await expect(page.getByText('€0.01')).toHaveCount(0)
  await expect(page.getByText('Subscription renewals count if they are recorded as payments')).toBeVisible()
})

test('on a phone, a tile’s hint fits on one line, a tap on the chart selects a bar, and a second tap opens its orders', async ({
  browser,
  shop,
  baseUrl,
}) => {
  await fillShop(shop)
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })
  const page = await context.newPage()
  await signIn(page, `${baseUrl}/overview`, await shop.user('owner'))
  const hint = page.getByText('created in last 24 h')
  // The tiles are streamed, so they are hidden at first.
  await expect(hint).toBeVisible()
  // A line is 16 px high.
  expect((await hint.boundingBox())?.height).toBeLessThan(20)
  const chart = page.getByRole('slider', { name: 'Daily revenue in EUR' })
  await chart.scrollIntoViewIfNeeded()
  const box = await chart.boundingBox()
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) * (21.5 / 30), (box?.y ?? 0) + 100]
  // Touches are ignored until the page is hydrated.
  await expect(async () => {
    await page.touchscreen.tap(x + (box?.width ?? 0) / 30, y)
    await expect(page.getByText('Tap again to see the orders')).toBeVisible({ timeout: 500 })
  }).toPass()
  await page.touchscreen.tap(x, y)
  await expect(page.getByText('€1,234.56 · 1 order', { exact: false })).toBeVisible()
  await page.touchscreen.tap(x, y)
  await page.waitForURL('**/payments?created*')
  await expect(page.getByText('€1,234.56').first()).toBeVisible()
  await context.close()
})

test('the overview of an empty shop shows a checklist with completed steps marked as done', async ({ signedIn: page, shop, baseUrl }) => {
  await shop.load('pages', [minimal('pages', {})])
  await page.goto(`${baseUrl}/overview`)
  const steps = page.getByRole('region', { name: 'Set up your shop' }).getByRole('listitem')
  await expect(steps).toHaveText([/Connect Stripe/, /Import a file/, /Name your products & events.*Done/s, /Invite door staff/])
  await expect(page.getByRole('main').getByRole('region')).toHaveCount(1)
  await expect(page.getByRole('region', { name: 'Today' })).toHaveCount(0)
  await expectAccessibleInAllThemesAndSizes(page)
  await steps.nth(1).getByText('Import', { exact: true }).click()
  await expect(steps.nth(1).getByText(`desk -- import payments payments.ndjson --seller ${shop.seller}`)).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await steps.first().getByRole('link').click()
  await page.waitForURL('**/settings/stripe')
})

test('the theme can be switched, is kept after a reload, and can follow the system', async ({ signedIn: page, baseUrl }) => {
  const readBackground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${baseUrl}/overview`)
  const light = await readBackground()
  await openShopMenu(page)
  await page.getByRole('button', { name: 'Theme: System' }).click()
  await page.getByRole('button', { name: 'Theme: Light' }).click()
  await expect(page.getByRole('button', { name: 'Theme: Dark' })).toBeVisible()
  const dark = await readBackground()
  expect(dark).not.toBe(light)
  await page.reload()
  expect(await readBackground()).toBe(dark)
  await openShopMenu(page)
  await page.getByRole('button', { name: 'Theme: Dark' }).click()
  await expect(page.getByRole('button', { name: 'Theme: System' })).toBeVisible()
  expect(await readBackground()).toBe(light)
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await readBackground()).toBe(dark)
})

test('the overview is accessible on desktop and phone in both themes, has no layout shift, and loads at most 190 KiB of gzipped script', async ({
  page,
  shop,
  baseUrl,
}) => {
  await fillShop(shop)
  const problems = watch(page, baseUrl)
  const scripts: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.body().then((body) => gzipSync(body).length))
  })
  await addScript(page, () => {
    Object.assign(window, { shift: 0 })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) Object.assign(window, { shift: Reflect.get(window, 'shift') + Reflect.get(entry, 'value') })
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await signIn(page, `${baseUrl}/overview`, await shop.user('staff'))
  await expect(page.getByRole('slider', { name: 'Daily revenue in EUR' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect((await Promise.all(scripts)).reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(190 * 1024)
  expect(await page.evaluate(() => Reflect.get(window, 'shift'))).toBeLessThan(0.01)
  await expectAccessibleInAllThemesAndSizes(page)
  expect(problems).toEqual([])
})

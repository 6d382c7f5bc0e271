/** The tables of records: paging, search, filters, keyboard and accessibility. */
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import type { Download, Locator, Response } from 'playwright/test'
import { database } from '@/db/client'
import { type ResourceName, resources } from '@/lib/catalog'
import { type Line, minimal, readFixture } from '@/testing/seller'
import { addScript } from '../support/browser'
import {
  avoidMidnight,
  expect,
  expectAccessibleInAllThemesAndSizes,
  holdRequests,
  openBeforeHydration,
  type Page,
  startSession,
  test,
  watch,
} from '../support/dashboard'
import { expectHydrated, rowLinks } from '../support/tables'

test.beforeEach(avoidMidnight)

/** Opens a filter. Retries, because clicks are ignored until the page is hydrated. */
async function openFilter(page: Page, name: string): Promise<Locator> {
  const popover = page.getByRole('dialog', { name })
  await expect(async () => {
    if ((await popover.count()) === 0) await page.getByRole('button', { name, exact: true }).click()
    await expect(popover).toBeVisible({ timeout: 1000 })
  }).toPass()
  return popover
}

/** Returns payments created a minute apart, oldest first. @param getMembers returns members that replace the defaults */
const makePayments = (count: number, getMembers: (index: number) => Line = () => ({})) =>
  Array.from({ length: count }, (_, index) =>
    minimal('payments', {
      orderId: `OR-${String(index).padStart(3, '0')}`,
      createdAt: new Date(Date.UTC(2026, 2, 1, 0, index)).toISOString(),
      ...getMembers(index),
    }),
  )

test('a list can be paged in both directions, shows the position, and supports Back', async ({ signedIn: page, shop, baseUrl }) => {
  await shop.load('payments', makePayments(45))
  await page.goto(`${baseUrl}/payments`)
  await expect(page.getByText('1–20 of 45')).toBeVisible()
  await expect(page.locator(rowLinks)).toHaveCount(20)
  await expect(page.locator(rowLinks).first()).toHaveText('OR-044')
  const selectAll = page.getByLabel('Select all rows on this page')
  await selectAll.check()
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.getByText('21–40 of 45')).toBeVisible()
  await expect(selectAll).not.toBeChecked()
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.getByText('41–45 of 45')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Next' })).toHaveCount(0)
  const shared = page.url()
  await page.getByRole('link', { name: 'Previous' }).click()
  await expect(page.getByText('21–40 of 45')).toBeVisible()
  await page.getByRole('link', { name: 'Previous' }).click()
  await expect(page.getByText('1–20 of 45')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Previous' })).toHaveCount(0)
  await page.goBack()
  await expect(page.getByText('21–40 of 45')).toBeVisible()
  await page.goto(shared)
  await expect(page.locator(rowLinks)).toHaveText(['OR-004', 'OR-003', 'OR-002', 'OR-001', 'OR-000'])
  await page.getByRole('link', { name: '50', exact: true }).click()
  await expect(page.locator(rowLinks)).toHaveCount(45)
})

test('deep in a long list, the position is shown, and the export shows its progress and can be canceled', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const id = (index: number) => index.toString(16).padStart(24, '0')
  await database().transaction(async ({ rows }) => {
    // Without events, because writing them would take longer than writing the records.
    await rows(sql`select set_config('desk.events', 'off', true)`)
    await rows(sql`
      insert into payments (seller_id, record)
      select ${shop.seller}, json_build_object('id', lpad(to_hex(i), 24, '0'), 'sellerId', ${shop.seller}::text, 'status', 'paid',
        'amount', 1000, 'orderId', 'DEEP-' || i, 'createdAt', '2026-01-01T00:00:00.000Z', 'updatedAt', '2026-01-01T00:00:00.000Z')
      from generate_series(0, 10049) as i`)
  })
  const cursor = id(30)
  await page.goto(`${baseUrl}/payments?starting_after=${cursor}`)
  await expect(page.locator(rowLinks).first()).toHaveText('DEEP-29')
  await expect(page.getByText('10,021–10,040 of 10,050')).toBeVisible()
  // On a phone, the links are on the same line.
  const size = page.viewportSize() ?? { width: 1280, height: 720 }
  await page.setViewportSize({ width: 390, height: 844 })
  const [previous, next] = await Promise.all(['Previous', 'Next'].map((name) => page.getByRole('link', { name }).boundingBox()))
  expect(previous?.y).toBe(next?.y)
  await page.setViewportSize(size)
  await page.goto(`${baseUrl}/payments?search=deep-&starting_after=${cursor}`)
  await expect(page.getByText('10,021–10,040 of 10,050')).toBeVisible()
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.getByText('10,041–10,050 of 10,050')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Next' })).toHaveCount(0)

  const menu = page.getByText('Export (10,050)')
  await menu.click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('link', { name: 'All fields' })).toBeHidden()
  await expect(page.locator('summary').filter({ hasText: 'Export' })).toBeFocused()
  // Throttle the network, so that the export can be canceled before it is complete.
  const network = await page.context().newCDPSession(page)
  const limit = (downloadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput, uploadThroughput: -1 })
  await network.send('Network.enable')
  await limit(100_000)
  await menu.click()
  await page.getByRole('link', { name: 'All fields' }).click()
  const progress = page.getByRole('region', { name: 'Export' })
  await expect(progress.getByText(/^Exporting [1-9][\d,]* of 10,050 rows$/)).toBeVisible()
  // A second export is shown next to the first, and is not started again while it is running.
  for (const _ of [1, 2]) {
    await menu.click()
    await page.getByRole('link', { name: 'Summary for bookkeeping' }).click()
  }
  await expect(progress).toHaveCount(2)
  for (const left of [1, 0]) {
    await progress.first().getByRole('button', { name: 'Cancel' }).click()
    await expect(progress).toHaveCount(left)
  }
  await expect(page.getByText('Export canceled').first()).toBeVisible()
  await expect(progress).toHaveCount(0)
  await network.detach()
  const downloads: Download[] = []
  // A busy server may reject the export.
  await expect(async () => {
    const download = page.waitForEvent('download', { timeout: 30_000 })
    await menu.click()
    await page.getByRole('link', { name: 'All fields' }).click()
    downloads.push(await download)
  }).toPass()
  const [file] = downloads
  expect(file?.suggestedFilename()).toMatch(/^payments-.*\.csv$/)
  expect((await readFile(String(await file?.path()), 'utf8')).trimEnd().split('\r\n')).toHaveLength(10_051)
  await expect(page.getByText('Exported 10,050 rows')).toBeVisible()
})

test('a search finds an order while the user types, is kept in the URL, and can be cleared in one step', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await shop.load(
    'payments',
    makePayments(30, (index) =>
      index === 7 ? { customerEmail: 'zoë@example.com', status: 'failed', billing: { name: 'Xóchitl Núñez' } } : {},
    ),
  )
  await page.goto(`${baseUrl}/payments`)
  // Keys are ignored until the page is hydrated.
  await expect(async () => {
    await page.keyboard.press('/')
    await expect(page.getByLabel('Search', { exact: true })).toBeFocused({ timeout: 200 })
  }).toPass()
  await page.keyboard.type('ZOË@')
  await expect(page.locator(rowLinks)).toHaveText(['OR-007'])
  expect(new URL(page.url()).searchParams.get('search')).toBe('ZOË@')
  await page.getByRole('link', { name: 'Failed 1' }).click()
  await expect(page).toHaveURL(/status=failed/)
  await expect(page.locator(rowLinks)).toHaveText(['OR-007'])
  await page.getByRole('link', { name: 'Paid 0', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'No payments match “ZOË@”' })).toBeVisible()
  await page.getByRole('link', { name: 'Clear search and filters' }).click()
  await expect(page.getByText('1–20 of 30')).toBeVisible()
  await expect(page.getByLabel('Search', { exact: true })).toHaveValue('')
  await page.getByLabel('Search', { exact: true }).fill('Xochtil')
  await expect(page.getByRole('heading', { name: 'No payments match “Xochtil”' })).toBeVisible()
  // On a busy machine, a suggestion that takes too long is omitted.
  await expect(async () => {
    await page.reload()
    await expect(page.getByText('Did you mean xochitl?')).toBeVisible({ timeout: 5_000 })
  }).toPass()
  await page.getByRole('link', { name: 'xochitl' }).click()
  await expect(page.locator(rowLinks)).toHaveText(['OR-007'])
  await expect(page.getByLabel('Search', { exact: true })).toHaveValue('xochitl')
  // Text typed before hydration is searched for afterward.
  const { release } = await openBeforeHydration(page, `${baseUrl}/payments`)
  await page.getByLabel('Search', { exact: true }).fill('OR-008')
  release()
  await expect(page.locator(rowLinks)).toHaveText(['OR-008'])
  await expect(page.getByLabel('Search', { exact: true })).toHaveValue('OR-008')
})

test('records can be filtered by product or event and by date', async ({ signedIn: page, shop, baseUrl }) => {
  const concert = minimal('pages', { name: 'Friday Late Jazz' })
  await shop.load('pages', [concert, minimal('pages', { name: 'Gift cards' })])
  await shop.load(
    'payments',
    makePayments(6, (index) => (index < 2 ? { pageId: concert.id } : {})),
  )
  await page.goto(`${baseUrl}/payments`)
  const product = await openFilter(page, 'Product or event')
  await product.getByLabel('Friday Late Jazz').check()
  await expect(page.locator(rowLinks)).toHaveText(['OR-001', 'OR-000'])
  await expect(page.getByRole('cell', { name: 'Friday Late Jazz' })).toHaveCount(2)
  // Going back undoes the filter, including in the open popover.
  await page.goBack()
  await expect(page.locator(rowLinks)).toHaveCount(6)
  await expect(product.getByLabel('Friday Late Jazz')).not.toBeChecked()
  // Values chosen before the rows arrive are combined.
  const { requested, release } = await holdRequests(page, (url) => url.pathname === '/payments' && url.searchParams.has('pageId'))
  await product.getByLabel('Gift cards').check()
  await requested
  await product.getByLabel('Friday Late Jazz').check()
  await expect(product.getByLabel('Gift cards')).toBeChecked()
  release()
  await expect(page.locator(rowLinks)).toHaveText(['OR-001', 'OR-000'])
  await expect(product.getByLabel('Gift cards')).toBeChecked()
  await product.getByLabel('Gift cards').uncheck()
  await expect(page).toHaveURL(`${baseUrl}/payments?pageId=${concert.id}`)
  await page.keyboard.press('Escape')
  const date = await openFilter(page, 'Date')
  // The shop is in Amsterdam, where the first minutes of March 1 in UTC are also on March 1.
  await date.getByLabel('To', { exact: true }).fill('2026-02-28')
  await date.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByRole('heading', { name: 'No payments match these filters' })).toBeVisible()
  await page.getByRole('button', { name: 'Date To Feb 28, 2026' }).click()
  await date.getByLabel('To', { exact: true }).fill('2026-03-01')
  await date.getByRole('button', { name: 'Apply' }).click()
  await expect(page.locator(rowLinks)).toHaveText(['OR-001', 'OR-000'])
  expect(new URL(page.url()).searchParams.get('created[lte]')).toBe('2026-03-01')
  await page.getByText('Export (2)').click()
  for (const layout of ['All fields', 'Summary for bookkeeping'])
    await expect(page.getByRole('link', { name: layout })).toHaveAttribute('href', /created%5Blte%5D=2026-03-01/)
  await page.goto(`${baseUrl}/payments?created[gt]=2026-03-01T00:03:00Z`)
  await expect(page.locator(rowLinks)).toHaveText(['OR-005', 'OR-004'])
  await expect(page.getByRole('button', { name: 'Date After 2026-03-01T00:03:00Z' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove Date filter' }).click()
  await expect(page.locator(rowLinks)).toHaveCount(6)
  await page.goto(`${baseUrl}/payments?created[gte]=2026-03-01&created[lte]=2026-02-01`)
  await expect(page.getByRole('heading', { name: 'This link isn’t valid anymore' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove Date filter' }).click()
  await expect(page.locator(rowLinks)).toHaveCount(6)
})

test('a table shows amounts with the currency’s decimals, times in the seller’s time zone, and a label on test orders', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await shop.load('payments', [
    minimal('payments', { amount: 2500, currency: 'eur', createdAt: '2026-07-01T22:30:00.000Z', livemode: true }),
    minimal('payments', { amount: 2500, currency: 'jpy', createdAt: '2026-01-01T22:30:00.000Z', livemode: false }),
  ])
  await page.goto(`${baseUrl}/payments`)
  const [summer, winter] = [page.locator('tbody tr').first(), page.locator('tbody tr').last()]
  await expect(summer).toContainText('€25.00')
  await expect(summer).toContainText('Jul 2, 2026, 00:30')
  await expect(summer.getByTitle('2026-07-01T22:30:00.000Z')).toBeVisible()
  await expect(summer).not.toContainText('test')
  await expect(winter).toContainText('¥2,500')
  await expect(winter).toContainText('Jan 1, 2026, 23:30')
  await expect(winter).toContainText('test')
})

test('j and k move between rows, Enter opens a record, and its page does not contain the client secret', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const secret = 'pi_1_secret_CANARY'
  await shop.load(
    'payments',
    makePayments(3, () => ({
      gatewayPaymentIntentClientSecret: secret,
      customerEmail: 'ada@example.com',
      billing: { name: '<img src=x onerror=alert(1)>' },
      gatewayChargeId: 'ch_1',
      recoveredAt: '2026-03-02T00:00:00.000Z',
    })),
  )
  await page.goto(`${baseUrl}/payments`)
  await expectHydrated(page)
  for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
  await expect(page.locator(rowLinks).nth(1)).toBeFocused()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/payments/*')
  await expect(page.getByRole('heading', { name: 'OR-001' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Timeline' })).toContainText('Cart recovered')
  await expect(page.getByText('<img src=x onerror=alert(1)>').first()).toBeVisible()
  await page.getByText('Technical details').click()
  await expect(page.getByRole('button', { name: 'Copy Gateway charge ID' })).toBeVisible()
  expect(await page.content()).not.toContain('CANARY')
  await page.getByRole('link', { name: 'View customer' }).click()
  await page.waitForURL('**/customers?search=ada%40example.com')
})

test('a late response to an earlier search never replaces newer results; Back undoes a filter; changes build on pending ones', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await shop.load(
    'payments',
    makePayments(5, (index) => ({ status: index === 3 ? 'failed' : 'paid' })),
  )
  await page.goto(`${baseUrl}/payments`)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let markRequested = () => {}
  const requested = new Promise<void>((resolve) => {
    markRequested = resolve
  })
  await page.route(/search=OR-001/, async (route) => {
    markRequested()
    await released
    // The page might have aborted this request by then.
    await route.continue().catch(() => {})
  })
  const search = page.getByLabel('Search', { exact: true })
  await expect(async () => {
    await search.fill('')
    await search.fill('OR-001')
    await Promise.race([requested, page.waitForRequest(/search=OR-001/, { timeout: 1000 })])
  }).toPass()
  await search.fill('OR-002')
  release()
  await expect(page.locator(rowLinks)).toHaveText(['OR-002'])
  await page.waitForLoadState('networkidle')
  await expect(page.locator(rowLinks)).toHaveText(['OR-002'])
  await expect(search).toHaveValue('OR-002')
  await search.fill('')
  await expect(page.locator(rowLinks)).toHaveCount(5)
  await page.getByRole('link', { name: 'Failed 1' }).click()
  await expect(page.locator(rowLinks)).toHaveText(['OR-003'])
  await page.goBack()
  await expect(page.locator(rowLinks)).toHaveCount(5)
  await expect(page.getByRole('link', { name: 'All 5' })).toHaveAttribute('aria-current', 'true')

  // Changes made before the rows arrive build on each other.
  const makeTwoChanges = async (first: () => Promise<void>, second: () => Promise<void>) => {
    const resumeRequests: (() => void)[] = []
    await page.route('**/payments?*', async (route) => {
      await new Promise<void>((resolve) => resumeRequests.push(resolve))
      await route.continue().catch(() => {})
    })
    await first()
    await expect.poll(() => resumeRequests.length).toBe(1)
    await second()
    await expect.poll(() => resumeRequests.length).toBe(2)
    await page.unroute('**/payments?*')
    for (const resume of resumeRequests) resume()
  }
  const openTab = (name: RegExp) => page.getByRole('link', { name }).click()
  await makeTwoChanges(
    () => search.fill('or-00'),
    () => openTab(/^Failed/),
  )
  await expect(page).toHaveURL(/\?search=or-00&status=failed$/)
  await makeTwoChanges(
    () => openTab(/^All/),
    () => search.fill('or-001'),
  )
  await expect(page).toHaveURL(/\?search=or-001$/)
  await page.goBack()
  await expect(page).toHaveURL(/\?search=or-00&status=failed$/)
  await makeTwoChanges(
    async () => (await openFilter(page, 'Date')).getByRole('button', { name: 'Today' }).click(),
    () => openTab(/^All/),
  )
  await expect(page).toHaveURL(/\?search=or-00&period=today$/)
  await makeTwoChanges(
    () => page.getByRole('button', { name: 'Remove Date filter' }).click(),
    async () => {
      await page.getByTitle('Sort', { exact: true }).click()
      await page.getByRole('link', { name: 'Oldest first' }).click()
    },
  )
  await expect(page).toHaveURL(/\?search=or-00&sort=createdAt$/)
  await makeTwoChanges(
    () => search.fill('or-004'),
    () => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Payments' }).click(),
  )
  await expect(page.locator(rowLinks)).toHaveCount(5)
  await expect(search).toHaveValue('')
})

test('in a window too narrow for the drawer, a click anywhere in a row opens the record’s page, even on elements with a tooltip', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await page.setViewportSize({ width: 1000, height: 800 })
  await shop.load('payments', makePayments(2))
  await page.goto(`${baseUrl}/payments`)
  await expectHydrated(page)
  const row = page.locator('tbody tr').last()
  // Playwright would not click the time if another element covered it.
  await row.getByTitle('2026-03-01T00:00:00.000Z').click()
  await expect(page.getByRole('heading', { name: 'OR-000' })).toBeVisible()
  await page.goBack()
  const box = await row.boundingBox()
  await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 3, (box?.y ?? 0) + 3)
  await expect(page.getByRole('heading', { name: 'OR-000' })).toBeVisible()
})

test('an empty list or page, an unknown filter and a deleted cursor each show a message, and links lead back to the first page', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const payments = makePayments(3, (index) => ({ status: index === 1 ? 'failed' : 'paid' }))
  await shop.load('payments', payments)
  await page.goto(`${baseUrl}/coupons?status=paid`)
  await expect(page.getByText('This link has an unknown filter', { exact: false })).toBeVisible()
  await page.getByRole('link', { name: 'Go to first page' }).click()
  await page.waitForURL('**/coupons')
  await expect(page.getByRole('heading', { name: 'No coupons yet' })).toBeVisible()
  await page.goto(`${baseUrl}/payments?status=paid&sort=createdAt&starting_after=${'0'.repeat(24)}`)
  await expect(page.getByText('The row before or after this page was deleted, or the link is invalid.')).toBeVisible()
  await page.getByRole('link', { name: 'Go to first page' }).click()
  // The link keeps the filter and the order.
  await expect(page.locator(rowLinks)).toHaveText(['OR-000', 'OR-002'])
  // The page after the oldest payment is empty, although the list is not.
  for (const [query, rows] of [
    ['', ['OR-002', 'OR-001', 'OR-000']],
    ['status=paid&', ['OR-002', 'OR-000']],
  ] as const) {
    await page.goto(`${baseUrl}/payments?${query}starting_after=${payments[0]?.id}`)
    await expect(page.getByRole('heading', { name: 'No payments on this page' })).toBeVisible()
    await page.getByRole('link', { name: 'Go to first page' }).click()
    await expect(page.locator(rowLinks)).toHaveText(rows)
  }
})

test('a seller can find the payments that failed last month, and today’s orders', async ({ signedIn: page, shop, baseUrl }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const [year = 0, month = 0] = new Date().toLocaleDateString('en-CA', { timeZone: 'Europe/Amsterdam' }).split('-').map(Number)
  const lastMonth = new Date(Date.UTC(year, month - 2, 15, 12))
  const orderAt = (createdAt: Date, members: Line) =>
    minimal('payments', { createdAt: createdAt.toISOString(), currency: 'eur', ...members })
  await shop.load('payments', [
    orderAt(lastMonth, {
      orderId: 'WANTED-1',
      status: 'failed',
      paymentError: 'Your card was declined.',
      amount: 1250,
      billing: { name: 'Xóchitl Núñez' },
      customerEmail: 'x@example.com',
    }),
    orderAt(lastMonth, { orderId: 'WANTED-2', status: 'failed', amount: 800, currency: 'jpy', customerEmail: 'y@example.com' }),
    orderAt(lastMonth, { orderId: 'PAID', status: 'paid', amount: 99 }),
    orderAt(new Date(Date.now() - 400 * 86_400_000), { orderId: 'OLD', status: 'failed', amount: 99 }),
    orderAt(new Date(Date.now() - 400 * 86_400_000), { orderId: 'PART', status: 'partially_paid', amount: 99 }),
    orderAt(new Date(Date.now() - 1000), { orderId: 'NOW', status: 'paid', amount: 4200 }),
    ...makePayments(20, () => ({ status: 'paid' })),
  ])
  await page.goto(`${baseUrl}/payments`)
  expect(
    await page.locator(rowLinks).evaluateAll((links) => links.filter((link) => link.getBoundingClientRect().bottom < 900).length),
  ).toBeGreaterThanOrEqual(19)
  await expect(page.getByRole('columnheader', { name: 'Failure reason' })).toHaveCount(0)
  const presets = page.getByRole('navigation', { name: 'By date' })
  const bounds = await presets.boundingBox()
  expect(bounds).not.toBeNull()
  await page.getByRole('link', { name: 'Failed 3' }).click()
  await expect(page).toHaveURL(/status=failed/)
  const reasons = page.getByRole('list', { name: 'Why payments failed' })
  await expect(reasons.getByRole('listitem')).toHaveText(['2 × No reason given', '1 × Your card was declined.'])
  await expect(page.getByRole('columnheader', { name: 'Failure reason' })).toBeVisible()
  await expect(page.getByTitle('Your card was declined.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save view' })).toBeVisible()
  expect(await presets.boundingBox()).toEqual(bounds)
  await page.getByRole('link', { name: 'Last month' }).click()
  await expect(page.locator(rowLinks)).toHaveText(['WANTED-2', 'WANTED-1'])
  await expect(page.getByText('2 payments · €12.50 · ¥800')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Date Last month' })).toBeVisible()
  await page.getByLabel('Search', { exact: true }).fill('nunez xochitl')
  await expect(page.locator(rowLinks)).toHaveText(['WANTED-1'])
  await page.getByLabel('Search', { exact: true }).fill('')
  await expect(page.locator(rowLinks)).toHaveCount(2)
  await page.getByLabel('Select WANTED-1').check()
  await expect(page.getByText('1 selected · €12.50')).toBeVisible()
  await page.getByRole('button', { name: 'Copy emails' }).click()
  await expect(page.getByRole('region', { name: 'Selected rows' })).toContainText(/Copied|Couldn’t copy/)
  const file = page.waitForEvent('download')
  let downloads = 0
  page.on('download', () => {
    downloads += 1
  })
  // `e` exports the selected rows once, even if it is held. If none are selected, it opens the menu that exports the table.
  for (let press = 0; press < 4; press += 1) await page.keyboard.down('e')
  await page.keyboard.up('e')
  expect(await (await (await file).createReadStream()).toArray().then((chunks) => Buffer.concat(chunks).toString())).toMatch(/WANTED-1/)

  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.locator(rowLinks).first().focus()
  await page.keyboard.press('e')
  await expect(page.getByRole('link', { name: 'All fields' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'All', exact: false }).first().click()
  await expect(page).not.toHaveURL(/status=/)
  await page.getByRole('link', { name: 'Today' }).click()
  await expect(page.locator(rowLinks)).toHaveText(['NOW'])
  await expect(page.getByText('1 payment · €42.00')).toBeVisible()
  expect(downloads).toBe(1)
  await page.getByRole('button', { name: 'Remove Date filter' }).click()
  await expect(page).not.toHaveURL(/period=/)
  // Statuses without their own tab share the “Other” tab, so that the counts add up.
  await page.getByRole('link', { name: 'Other 1' }).click()
  await expect(page.locator(rowLinks)).toHaveText(['PART'])
  await page.getByRole('link', { name: /^All \d/ }).click()
  await expect(page).not.toHaveURL(/status=/)
  await page.getByRole('link', { name: 'Amount' }).click()
  await expect(page.locator(rowLinks).first()).toHaveText('NOW')
  await expect(page.getByRole('columnheader', { name: 'Amount' })).toHaveAttribute('aria-sort', 'descending')
  await page.getByLabel('More actions').click()
  await expect(page.getByRole('button', { name: 'Copy API request' })).toBeDisabled()
})

test('every table, and one record per table, is accessible on desktop and phone, in light and dark mode', async ({
  page,
  shop,
  baseUrl,
}) => {
  const problems = watch(page, baseUrl)
  // Older records would appear only on later pages, which this test does not open.
  const listNewest = (resource: ResourceName) =>
    readFixture(resource)
      .toSorted((a, b) => (String(a.createdAt) < String(b.createdAt) ? 1 : -1))
      .slice(0, 25)
  for (const resource of Object.keys(resources) as ResourceName[]) await shop.load(resource, listNewest(resource))
  await startSession(page.context(), baseUrl, await shop.user('owner'))
  await page.goto(`${baseUrl}/overview`)
  for (const resource of Object.keys(resources) as ResourceName[]) {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: resources[resource].label.many, exact: true }).click()
    await page.waitForURL(`**/${resource}`)
    await expect(page.locator(rowLinks)).toHaveCount(20)
    await expectAccessibleInAllThemesAndSizes(page)
    await page.locator(rowLinks).first().click()
    await page.waitForURL(`**/${resource}/*`)
    await expect(page.getByRole('heading', { name: 'Timeline', exact: true })).toBeVisible()
    await expectAccessibleInAllThemesAndSizes(page)
    expect(await page.content()).not.toContain('CANARY')
  }
  expect(problems).toEqual([])
})

test('a saved view shows its record count, if known; it can be edited, and deleting it can be undone', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await shop.load(
    'payments',
    makePayments(3, (index) => ({ status: index === 0 ? 'paid' : 'failed' })),
  )
  await page.goto(`${baseUrl}/payments?status=failed`)
  await page.getByRole('button', { name: 'Save view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByLabel('Name').fill('Failed ones')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Saved “Failed ones”')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Edit view' })).toBeFocused()
  const view = page.getByRole('link', { name: /^Failed ones/ })
  await expect(view).toHaveText('Failed ones2')
  // The view's name and sharing can be changed.
  const edit = page.getByRole('dialog', { name: 'Edit view' })
  const editView = async (oldName: string, name: string, isShared: boolean, tab = page) => {
    const dialog = tab.getByRole('dialog', { name: 'Edit view' })
    await tab.getByRole('button', { name: 'Edit view' }).click()
    await expect(dialog.getByLabel('Name')).toHaveValue(oldName)
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByLabel('Share with everyone in the shop').setChecked(isShared)
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(dialog).toHaveCount(0)
    // The page may be refreshed after the dialog has closed.
    await expect(tab.locator('nav a', { hasText: name })).toBeAttached()
  }
  await editView('Failed ones', 'All failures', true)
  await expect(page.getByRole('link', { name: /^All failures/ })).toHaveText('All failures2')
  await expect(page.getByRole('button', { name: 'Edit view' })).toBeFocused()
  await page.getByRole('button', { name: 'Edit view' }).click()
  await expect(edit.getByLabel('Share with everyone in the shop')).toBeChecked()
  await page.keyboard.press('Escape')
  await expect(edit).toHaveCount(0)
  await editView('All failures', 'Failed ones', false)
  // Saving does not undo a change from another tab, even if the page has been refreshed since the dialog was opened.
  await page.getByRole('button', { name: 'Edit view' }).click()
  await expect(edit.getByLabel('Name')).toHaveValue('Failed ones')
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  await editView('Failed ones', 'Failed for all', true, tab)
  await tab.close()
  // Toggling the sidebar refreshes the page. Click its button from a script, because the dialog covers it.
  const toggleSidebar = () => page.locator('#collapse').evaluate((button) => (button as HTMLButtonElement).click())
  await toggleSidebar()
  await expect(page.locator('nav a', { hasText: 'Failed for all' })).toBeAttached()
  await toggleSidebar()
  await edit.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(edit).toHaveCount(0)
  await page.reload()
  await page.getByRole('button', { name: 'Edit view' }).click()
  await expect(edit.getByLabel('Share with everyone in the shop')).toBeChecked()
  await page.keyboard.press('Escape')
  await expect(edit).toHaveCount(0)
  await editView('Failed for all', 'Failed ones', false)
  await page.goto(`${baseUrl}/overview`)
  await expect(view).toHaveText('Failed ones2')
  await view.click()
  await expect(view).toHaveAttribute('aria-current', 'page')
  await expect(page.getByRole('group', { name: 'Saved views' }).getByRole('link')).toHaveCount(1)
  await page.goto(`${baseUrl}/payments?search=x&status=failed`)
  await expect(view).not.toHaveAttribute('aria-current')
  // Rows per page are not part of a view.
  await page.goto(`${baseUrl}/payments?limit=50&status=failed`)
  await expect(view).toHaveAttribute('aria-current', 'page')
  await page.getByRole('button', { name: 'Edit view' }).click()
  await edit.getByRole('button', { name: 'Delete view' }).click()
  // A message stays visible while the pointer is over it.
  await page.getByRole('button', { name: 'Undo' }).hover()
  await expect(view).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Save view' })).toBeFocused()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(view).toHaveText('Failed ones2')
  // Replace the response in the page, because intercepting requests would turn off the browser's cache.
  await addScript(page, () => {
    const { fetch } = window
    window.fetch = async (input, init) => {
      if (!String(input).endsWith('/saved-views/counts')) return fetch(input, init)
      document.documentElement.dataset.counted = 'true'
      return Response.json({ counts: {} })
    }
  })
  await page.goto(`${baseUrl}/payments`)
  await expect(page.locator('html[data-counted]')).toBeAttached()
  await expect(view).toHaveText('Failed ones')
})

test('if the code that counts the records of saved views cannot be loaded, the page stays usable', async ({ page, shop, baseUrl }) => {
  await startSession(page.context(), baseUrl, await shop.user('owner'))
  await page.goto(`${baseUrl}/payments?status=failed`)
  await page.getByRole('button', { name: 'Save view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByLabel('Name').fill('Failed ones')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Edit view' })).toBeVisible()
  let aborted = 0
  await page.route('**/_next/static/chunks/*.js', async (route) => {
    const response = await route.fetch()
    if (!(await response.text()).includes('/saved-views/counts')) return route.fulfill({ response })
    await route.abort()
    aborted += 1
  })
  await page.goto(`${baseUrl}/payments`)
  await expect.poll(() => aborted).toBeGreaterThan(0)
  await page.getByRole('link', { name: 'Failed ones' }).click()
  await page.waitForURL('**/payments?status=failed')
  await expect(page.getByRole('heading', { name: 'Payments', exact: true })).toBeVisible()
})

test('a font that loads late does not shift the layout', async ({ signedIn: page, shop, baseUrl }) => {
  await shop.load('payments', makePayments(30))
  await page.route('**/*.woff2', async (route) => {
    await page.locator(rowLinks).first().waitFor()
    await route.continue()
  })
  await addScript(page, () => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) document.documentElement.dataset.shift = JSON.stringify(entry)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(`${baseUrl}/payments`, { waitUntil: 'networkidle' })
  expect(await page.evaluate(() => document.fonts.ready.then((fonts) => [...fonts].map(({ display }) => display)))).toEqual([
    'optional',
    'optional',
  ])
  await expect(page.locator('html[data-shift]')).toHaveCount(0)
})

test('a table page loads at most 150 KiB of gzipped script, and does not prefetch other pages', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await shop.load('payments', makePayments(3))
  const scripts: Promise<number>[] = []
  const measure = (response: Response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.body().then((body) => gzipSync(body).length))
  }
  const prefetched: string[] = []
  page.on('request', (request) => {
    if (request.headers()['next-router-prefetch'] !== undefined) prefetched.push(request.url())
  })
  // If the page opens under the mouse pointer, the browser fires a pointermove event, which would load the palette’s script.
  await addScript(page, () => window.addEventListener('pointermove', (event) => event.stopImmediatePropagation(), true))
  page.on('response', measure)
  await page.goto(`${baseUrl}/payments`, { waitUntil: 'networkidle' })
  page.off('response', measure)
  const bytes = (await Promise.all(scripts)).reduce((sum, length) => sum + length, 0)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThanOrEqual(150 * 1024)
  expect(prefetched).toEqual([])
})

/** The overview and the theme switch, in Chromium. */
import { newObjectId } from '@/lib/core/object-id'
import { minimal } from '@/testing/seller'
import { expect, expectAccessibleInEachLook, type Shop, signIn, test, watch } from '../support/dashboard'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** Loads orders in two currencies, a named page, a refund, a subscription, and a checked-in guest. */
async function fill(shop: Shop): Promise<void> {
  const pageId = newObjectId()
  const order = (given: object) => minimal('payments', { currency: 'eur', pageId, ...given })
  await shop.load('pages', [minimal('pages', { id: pageId, name: 'Lantern Night <b>&' })])
  await shop.load('payments', [
    order({ amount: 123_456, createdAt: daysAgo(1) }),
    order({ amount: 50_000, createdAt: daysAgo(40) }),
    order({ amount: 7000, currency: 'jpy', createdAt: daysAgo(2) }),
    order({ amount: 900, status: 'refunded', createdAt: daysAgo(3) }),
    order({ amount: 999_900, livemode: false, createdAt: daysAgo(1) }),
  ])
  await shop.load('subscriptions', [minimal('subscriptions', { status: 'active', createdAt: daysAgo(2) })])
  await shop.load('tickets', [minimal('tickets', { qrCode: 'overview-guest', pageId }), minimal('tickets', { pageId })])
  expect((await shop.validate('overview-guest')).json.success).toBe(true)
}

test('shows revenue by currency compared with the previous period, and today’s check-ins', async ({ signedIn: page, shop, baseUrl }) => {
  await fill(shop)
  await page.goto(`${baseUrl}/overview`)
  const eur = page.getByRole('region', { name: 'Revenue EUR' })
  await expect(eur).toContainText('€1,234.56')
  await expect(eur).toContainText('▲ up 147%')
  await expect(eur).toContainText('vs €500.00 previous period')
  await expect(eur.getByRole('link', { name: 'Lantern Night <b>&' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Revenue JPY' })).toContainText('¥7,000')
  await expect(page.getByText('€9,999')).toHaveCount(0)
  for (const [term, value] of [
    ['Orders', '2'],
    ['Refunds', '1'],
    ['Active subscriptions', '1'],
  ] as const) {
    await expect(
      page
        .locator('dl > div')
        .filter({ has: page.getByText(term, { exact: true }) })
        .locator('dd > span')
        .first(),
    ).toHaveText(value)
  }
  const door = page.getByRole('region', { name: 'Check-in today' })
  await expect(door).toContainText('1 checked in')
  await expect(door).toContainText('1/2 inside')

  // The chart's figures as a table.
  await eur.getByText('View as table').click()
  await expect(eur.getByRole('row')).toHaveCount(31)
  await expect(eur.getByRole('cell', { name: '€1,234.56' })).toBeVisible()

  await page.getByRole('link', { name: 'Hide table' }).click()
  await expect(eur.getByRole('row')).toHaveCount(0)

  await page.getByRole('link', { name: '90 days' }).click()
  await page.waitForURL('**/overview?days=90')
  await expect(page.getByRole('region', { name: 'Revenue EUR' })).toContainText('€1,734.56')
})

test('an empty shop says so', async ({ signedIn: page, baseUrl }) => {
  await page.goto(`${baseUrl}/overview`)
  await expect(page.getByRole('heading', { name: 'No orders in this period' })).toBeVisible()
})

test('the theme cycles, survives a reload and applies to this browser only', async ({ signedIn: page, baseUrl }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${baseUrl}/overview`)
  const light = await background()
  await page.getByRole('button', { name: 'Theme: System' }).click()
  await page.getByRole('button', { name: 'Theme: Light' }).click()
  await expect(page.getByRole('button', { name: 'Theme: Dark' })).toBeVisible()
  const dark = await background()
  expect(dark).not.toBe(light)
  await page.reload()
  expect(await background()).toBe(dark)
  await page.getByRole('button', { name: 'Theme: Dark' }).click()
  await expect(page.getByRole('button', { name: 'Theme: System' })).toBeVisible()
  expect(await background()).toBe(light)
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await background()).toBe(dark)
})

test('is accessible on desktop and phone, in light and dark', async ({ page, shop, baseUrl }) => {
  await fill(shop)
  const complaints = watch(page, baseUrl)
  await signIn(page, `${baseUrl}/overview`, await shop.user('staff'))
  await expect(page.getByRole('region', { name: 'Revenue EUR' })).toBeVisible()
  await expectAccessibleInEachLook(page)
  expect(complaints).toEqual([])
})

/** Tests choosing a table's columns with the keyboard or the mouse. The server stores the columns per user and list. */
import { minimal } from '@/testing/seller'
import { expect, expectAccessibleInAllThemesAndSizes, newAddress, type Page, signIn, startSession, test, watch } from '../support/dashboard'

const header = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: true })
const columnItem = (page: Page, name: string) => page.getByRole('menuitemcheckbox', { name, exact: true })

/** Opens the column menu. Retries, because clicks are ignored until the page is hydrated. */
async function openMenu(page: Page): Promise<void> {
  await expect(async () => {
    if ((await page.getByRole('menu').count()) === 0) await page.getByRole('button', { name: 'Columns' }).click()
    await expect(page.getByRole('menu')).toBeVisible({ timeout: 1000 })
  }).toPass()
}

const waitForSave = (page: Page) =>
  page.waitForResponse((response) => response.url().endsWith('/payments/columns') && response.request().method() === 'POST')

/** Shows or hides a column, and expects the choice to be saved. */
async function toggleColumn(page: Page, name: string): Promise<void> {
  const response = waitForSave(page)
  await columnItem(page, name).click()
  expect((await response).status()).toBe(204)
}

test('changed columns appear immediately, on all of the user’s devices, and in the server’s HTML', async ({
  page: laptop,
  other: phone,
  browser,
  shop,
  baseUrl,
}) => {
  await shop.load('payments', [minimal('payments', { billing: { name: 'Ada Lovelace' } }), minimal('payments')])
  await shop.load('bookings', [minimal('bookings')])
  const owner = await shop.user('owner')
  const colleague = await browser.newPage({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })
  for (const page of [laptop, phone]) await signIn(page, `${baseUrl}/payments`, owner)
  await signIn(colleague, `${baseUrl}/payments`, await shop.user('staff'))
  await expect(header(laptop, 'Name')).toHaveCount(0)
  await openMenu(laptop)
  await expect(columnItem(laptop, 'Order')).toHaveCount(0)
  await toggleColumn(laptop, 'Name')
  await expect(header(laptop, 'Name')).toBeVisible()
  await toggleColumn(laptop, 'Customer')
  await expect(header(laptop, 'Customer')).toHaveCount(0)

  await phone.reload()
  await expect(header(phone, 'Name')).toBeVisible()
  await expect(header(phone, 'Customer')).toHaveCount(0)
  const html = await (await phone.request.get(`${baseUrl}/payments`)).text()
  expect(html).toMatch(/<th [^>]*>Name<\/th>/)
  expect(html).not.toMatch(/<th [^>]*>(<a [^>]*>)?Customer</)
  await phone.goto(`${baseUrl}/bookings`)
  await expect(header(phone, 'Customer')).toBeVisible()
  await colleague.reload()
  await expect(header(colleague, 'Customer')).toBeVisible()
  await colleague.close()
})

test('the column menu can be opened, used and closed by keyboard, and going back keeps the columns', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await shop.load('payments', [minimal('payments')])
  await page.goto(`${baseUrl}/payments`)
  await openMenu(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Columns' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menu')).toBeVisible()
  await expect(columnItem(page, 'Customer')).toBeFocused()
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('ArrowDown')
  await expect(columnItem(page, 'Status')).toBeFocused()
  const response = waitForSave(page)
  await page.keyboard.press('Enter')
  await response
  await expect(columnItem(page, 'Status')).not.toBeChecked()
  await expect(header(page, 'Status')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.locator('a[data-row]').first().click()
  await page.waitForURL('**/payments/*')
  await page.goBack()
  await expect(header(page, 'Amount')).toBeVisible()
  await expect(header(page, 'Status')).toHaveCount(0)
})

test('two quick changes to a column are stored in order', async ({ signedIn: page, shop, baseUrl }) => {
  await shop.load('payments', [minimal('payments')])
  await page.goto(`${baseUrl}/payments`)
  await openMenu(page)
  // Delay the first request until the second one has been answered, or for a second if the second one waits for the first.
  let [sent, answered] = [0, 0]
  page.on('response', (response) => {
    if (response.url().endsWith('/payments/columns')) answered += 1
  })
  await page.route('**/payments/columns', async (route) => {
    sent += 1
    const isFirst = sent === 1
    const until = Date.now() + 1000
    while (isFirst && answered === 0 && Date.now() < until) await page.waitForTimeout(20)
    await route.continue()
  })
  await columnItem(page, 'Name').click()
  await columnItem(page, 'Name').click()
  await expect.poll(() => answered).toBe(2)
  await page.unroute('**/payments/columns')
  await page.waitForLoadState('networkidle')
  await page.reload()
  await expect(header(page, 'Order')).toBeVisible()
  await expect(header(page, 'Name')).toHaveCount(0)
})

test('an error appears if the columns cannot be saved', async ({ page, shop, baseUrl, context }) => {
  await shop.load('payments', [minimal('payments')])
  await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
  await openMenu(page)
  await context.setOffline(true)
  await columnItem(page, 'Name').click()
  await expect(page.getByText('Couldn’t save your columns.', { exact: false })).toBeVisible()
  await context.setOffline(false)
  // Retry, because the first request after reconnecting may still fail.
  await expect(async () => {
    await columnItem(page, 'Updated').click()
    await expect(page.getByText('Couldn’t save your columns.', { exact: false })).toHaveCount(0, { timeout: 2000 })
  }).toPass()
})

test('if another user has signed in or the user has been signed out, a message says so instead of to try again', async ({
  page,
  shop,
  baseUrl,
  context,
}) => {
  await shop.load('payments', [minimal('payments')])
  const colleague = await shop.user('staff')
  await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
  await openMenu(page)
  const message = page.getByRole('menu').getByRole('status')
  await startSession(context, baseUrl, colleague)
  await columnItem(page, 'Name').click()
  await expect(message).toHaveText(`You are now signed in to Test as ${colleague}. Reload this page.`)
  await expect(columnItem(page, 'Name')).not.toBeChecked()
  await context.clearCookies()
  await columnItem(page, 'Name').click()
  await expect(message).toHaveText('You have been signed out. Sign in again.')
})

test('columns are saved only if the request is from our own pages, the columns can be hidden, and the user can open the list', async ({
  signedIn: page,
  shop,
  browser,
  baseUrl,
}) => {
  const url = `${baseUrl}/payments/columns`
  const send = (client: Pick<Page, 'request'>, shown: unknown, origin = baseUrl) =>
    client.request.post(url, { data: { shown }, headers: { Origin: origin } })
  expect((await send(page, { status: false })).status()).toBe(204)
  expect((await send(page, { status: false }, 'https://elsewhere.example')).status()).toBe(403)
  expect((await send(page, { nonsense: true })).status()).toBe(400)
  expect((await send(page, { orderId: false })).status()).toBe(400)
  expect((await send(page, { status: 'no' })).status()).toBe(400)
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })
  expect((await send(context, { status: false })).status()).toBe(401)
  await startSession(context, baseUrl, await shop.user('door'))
  expect((await send(context, { status: false })).status()).toBe(403)
  await context.close()
})

test('the column menu is accessible on desktop and phone, in light and dark mode', async ({ page, shop, baseUrl }) => {
  const problems = watch(page, baseUrl)
  await shop.load('payments', [minimal('payments')])
  await signIn(page, `${baseUrl}/payments`, await shop.user('owner'))
  await openMenu(page)
  await expectAccessibleInAllThemesAndSizes(page)
  expect(problems).toEqual([])
})

/** Tests using a table: filters, keyboard and pointer, row heights, columns, new records, phones and printing. */
import { type Line, minimal } from '@/testing/seller'
import { expect, openWithoutTime, type Page, startSession, test } from '../support/dashboard'
import { expectHydrated, rowLinks } from '../support/tables'

const order = (index: number, members: Line = {}) =>
  minimal('payments', {
    orderId: `OR-${String(index).padStart(2, '0')}`,
    amount: 100 * index,
    currency: 'eur',
    createdAt: new Date(Date.UTC(2026, 2, 1, 0, index)).toISOString(),
    customerEmail: `guest${index}@example.com`,
    ...members,
  })
const orders = (count: number, getMembers: (index: number) => Line = () => ({})) =>
  Array.from({ length: count }, (_, index) => order(index, getMembers(index)))

/** Opens a list and waits for its rows, which appear after the page has loaded. */
async function openList(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await expect(page.locator(rowLinks).first()).toBeVisible()
}

test('a table can be filtered by status, amount, method and mode; each filter shows its value and can be removed separately', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const method = (name: string) => ({ paymentMethod: { method: name } })
  await shop.load('payments', [
    order(1, { status: 'failed', ...method('card') }),
    order(2, { status: 'refunded', ...method('ideal') }),
    order(3, { status: 'paid', ...method('ideal') }),
    order(4, { status: 'paid', livemode: false, ...method('card') }),
  ])
  await page.goto(`${baseUrl}/payments`)
  await expectHydrated(page)
  const rows = page.locator(rowLinks)
  const open = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).click()
    return page.getByRole('dialog', { name })
  }
  const remove = async (name: string) => {
    await page.getByRole('button', { name: `Remove ${name} filter` }).click()
    await expect(rows).toHaveCount(4)
  }
  const status = await open('Status')
  await status.getByLabel('Failed').check()
  await expect(rows).toHaveText(['OR-01'])
  await status.getByLabel('Refunded').check()
  await expect(rows).toHaveText(['OR-02', 'OR-01'])
  await expect(page.getByText('2 payments · €3.00')).toBeVisible()
  await page.keyboard.press('Escape')
  await remove('Status')

  const amount = await open('Amount')
  // A comma is accepted as a decimal separator, unless it could be a thousands separator.
  await amount.getByLabel('At least').fill('1,000')
  await expect(amount.locator('input:invalid')).toHaveCount(1)
  await amount.getByLabel('At least').fill('1,50')
  await amount.getByLabel('At most').fill('3')
  await amount.getByRole('button', { name: 'Apply' }).click()
  await expect(rows).toHaveText(['OR-03', 'OR-02'])
  await expect(page.getByRole('button', { name: 'Amount 1.5 – 3' })).toBeVisible()
  await remove('Amount')

  const methods = await open('Method')
  await methods.getByLabel('ideal (2)').check()
  await expect(rows).toHaveText(['OR-03', 'OR-02'])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Method ideal' })).toBeVisible()
  await remove('Method')

  const mode = await open('Live/test')
  await mode.getByLabel('Test').check()
  await expect(rows).toHaveText(['OR-04'])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Live/test Test' })).toBeVisible()
  await remove('Live/test')

  await page.getByTitle('Sort').click()
  await page.getByRole('link', { name: 'Amount: lowest first' }).click()
  await expect(page).toHaveURL(/sort=amount.*currency=EUR|currency=EUR.*sort=amount/)
  await expect(rows).toHaveText(['OR-01', 'OR-02', 'OR-03', 'OR-04'])
})

test('ticket statuses, a column header and the label of deleted coupons are not cut off', async ({ signedIn: page, shop, baseUrl }) => {
  await shop.load('tickets', [minimal('tickets', { ticketShortId: 'LH1', qrCode: shop.seller, customerName: 'Ada Lovelace' })])
  await shop.load('coupons', [minimal('coupons', { code: 'WINTER2026', label: 'Winter', deleted: true })])
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 })
    for (const [path, cell] of [
      ['tickets', page.getByRole('cell', { name: 'Not checked in' })],
      ['tickets', page.getByRole('columnheader', { name: 'Guest' })],
      ['coupons', page.getByRole('cell', { name: /^WINTER2026.*deleted$/ })],
    ] as const) {
      await openList(page, `${baseUrl}/${path}`)
      const [needed, available] = await cell.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth] as const)
      expect(needed, `${path} at ${width} px`).toBeLessThanOrEqual(available)
    }
  }
})

test('a filter, the column menu and the drawer open as soon as their code is loaded', async ({ withClock: page, shop, baseUrl }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await shop.load('payments', orders(2))
  for (const [open, opened] of [
    [page.getByRole('button', { name: 'Status', exact: true }), page.getByRole('dialog', { name: 'Status' })],
    [page.getByRole('button', { name: 'Columns' }), page.getByRole('menuitemcheckbox').first()],
    [page.getByRole('row', { name: 'OR-01' }), page.locator('[data-peek]')],
  ] as const) {
    await expect(async () => {
      await openWithoutTime(page, `${baseUrl}/payments`, page.locator(rowLinks).first())
      await open.click()
      await expect(opened).toBeVisible({ timeout: 3000 })
    }).toPass()
  }
})

test('columns keep their position under every filter, the header stays in view, the beginning of a name and the whole amount are visible, and the row height is remembered', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const longName = 'A name that is much longer than the column of names can show on one line of any screen'
  const longArabicName = 'محمد بن عبد الله آل سعود '.repeat(4).trim()
  const special: Record<number, Record<string, unknown>> = {
    3: { status: 'partial_refund', amount: 123_456_789, currency: 'kwd', billing: { name: longName } },
    4: { status: 'failed', billing: { name: longArabicName } },
  }
  await shop.load(
    'payments',
    orders(60, (index) => special[index] ?? {}),
  )
  const readColumns = () =>
    page.getByRole('columnheader').evaluateAll((headers) => headers.map((header) => Math.round(header.getBoundingClientRect().left)))
  await openList(page, `${baseUrl}/payments?limit=100`)
  const before = await readColumns()
  expect(before.length).toBeGreaterThan(4)
  await expectHydrated(page)
  await page.mouse.wheel(0, 600)
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(500)
  expect((await page.getByRole('columnheader', { name: 'Amount' }).boundingBox())?.y).toBeLessThan(2)
  const measureHeight = async () => Math.round((await page.locator('tbody tr').first().boundingBox())?.height ?? 0)
  expect(await measureHeight()).toBe(36)
  await page.evaluate(() => window.scrollTo(0, 0))
  await page.getByLabel('More actions').click()
  await page.getByRole('button', { name: 'Use taller rows' }).click()
  await expect.poll(measureHeight).toBe(44)
  for (const query of ['status=partial_refund', 'sort=customer']) {
    await openList(page, `${baseUrl}/payments?${query}`)
    expect(await readColumns(), query).toEqual(before)
    expect(await measureHeight(), query).toBe(44)
  }
  await openList(page, `${baseUrl}/payments?status=failed`)
  const name = page.getByText(longArabicName)
  expect(await name.evaluate((element) => [element.scrollWidth > element.clientWidth, getComputedStyle(element).direction])).toEqual([
    true,
    'rtl',
  ])
  await openList(page, `${baseUrl}/payments?status=partial_refund`)
  for (const width of [1440, 768]) {
    await page.setViewportSize({ width, height: 900 })
    const amount = page.getByRole('cell', { name: 'KWD 123,456.789', exact: true })
    expect(await amount.evaluate((cell) => cell.scrollWidth - cell.clientWidth), String(width)).toBe(0)
  }
})

test('a notice shows how many records have arrived; no row moves or loses its selection until the notice is clicked', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const lines = orders(20)
  await shop.load('payments', lines)
  await page.goto(`${baseUrl}/payments`)
  await expectHydrated(page)
  await page.getByLabel('Select OR-00').check()
  await page.getByLabel('Select OR-05').check()
  const bar = page.getByRole('region', { name: 'Selected rows' })
  await expect(bar).toContainText('2 selected · €5.00')
  await shop.load('payments', [order(30), order(31), order(32)])
  // The page polls every 20 s, and when it becomes visible.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  const notice = page.getByRole('button', { name: '3 new payments' })
  await expect(notice).toBeVisible()
  const shown = lines.map(({ orderId }) => String(orderId)).reverse()
  await expect(page.locator(rowLinks)).toHaveText(shown)
  await expect(bar).toContainText('2 selected · €5.00')
  await notice.click()
  await expect(page.locator(rowLinks)).toHaveText(['OR-32', 'OR-31', 'OR-30', ...shown.slice(0, 17)])
  await expect(notice).toHaveCount(0)
  // A row that moves to the next page is no longer selected.
  await expect(bar).toContainText('1 selected · €5.00')
})

test('cells pasted from a spreadsheet, separated by tabs, can be searched for', async ({ signedIn: page, shop, baseUrl }) => {
  const zoe = minimal('payments', { orderId: 'OR-9', billing: { name: 'Zoë Haddad' }, customerEmail: 'zoe@example.com' })
  await shop.load('payments', [zoe, ...orders(2)])
  await page.goto(`${baseUrl}/payments`)
  await expectHydrated(page)
  const cells = 'Zoë Haddad\tzoe@example.com'
  await page.getByLabel('Search', { exact: true }).fill(cells)
  await expect(page.locator(rowLinks)).toHaveText(['OR-9'])
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill(cells)
  await expect(page.getByRole('option', { name: 'OR-9' })).toBeVisible()
})

test('a tap next to a checkbox selects the row instead of opening its record', async ({ signedIn: page, shop, baseUrl }) => {
  await page.setViewportSize({ width: 768, height: 1024 })
  await shop.load('payments', orders(2))
  await openList(page, `${baseUrl}/payments`)
  await expectHydrated(page)
  const tapNextTo = async (name: string) => {
    const { x = 0, y = 0, width = 0, height = 0 } = (await page.getByLabel(name).boundingBox()) ?? {}
    await page.mouse.click(x + width / 2 + 11, y + height / 2 - 11)
  }
  await tapNextTo('Select OR-00')
  await expect(page.getByLabel('Select OR-00')).toBeChecked()
  await tapNextTo('Select all rows on this page')
  await expect(page.getByLabel('Select OR-01')).toBeChecked()
  // Phones show checkboxes only while rows are being selected.
  await page.setViewportSize({ width: 390, height: 844 })
  await openList(page, `${baseUrl}/payments`)
  await expectHydrated(page)
  await expect(page.getByLabel('Select OR-00')).toBeHidden()
  await page.getByLabel('More actions').click()
  const selectRows = page.getByLabel('Select rows')
  await selectRows.check()
  const target = page.locator('label', { has: page.getByLabel('Select OR-00') })
  const { width = 0, height = 0 } = (await target.boundingBox()) ?? {}
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
  await target.click({ position: { x: width - 4, y: 4 } })
  await expect(selectRows).toBeHidden()
  const bar = page.getByRole('region', { name: 'Selected rows' })
  await expect(bar).toContainText('1 selected')
  await expect(bar.getByRole('button', { name: 'Copy emails' })).toBeVisible()
  expect((await page.locator('tbody tr').first().boundingBox())?.height).toBe(64)
  const selectAll = page.locator('label', { hasText: 'Select all rows on this page' })
  const box = await selectAll.boundingBox()
  expect([box?.width, box?.height]).toEqual([356, 47])
  await selectAll.click()
  await expect(bar).toContainText('2 selected')
  await page.getByLabel('More actions').click()
  await selectRows.uncheck()
  await expect(page.getByLabel('Select OR-00')).toBeHidden()
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/payments')
})

test('`x` selects rows, and their IDs and emails can be copied', async ({ signedIn: page, shop, baseUrl, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const lines = orders(3, (index) => (index === 1 ? { status: 'partially_paid', amountPaid: 30 } : {}))
  await shop.load('payments', lines)
  await page.goto(`${baseUrl}/payments`)
  await expectHydrated(page)
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  const bar = page.getByRole('region', { name: 'Selected rows' })
  await expect(bar).toContainText('2 selected · €3.00 (€2.30 received)')
  const readClipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await bar.getByRole('button', { name: 'Copy IDs' }).click()
  await expect.poll(readClipboard).toBe([lines[2]?.id, lines[1]?.id].join('\n'))
  await bar.getByRole('button', { name: 'Copy emails' }).click()
  await expect.poll(readClipboard).toBe('guest2@example.com\nguest1@example.com')

  await expect(page.getByLabel('Select all rows on this page')).toBeChecked({ indeterminate: true })
  // Shortcuts also work while a checkbox has the focus.
  await page.getByLabel('Select OR-00').check()
  await expect(page.getByLabel('Select all rows on this page')).toBeChecked()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByLabel('Select OR-00').focus()
  await page.keyboard.press('/')
  await expect(page.getByLabel('Search', { exact: true })).toBeFocused()
  // The bar covers neither the sums below the table nor the pager.
  await page.setViewportSize({ width: 1280, height: 400 })
  const pager = await page.getByRole('navigation', { name: 'Pagination' }).boundingBox()
  const above = await bar.boundingBox()
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(pager?.y ?? 0)
  // The bar is between the sidebar and the drawer.
  await page.locator(rowLinks).first().focus()
  await page.keyboard.press('o')
  const drawer = await page.locator('[data-peek]').boundingBox()
  const { x = 0, width = 0 } = (await bar.boundingBox()) ?? {}
  expect(x).toBeGreaterThan(224)
  expect(x + width).toBeLessThan(drawer?.x ?? 0)
})

test('the customer’s name opens the customer, and the rest of the row opens its record', async ({ signedIn: page, shop, baseUrl }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const ada = minimal('customers', { email: 'ada@example.com', name: 'Ada Lovelace' })
  await shop.load('customers', [ada])
  const [known, unknown] = [
    order(1, { customerId: ada.id, billing: { name: 'Ada Lovelace' } }),
    order(2, { customerId: 'elsewhere', billing: { name: 'Grace Hopper' } }),
  ]
  await shop.load('payments', [known, unknown])
  await openList(page, `${baseUrl}/payments`)
  const name = page.getByRole('link', { name: 'Ada Lovelace' })
  await expect(page.getByRole('link', { name: 'Grace Hopper' })).toHaveCount(0)
  await expect(name).toHaveAttribute('href', `/customers/${ada.id}`)
  await expectHydrated(page)
  await page.keyboard.press('j')
  await page.keyboard.press('Tab')
  await expect(name).toBeFocused()
  await page.keyboard.press('k')
  await expect(page.locator(rowLinks).first()).toBeFocused()
  await page.getByRole('row', { name: 'OR-01' }).click()
  await expect(page.locator('[data-peek]')).toContainText('OR-01')
  await page.keyboard.press('Escape')
  const [tab] = await Promise.all([page.context().waitForEvent('page'), name.click({ modifiers: ['ControlOrMeta'] })])
  await tab.waitForURL(`**/customers/${ada.id}`)
  await tab.close()
  await page.evaluate(() => Object.assign(window, { isSameDocument: true }))
  await name.click()
  await page.waitForURL(`**/customers/${ada.id}`)
  expect(await page.evaluate(() => 'isSameDocument' in window)).toBe(true)
  // On a phone, the whole row opens its record.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${baseUrl}/payments`)
  await expect(name).toBeVisible()
  const box = await name.boundingBox()
  await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
  await page.waitForURL(`**/payments/${known.id}`)
})

test('on a phone, a row is 64 px high and has two lines: name and amount, then product, date and status', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const jazz = minimal('pages', { name: 'Late Jazz' })
  await shop.load('pages', [jazz])
  await shop.load(
    'payments',
    orders(20, () => ({ pageId: jazz.id, billing: { name: 'Ada Lovelace' } })),
  )
  await openList(page, `${baseUrl}/payments`)
  const row = page.locator('tbody tr').first()
  expect((await row.boundingBox())?.height).toBe(64)
  const measureY = async (text: string) => Math.round((await row.getByText(text).boundingBox())?.y ?? -1)
  const [first, second] = [await measureY('Ada Lovelace'), await measureY('Late Jazz')]
  expect(second - first).toBeGreaterThan(15)
  expect(Math.abs((await measureY('€19.00')) - first)).toBeLessThan(4)
  for (const text of ['Mar 1, 2026', 'Paid']) expect(Math.abs((await measureY(text)) - second)).toBeLessThan(4)
  // At least ten rows fit between the top bar and the bottom bar.
  await page.mouse.wheel(0, 500)
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(400)
  const visibleRows = await page
    .locator('tbody tr')
    .evaluateAll(
      (rows) => rows.map((element) => element.getBoundingClientRect()).filter(({ top, bottom }) => top >= 48 && bottom <= 844 - 56).length,
    )
  expect(visibleRows).toBeGreaterThanOrEqual(10)
})

test('each element that Tab reaches has a focus ring', async ({ signedIn: page, shop, baseUrl }) => {
  await shop.load('payments', orders(2))
  await page.goto(`${baseUrl}/payments`, { waitUntil: 'networkidle' })
  const seen = new Set<string>()
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab')
    const { name, outlines } = await page.evaluate(() => {
      const focused = document.activeElement
      // A row's link draws its focus ring around the whole row, using ::after.
      const styles = focused ? [getComputedStyle(focused), getComputedStyle(focused, '::after')] : []
      const rings = styles.filter(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2)
      return { name: `${focused?.tagName} ${focused?.textContent ?? ''}`.slice(0, 60), outlines: rings.length }
    })
    if (name.startsWith('BODY')) break
    expect(outlines, name).toBeGreaterThan(0)
    seen.add(name)
  }
  expect(seen.size).toBeGreaterThan(25)
})

test('the overview, a table and a record are printed with their figures, without controls, and with dark text', async ({
  browser,
  shop,
  baseUrl,
}) => {
  const payment = order(1, { status: 'failed', paymentError: 'Your card was declined.' })
  await shop.load('payments', [payment])
  const booking = minimal('bookings', { orderId: 'BK-01' })
  await shop.load('bookings', [booking])
  await shop.load('tickets', [minimal('tickets', { chargeId: booking.id, orderId: 'BK-01' })])
  // Use a separate context, because a page shared between tests cannot emulate print media a second time.
  const context = await browser.newContext({ colorScheme: 'dark' })
  const page = await context.newPage()
  await startSession(context, baseUrl, await shop.user('owner'))
  await page.emulateMedia({ media: 'print' })
  const controls = page.locator(':is(nav, search, button, input, textarea, summary, .button, .button-primary):visible')
  await page.goto(`${baseUrl}/overview`)
  await expect(page.getByText('Today’s revenue')).toBeVisible()
  await expect(controls).toHaveCount(0)
  await page.goto(`${baseUrl}/payments?status=failed`)
  await expect(page.getByRole('link', { name: 'OR-01' })).toBeVisible()
  await expect(page.getByText('€1.00').first()).toBeVisible()
  await expect(page.getByText('1–1 of 1')).toBeVisible()
  await expect(page.getByText('1 payment · €1.00')).toBeVisible()
  await expect(controls).toHaveCount(0)
  await page.goto(`${baseUrl}/payments/${payment.id}`)
  await expect(page.getByText('Payment failed — Your card was declined.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Timeline' })).toBeVisible()
  await expect(controls).toHaveCount(0)
  expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(27, 27, 26)')
  // A sticky header would cover content on each printed page after the first.
  expect(
    await page
      .locator('main > div')
      .first()
      .evaluate((header) => getComputedStyle(header).position),
  ).toBe('static')
  // The column of QR codes is printed only if a code is shown.
  await page.goto(`${baseUrl}/bookings/${booking.id}`)
  await expect(page.getByRole('columnheader', { name: 'Last scan' })).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'QR code' })).toHaveCount(0)
  await page
    .locator('details:has-text("Show QR code")')
    .first()
    .evaluate((details: HTMLDetailsElement) => details.toggleAttribute('open'))
  await expect(page.getByRole('columnheader', { name: 'QR code' })).toBeVisible()
  await context.close()
})

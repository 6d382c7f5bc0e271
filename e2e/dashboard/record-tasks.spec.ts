/** Tests finding out why a guest can't get in, what a coupon earns and what happened to an order, and viewing records in the drawer. */
import { errorCopy } from '@/app/copy/errors'
import { database } from '@/db/client'
import { lockWriters } from '@/lib/accounts/erasure-lock'
import { listAudit } from '@/lib/listing/list-audit'
import { importLines, type Line, makeSeller, minimal } from '@/testing/seller'
import {
  avoidMidnight,
  expect,
  expectAccessible,
  expectAccessibleInAllThemesAndSizes,
  expectEvents,
  holdRequests,
  requestPage,
  startSession,
  test,
} from '../support/dashboard'
import { expectHydrated } from '../support/tables'

test.beforeEach(avoidMidnight)

test('a ticket’s page shows why a guest can’t get in, and the guest’s details can be corrected there', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const customer = minimal('customers', { email: 'zoe@example.com', name: 'Zoë Haddad' })
  await shop.load('customers', [customer])
  const booking = minimal('bookings', {
    orderId: 'BK-7',
    customerId: customer.id,
    customerEmail: 'zoe@example.com',
    tickets: [{ name: 'Balcony', ticketTypeId: 't', quantity: 2 }],
  })
  const ticket = (ticketShortId: string, customerName: string, customerEmail: string) =>
    minimal('tickets', {
      ticketShortId,
      customerName,
      customerEmail,
      qrCode: `${ticketShortId} ${booking.id}`,
      chargeId: booking.id,
      orderId: 'BK-7',
      ticketTypeId: 't',
    })
  const [zoe, ada] = [ticket('LH1', 'Zoë Haddad', 'zoe@example.com'), ticket('LH2', 'Ada Lovelace', 'ada@example.com')]
  await shop.load('tickets', [zoe, ada])
  await shop.load('bookings', [booking])
  await shop.validate(String(zoe.qrCode))
  await shop.validate(String(zoe.qrCode))

  await page.goto(`${baseUrl}/overview`)
  // Each count of refused scans links to a list of those scans.
  const refusedScans = page.getByRole('row').filter({ hasText: 'Already in' })
  await page.getByRole('region', { name: 'Check-in today' }).getByRole('link', { name: '1 refused today' }).click()
  await expect(page.getByText(/^On \w{3} \d+, \d{4}, without an event\. Latest first\.$/)).toBeVisible()
  await expect(refusedScans).toContainText(/Zoë Haddad.*LH1 · BK-7/)
  await expectAccessibleInAllThemesAndSizes(page)
  await page.goto(`${baseUrl}/tickets/refused?date=2026-01-02&pageId=${'0'.repeat(24)}`)
  await expect(page.getByText(`On Jan 2, 2026, at ${'0'.repeat(24)}. Latest first.`)).toBeVisible()
  await expect(page.getByText('No refused scans match these filters')).toBeVisible()
  await page.getByRole('link', { name: 'All refused scans' }).click()
  await expect(refusedScans).toHaveCount(1)
  for (const query of ['date=yesterday', 'date=0000-01-01', 'pageId=x', 'starting_after=x'])
    expect((await requestPage(page, `${baseUrl}/tickets/refused?${query}`)).html, query).toContain('This link isn’t valid anymore')
  // A link with an invalid cursor keeps its filters.
  await page.goto(`${baseUrl}/tickets/refused?date=2026-01-02&starting_after=x`)
  await expect(page.getByText('This link isn’t valid anymore')).toBeVisible()
  await expect(page.getByText('On Jan 2, 2026. Latest first.')).toBeVisible()
  await page.getByRole('link', { name: 'Go to first page' }).click()
  await expect(page).toHaveURL(`${baseUrl}/tickets/refused?date=2026-01-02`)
  await page.goto(`${baseUrl}/overview`)
  await expect(page.getByRole('region', { name: 'Today' }).getByRole('link', { name: '1 refused scan' })).toHaveAttribute(
    'href',
    /^\/tickets\/refused\?date=/,
  )
  // The overview's tile leads to a table of today's guests, which can be filtered, sorted and exported like any other table.
  await page.getByRole('link', { name: /Checked in today/ }).click()
  await expect(page.locator('a[data-row]')).toHaveText(['LH1'])
  await expect(page.getByRole('cell', { name: 'Balcony' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove Check-in date filter' }).click()
  await expect(page.getByRole('link', { name: 'Not checked in 1' })).toBeVisible()
  await page.getByRole('link', { name: 'Guest', exact: true }).click()
  await expect(page.locator('a[data-row]')).toHaveText(['LH2', 'LH1'])
  await page.getByLabel('More actions').click()
  await expect(page.getByRole('button', { name: /^Copy API request ?The API can’t express this view/ })).toBeDisabled()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Not checked in 1' }).click()
  await expect(page.locator('a[data-row]')).toHaveText(['LH2'])
  const list = await page.request.get(`${baseUrl}/tickets/export?checkInStatus=CHECKEDIN&format=summary`)
  expect(await list.text()).toMatch(/^LH1,Zoë Haddad,.*,Balcony,paid,checked in,\d{4}-\d\d-\d\d,\d\d:\d\d,,BK-7,/m)

  // For a misspelled name, the correct one is suggested. A guest's name links to the customer if the guest made the booking.
  await expect(async () => {
    await page.goto(`${baseUrl}/tickets?search=Hadad`)
    await page.getByRole('link', { name: 'haddad', exact: true }).click({ timeout: 5_000 })
  }).toPass()
  await expect(page.getByRole('link', { name: 'Zoë Haddad' })).toHaveAttribute('href', `/customers/${customer.id}`)
  // A type that none of the event's tickets have is shown with its name, and can be removed.
  await page.goto(`${baseUrl}/tickets?ticketTypeId=t&pageId=${'0'.repeat(24)}`)
  const typeFilter = page.getByRole('dialog', { name: 'Type' })
  // Clicks are ignored until the page is hydrated.
  await expect(async () => {
    if ((await typeFilter.count()) === 0) await page.getByRole('button', { name: 'Type Balcony', exact: true }).click({ timeout: 5000 })
    await expect(typeFilter).toBeVisible({ timeout: 1000 })
  }).toPass()
  await typeFilter.getByRole('checkbox', { name: 'Balcony', exact: true }).click()
  await expect(page).toHaveURL(`${baseUrl}/tickets?pageId=${'0'.repeat(24)}`)
  await page.goto(`${baseUrl}/tickets`)
  await expect(page.getByRole('link', { name: 'Refused scans' })).toHaveAttribute('href', '/tickets/refused')
  await expect(page.getByRole('link', { name: 'LH2' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Ada Lovelace' })).toHaveCount(0)

  await page.goto(`${baseUrl}/tickets?search=zoe`)
  await page.getByRole('link', { name: 'LH1' }).click()
  await expect(page.getByText(/^Already checked in: .*Another scan will be rejected\./)).toBeVisible()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await expect(timeline.getByRole('listitem').filter({ hasText: 'Refused: already checked in' })).toContainText('Test')
  await expect(timeline.getByText('Checked in', { exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'View customer' })).toHaveAttribute('href', `/customers/${customer.id}`)
  await expectAccessibleInAllThemesAndSizes(page)

  // A refund cancels the booking's tickets, as their pages and the booking's page show.
  await shop.load('bookings', [{ ...booking, status: 'refunded', updatedAt: '2026-04-05T06:07:08.009Z' }])
  await shop.validate(String(ada.qrCode))
  await page.getByRole('link', { name: 'View booking' }).click()
  await expect(page.getByText('Fully refunded')).toBeVisible()
  const rows = page.getByRole('region', { name: 'Tickets' }).locator('tbody tr')
  await expect(rows).toHaveText([/LH1.*Zoë Haddad.*Balcony.*Canceled/, /LH2.*Ada Lovelace.*Balcony.*Canceled/])
  await expect(timeline.getByText('Refused: canceled')).toBeVisible()
  await page.getByRole('link', { name: 'LH2' }).click()
  await expect(page.getByText(/^Ticket canceled — This ticket won’t be accepted at check-in/)).toBeVisible()

  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit ticket' })
  await dialog.getByLabel('Guest').fill('Ada King')
  await dialog.getByLabel('Email').fill('nobody')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Enter an email address such as ada@example.com, or leave this field empty.')).toBeVisible()
  await dialog.getByLabel('Email').fill('king@example.com')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Ticket saved')).toBeVisible()
  await expect(timeline.getByRole('listitem').filter({ hasText: 'Edited' })).toContainText('Customer name, Customer email')
  expect((await shop.call(`/v1/tickets/${ada.id}`)).json.data).toMatchObject({
    customerName: 'Ada King',
    customerEmail: 'king@example.com',
  })
  expect((await listAudit(shop.seller)).rows[0]).toMatchObject({ action: 'ticket.changed', subject: 'LH2' })
  await expectEvents(
    shop,
    ['ticket.updated', { id: ada.id, customerName: 'Ada King' }],
    ['ticket.checked_in', { id: zoe.id, customerName: 'Zoë Haddad' }],
  )

  // An imported check-in may have a date but no time.
  const checkIns = [{ method: 'QRSCAN', status: 'CHECKEDIN', checkedInAt: '2026-03-05' }]
  const grace = minimal('tickets', { qrCode: `LH3 ${booking.id}`, customerName: 'Grace Hopper', checkIns })
  await shop.load('tickets', [grace])
  await shop.validate(String(grace.qrCode))
  await page.goto(`${baseUrl}/tickets/refused`)
  await expect(page.getByRole('row').filter({ hasText: 'Grace Hopper' })).toContainText('checked in Mar 5, 2026')
})

test('a coupon’s page shows what the coupon earns; `[` and `]` move between orders, and an order can have notes', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const coupon = minimal('coupons', {
    code: 'SPRING',
    label: 'Spring',
    percentOff: 10,
    timesRedeemed: 12,
    maxRedemptions: 500,
    deleted: false,
  })
  const order = (orderId: string, second: number, members: object = {}) =>
    minimal('payments', {
      orderId,
      currency: 'eur',
      amount: 3600,
      productId: 'prod-1',
      productPrice: 2000,
      quantity: 2,
      coupon: { id: coupon.id, code: 'SPRING', discount: 400 },
      createdAt: `2026-03-01T12:00:0${second}.000Z`,
      ...members,
    })
  await shop.load('products', [{ id: 'prod-1', name: 'Club T-shirt' }])
  await shop.load('coupons', [coupon])
  const failed = order('OR-3', 3, { status: 'failed', paymentError: 'Your card was declined.', customerEmail: 'ada@example.com' })
  await shop.load('payments', [order('OR-1', 1), order('OR-2', 2, { customerEmail: 'ada@example.com' }), failed])

  await page.goto(`${baseUrl}/coupons`)
  // The drawer shows the coupon's sales too.
  await expectHydrated(page)
  await page
    .getByRole('row')
    .filter({ hasText: 'SPRING' })
    .click({ position: { x: 600, y: 10 } })
  const drawer = page.getByRole('complementary', { name: 'SPRING' })
  await expect(drawer.getByRole('region', { name: 'Sales with this coupon' })).toContainText(
    /Revenue€72\.00.*Discount given€8\.00.*Used in3 orders/s,
  )
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'SPRING' }).click()
  const sales = page.getByRole('region', { name: 'Sales with this coupon' })
  await expect(sales).toContainText(/Revenue€72\.00.*Discount given€8\.00.*Used in3 orders.*12 of 500 used.*488 left/s)
  await expect(sales.getByText(/^All orders and subscriptions, including failed, refunded and test ones\./)).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)

  await page.getByRole('link', { name: 'OR-3' }).click()
  await expect(page.getByText('Payment failed — Your card was declined.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Items' })).toContainText(/Club T-shirt.*2.*€20\.00.*€40\.00/)
  await expect(page.getByRole('region', { name: 'Payment breakdown' })).toContainText(/Items€40\.00.*Coupon SPRING-€4\.00.*Total€36\.00/)
  await expect(page.getByRole('region', { name: 'Customer' })).toContainText(/Lifetime value€36\.00.*OR-2/)
  await page.getByLabel('Add a note').fill('Will try another card')
  await page.getByRole('button', { name: 'Add note' }).click()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await expect(timeline.getByText('Will try another card')).toBeVisible()
  await expect(page.getByLabel('Add a note')).toHaveValue('')
  await expect(page.getByRole('button', { name: 'Add note' })).toBeFocused()
  await timeline.getByRole('button', { name: 'Delete note' }).click()
  // A message stays visible while the pointer is over it.
  await page.getByRole('button', { name: 'Undo' }).hover()
  await expect(timeline.getByText('Will try another card')).toBeHidden()
  await expect(timeline.getByRole('list', { name: 'Timeline' })).toBeFocused()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(timeline.getByText('Will try another card')).toBeVisible()
  await expect(page.getByText('Note restored')).toBeVisible()
  await timeline.getByRole('button', { name: 'Delete note' }).click()
  await expect(timeline.getByText('Will try another card')).toBeHidden()
  await expectAccessibleInAllThemesAndSizes(page)
  // Opening another page does not discard a note that has not been added.
  await page.getByLabel('Add a note').fill('Called the bank')
  await page.getByLabel('Add a note').blur()
  await page.keyboard.press(']')
  await expect(page.getByRole('heading', { name: 'OR-2' })).toBeVisible()
  await expect(page.getByLabel('Add a note')).toHaveValue('')
  await page.keyboard.press('[')
  await expect(page.getByRole('heading', { name: 'OR-3' })).toBeVisible()
  await expect(page.getByLabel('Add a note')).toHaveValue('Called the bank')
  const holdNote = () => holdRequests(page, ({ pathname }) => pathname === `/payments/${failed.id}`, 'POST')
  // Text typed while a note is being added stays in the field.
  const first = await holdNote()
  await page.getByRole('button', { name: 'Add note' }).click()
  await first.requested
  await page.getByLabel('Add a note').fill('Called again')
  first.release()
  await expect(timeline.getByText('Called the bank')).toBeVisible()
  await expect(page.getByLabel('Add a note')).toHaveValue('Called again')
  // An added note is no longer a draft, even if the user opens another page in the meantime.
  const second = await holdNote()
  await page.getByRole('button', { name: 'Add note' }).click()
  await second.requested
  await page.keyboard.press(']')
  second.release()
  await expect(page.getByRole('heading', { name: 'OR-2' })).toBeVisible()
  await page.keyboard.press('[')
  await expect(timeline.getByText('Called again')).toBeVisible()
  await expect(page.getByLabel('Add a note')).toHaveValue('')
  // The previous and next records are from the list in which the record was opened.
  await page.goto(`${baseUrl}/payments?status=paid`)
  await page.getByRole('link', { name: 'OR-2' }).click()
  await expect(page.getByRole('heading', { name: 'OR-2' })).toBeVisible()
  await page.keyboard.press(']')
  await expect(page.getByRole('heading', { name: 'OR-1' })).toBeVisible()
  await page.keyboard.press('[')
  await expect(page.getByRole('heading', { name: 'OR-2' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Newer payment' })).toHaveCount(0)
  // Escape closes an open menu before it leaves the record.
  await page.getByLabel('More actions').click()
  await expect(page.getByRole('button', { name: 'Copy link' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Copy link' })).toBeHidden()
  await expect(page.getByLabel('More actions')).toBeFocused()
  await page.evaluate(() => new Promise(requestAnimationFrame))
  await expect(page).toHaveURL(/\/payments\/\w+/)
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(`${baseUrl}/payments?status=paid`)
})

test('a click on a row opens the record in a drawer, which supports `j` and `k`, Enter, Escape, Back and a reload', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const order = (number: number, members: Line = {}) =>
    minimal('payments', {
      orderId: `OR-${number}`,
      amount: 1000 * number,
      currency: 'eur',
      createdAt: `2026-03-0${number}T12:00:00.000Z`,
      customerEmail: `guest${number}@example.com`,
      ...members,
    })
  await shop.load('payments', [order(1), order(2, { status: 'failed', paymentError: 'Your card was declined.' }), order(3)])
  await page.goto(`${baseUrl}/payments?sort=createdAt`)
  const drawer = page.getByRole('complementary', { name: /^OR-/ })
  const row = (number: number) => page.getByRole('row').filter({ hasText: `OR-${number}` })
  const link = (number: number) => page.getByRole('link', { name: `OR-${number}` })
  await expectHydrated(page)
  await row(1).click({ position: { x: 600, y: 10 } })
  await expect(drawer).toContainText('€10.00')
  await expect(drawer).toContainText('guest1@example.com')
  await page.keyboard.press('j')
  await expect(drawer).toContainText('€20.00')
  await expect(drawer).toContainText('Payment failed — Your card was declined.')
  await expect(link(2)).toHaveAttribute('aria-current', 'true')
  await expectAccessible(page)

  const foreign = minimal('payments')
  await importLines('payments', await makeSeller(), [foreign])
  expect((await page.request.get(`${baseUrl}/payments/${foreign.id}/peek`)).status()).toBe(404)

  // The URL contains the record's ID, so a reload shows the record again.
  await page.reload()
  await expect(drawer).toContainText('€20.00')
  await page.keyboard.press('k')
  await expect(drawer).toContainText('€10.00')
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await expect(link(1)).toBeFocused()
  expect(new URL(page.url()).search).toBe('?sort=createdAt')
  await page.keyboard.press('j')
  await expect(link(2)).toBeFocused()
  await page.keyboard.press('o')
  await expect(drawer).toContainText('€20.00')
  await page.goBack()
  await expect(drawer).toHaveCount(0)
  await expect(link(2)).toBeFocused()

  // A record that could not be loaded can be loaded again.
  await page.route('**/peek', (route) => route.fulfill({ body: '' }), { times: 1 })
  await page.keyboard.press('o')
  await page.locator('[data-peek]').getByRole('button', { name: 'Try again' }).click()
  await expect(drawer).toContainText('€20.00')

  // Focusing an element that the drawer covers closes the drawer.
  await page.getByRole('link', { name: '100', exact: true }).focus()
  await expect(drawer).toHaveCount(0)
  await link(2).focus()
  await page.keyboard.press('o')
  await expect(drawer).toContainText('€20.00')

  // The search and the filters can be used next to the drawer, and typed text stays in the field when the drawer closes.
  const search = page.getByLabel('Search', { exact: true })
  await search.focus()
  await page.keyboard.type('OR-2', { delay: 150 })
  await expect(page).toHaveURL(/search=OR-2/)
  await expect(page.locator('[data-peek]')).toHaveCount(0)
  await expect(search).toBeFocused()
  await expect(search).toHaveValue('OR-2')
  await link(2).focus()
  await page.keyboard.press('o')
  await expect(drawer).toContainText('€20.00')
  const choices = page.waitForResponse(/\/choices\?/)
  await page.getByRole('button', { name: 'Amount', exact: true }).click()
  expect((await choices).status()).toBe(200)

  // An invalid ID does not open the drawer.
  await page.goto(`${baseUrl}/payments?sort=createdAt&peek=..%2Ffind%3Fq%3Da%23`)
  await expectHydrated(page)
  await expect(page.locator('[data-peek]')).toHaveCount(0)
  await link(2).focus()
  await page.keyboard.press('o')
  await expect(drawer).toContainText('€20.00')
  await page.goBack()
  await expect(page.locator('[data-peek]')).toHaveCount(0)
  await expect(link(2)).toBeFocused()

  // Enter, the link's text and Ctrl-click open the page.
  await page.keyboard.press('o')
  await expect(drawer).toContainText('€20.00')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'OR-2' })).toBeVisible()
  await expect(page).toHaveURL(/\/payments\/[0-9a-f]{24}\?sort=createdAt$/)
  await page.goBack()
  await expect(drawer).toContainText('€20.00')
  await drawer.getByRole('button', { name: 'Close' }).click()
  const opened = page.context().waitForEvent('page')
  await row(3).click({ position: { x: 600, y: 10 }, modifiers: ['Control'] })
  const other = await opened
  await expect(other.getByRole('heading', { name: 'OR-3' })).toBeVisible()
  await other.close()
  await link(3).click()
  await expect(page.getByRole('heading', { name: 'OR-3' })).toBeVisible()

  // Opening and closing the drawer keeps the tab that is still loading.
  await page.goBack()
  await expectHydrated(page)
  await row(1).click({ position: { x: 600, y: 10 } })
  await expect(drawer).toContainText('€10.00')
  const { requested, release } = await holdRequests(page, (url) => url.searchParams.get('status') === 'failed')
  await page.getByRole('link', { name: 'Failed 1' }).click()
  await requested
  await row(1).click({ position: { x: 600, y: 10 } })
  await row(3).click({ position: { x: 600, y: 10 } })
  await expect(drawer).toContainText('€30.00')
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await row(2).click({ position: { x: 600, y: 10 } })
  await expect(drawer).toContainText('€20.00')
  release()
  await expect(page).toHaveURL(/[?&]status=failed/)
  await expect(page.locator('[data-row]')).toHaveText(['OR-2'])
  await expect(drawer).toHaveCount(0)
  // Afterward, the drawer's record is in the URL again.
  await row(2).click({ position: { x: 600, y: 10 } })
  await expect(page).toHaveURL(/[?&]peek=/)
  await page.goBack()
  await expect(drawer).toHaveCount(0)
  await expect(page).toHaveURL(/[?&]status=failed/)

  // A phone has no room for the drawer.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${baseUrl}/payments`)
  await row(2).click()
  await expect(page.getByRole('heading', { name: 'OR-2' })).toBeVisible()
})

test('a note that cannot be added while a customer is being erased keeps its text, and the page says why', async ({
  page,
  shop,
  baseUrl,
}) => {
  const payment = minimal('payments')
  await shop.load('payments', [payment])
  await startSession(page.context(), baseUrl, await shop.user('owner'))
  await page.goto(`${baseUrl}/payments/${payment.id}`)
  await page.getByLabel('Add a note').fill('Called the bank')
  await database().transaction(async (connection) => {
    await lockWriters(connection, shop.seller)
    await page.getByRole('button', { name: 'Add note' }).click()
    await expect(page.getByText(errorCopy.erasing)).toBeVisible()
  })
  await expect(page.getByLabel('Add a note')).toHaveValue('Called the bank')
  await page.getByRole('button', { name: 'Add note' }).click()
  await expect(page.getByRole('region', { name: 'Timeline' }).getByText('Called the bank')).toBeVisible()
})

/** Record pages: payments, subscriptions, bookings with their tickets, and customers. */
import { statusLabel } from '@/app/_components/cells'
import { listScalars } from '@/app/(dashboard)/[resource]/[id]/members'
import { makeView } from '@/app/(dashboard)/[resource]/[id]/view'
import { type ResourceName, resources } from '@/lib/catalog'
import { newObjectId } from '@/lib/core/object-id'
import { type Line, minimal, readFixture } from '@/testing/seller'
import {
  expect,
  expectAccessibleInAllThemesAndSizes,
  expectEvents,
  newAddress,
  type Page,
  requestPage,
  startSession,
  test,
  watch,
} from '../support/dashboard'
import { readQrCodes } from '../support/qr'
import { addFailedEvent } from '../support/stripe'

const NAMES = Object.keys(resources) as ResourceName[]

/** Picks a few records that together have all members, by repeatedly picking the one that adds the most missing members. */
function pickRecordsWithAllMembers(records: Line[]): Line[] {
  const members = new Map(records.map((record) => [record, new Set(listScalars(record).map(({ path }) => path.replace(/\d+/g, '')))]))
  const missingPaths = new Set([...members.values()].flatMap((paths) => [...paths]))
  const chosen: Line[] = []
  while (missingPaths.size > 0) {
    const countGain = (record: Line) => [...(members.get(record) ?? [])].filter((path) => missingPaths.has(path)).length
    const best = records.reduce((a, b) => (countGain(b) > countGain(a) ? b : a))
    for (const path of members.get(best) ?? []) missingPaths.delete(path)
    chosen.push(best)
  }
  return chosen
}

/** Returns the strings of a view that its record's page shows. */
const listTexts = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        ['key', 'kind', 'path', 'href', 'name', 'role', 'tone'].includes(name) ? [] : listTexts(inner),
      )
    : typeof value === 'string'
      ? [value]
      : []

// members.test.ts checks that a record's view includes every member of the record.
test('a record’s page shows every field in its view, and no secrets', async ({ signedIn: page, shop, baseUrl }) => {
  for (const name of NAMES) {
    const records = pickRecordsWithAllMembers(readFixture(name))
    await shop.load(name, records)
    for (const { gatewayPaymentIntentClientSecret: _, ...record } of records) {
      const response = await page.request.get(`${baseUrl}/${name}/${record.id}`)
      expect(response.status(), `${name}/${record.id}`).toBe(200)
      const html = await response.text()
      expect(html).not.toContain('CANARY')
      const pageText = await page.evaluate((source) => {
        const document = new DOMParser().parseFromString(source, 'text/html')
        const main = document.querySelector('main')
        for (const raw of main?.querySelectorAll('pre, script') ?? []) raw.remove()
        // Separate the text of adjacent elements.
        for (const part of main?.querySelectorAll('span, dt, dd, td, a, time, h1') ?? []) part.append(' ')
        const instants = [...(main?.querySelectorAll('time') ?? [])].map((time) => time.dateTime)
        return `${main?.textContent} ${instants.join(' ')}`.replace(/\s+/g, ' ')
      }, html)
      const currency = typeof record.currency === 'string' ? record.currency : undefined
      const context = {
        timeZone: 'Europe/Amsterdam',
        currency,
        pageNames: new Map<string, string>(),
        productNames: new Map<string, string>(),
      }
      const { status, ...view } = makeView(name, { ...record, sellerId: shop.seller }, context)
      const texts = [...listTexts(view), ...(status ? [statusLabel(status)] : [])].map((text) => text.replace(/\s+/g, ' ').trim())
      expect(
        texts.filter((text) => !pageText.includes(text)),
        `${name}/${record.id}`,
      ).toEqual([])
    }
  }
})

/** Locates a section of a record's page. */
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('a payment shows its timeline, customer, items and payment breakdown, and a button copies its gateway ID', async ({
  signedIn: page,
  shop,
  baseUrl,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const concert = minimal('pages', { name: 'Gift cards' })
  const payment = minimal('payments', {
    orderId: 'OR-1',
    pageId: concert.id,
    customerEmail: 'ada@example.com',
    currency: 'eur',
    amount: 5000,
    amountPaid: 4000,
    amountDue: 1000,
    amountUsd: 5400,
    status: 'partially_paid',
    billing: {
      name: 'Ada Lovelace',
      companyName: 'Engines',
      phone: '+31 6 1',
      address: { line1: 'Quay 1', postalCode: '1011', city: 'Amsterdam', country: 'NL' },
    },
    shipping: { name: 'Charles', address: { line1: 'Street 2', city: 'London' } },
    productId: 'prod-1',
    quantity: 2,
    productPrice: 2000,
    discountedFromPrice: 2500,
    variants: [
      {
        name: 'Size',
        selectedOptions: [{ optionName: 'Large', quantity: 2, additionalChargeAmount: 300, originalAdditionalChargeAmount: 400 }],
      },
    ],
    coupon: { code: 'SPRING', label: 'Spring', percentOff: 10, discount: 500 },
    fees: [{ name: 'Card fee', amount: 179, percentage: 2.9 }],
    taxBreakdown: [{ taxType: 'vat', taxableAmount: 4132, taxAmount: 868, taxRateDetails: { country: 'NL', percentageDecimal: 21 } }],
    fields: [{ label: 'Dietary requirements', value: 'vegan' }],
    gatewayChargeId: 'ch_1',
    queryParameters: { utm_source: 'letter' },
    createdAt: '2026-03-01T12:00:00.000Z',
    recoveredAt: '2026-03-02T12:00:00.000Z',
    canceledAt: '2026-03-03T12:00:00.000Z',
    canceledBy: 'customer',
    canceledReason: 'changed their mind',
    updatedAt: '2026-03-04T12:00:00.000Z',
  })
  await shop.load('pages', [concert])
  await shop.load('payments', [payment])
  await page.goto(`${baseUrl}/payments/${payment.id}`)
  // Isolated from the text around it, because a name can be in a right-to-left script.
  await expect(page.locator('main bdi')).toHaveText('Ada Lovelace')
  const events = region(page, 'Timeline').getByRole('listitem')
  await expect(events).toHaveText([/^Created/, /^Cart recovered/, /^Canceled.*customer.*changed their mind/, /^Updated/])
  await expect(events.first().getByTitle('2026-03-01T12:00:00.000Z')).toHaveText('Mar 1, 2026, 13:00')
  for (const text of ['Ada Lovelace', 'Engines', 'Quay 1', '1011 Amsterdam', 'Charles', 'Street 2']) {
    await expect(region(page, 'Customer')).toContainText(text)
  }
  const rows = region(page, 'Items').getByRole('row')
  await expect(rows.nth(1)).toContainText(/Gift cards.*2.*€20\.00Original price €25\.00/)
  await expect(rows.nth(3)).toContainText(/Large.*2.*€3\.00Original price €4\.00/)
  const amounts = region(page, 'Payment breakdown')
  for (const text of [
    'Coupon SPRING',
    '-€5.00',
    'Card fee',
    '€1.79',
    '2.9%',
    'VAT',
    '€8.68',
    '21%',
    '€41.32',
    'Total',
    '€50.00',
    'Paid',
    '€40.00',
    'Amount due',
    '€10.00',
    '$54.00',
  ]) {
    await expect(amounts).toContainText(text)
  }
  await expect(amounts.getByRole('link', { name: 'Coupon SPRING' })).toHaveAttribute('href', '/coupons?search=SPRING')
  await expect(region(page, 'Custom fields')).toContainText(/Dietary requirements.*vegan/)
  await page.getByText('Technical details').click()
  await expect(region(page, 'Source')).toContainText('letter')
  await expect(region(page, 'Details')).toContainText(`Gift cards (${concert.id})`)
  await region(page, 'Payment').getByRole('button', { name: 'Copy Gateway charge ID' }).click()
  await expect(page.getByText('Copied Gateway charge ID')).toBeAttached()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('ch_1')
})

test('a record links to Stripe if the shop is connected, and its menu can copy a link to its page', async ({
  signedIn: page,
  shop,
  baseUrl,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const livePayment = minimal('payments', { gatewayPaymentIntentId: 'pi_1' })
  const testPayment = minimal('payments', { gatewayPaymentIntentId: 'pi_2', livemode: false })
  const other = minimal('payments', { orderId: 'OR-ELSEWHERE', gatewayPaymentIntentId: 'elsewhere' })
  await shop.load('payments', [livePayment, testPayment, other])
  const link = page.getByRole('link', { name: 'View in Stripe' })
  await page.goto(`${baseUrl}/payments/${livePayment.id}`)
  await expect(link).toHaveCount(0)
  await addFailedEvent(shop.seller)
  await page.reload()
  await expect(link).toHaveAttribute('href', 'https://dashboard.stripe.com/payments/pi_1')
  await page.getByLabel('More actions').click()
  await page.getByRole('button', { name: 'Copy link' }).click()
  await expect(page.getByText('Copied link')).toBeAttached()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${baseUrl}/payments/${livePayment.id}`)
  const readPage = async ({ id }: Line) => (await requestPage(page, `${baseUrl}/payments/${id}`)).html
  expect(await readPage(testPayment)).toContain('href="https://dashboard.stripe.com/test/payments/pi_2"')
  const html = await readPage(other)
  expect(html).toContain(String(other.orderId))
  expect(html).not.toContain('dashboard.stripe.com')
})

test('a subscription shows its plan, periods and coupon', async ({ signedIn: page, shop, baseUrl }) => {
  const coupon = minimal('coupons', { code: 'SPRING' })
  const subscription = minimal('subscriptions', {
    interval: 'month',
    intervalCount: 3,
    planIterations: 4,
    couponId: coupon.id,
    status: 'trialing',
    currency: 'jpy',
    amount: 2500,
    setupFee: 1500,
    setupFeeFees: [{ name: 'Card fee', amount: 43 }],
    trialStart: '2026-03-01T12:00:00.000Z',
    trialEnd: '2126-03-01T12:00:00.000Z',
  })
  await shop.load('coupons', [coupon])
  await shop.load('subscriptions', [subscription])
  await page.goto(`${baseUrl}/subscriptions/${subscription.id}`)
  await expect(region(page, 'Plan')).toContainText('Every 3 months')
  await expect(region(page, 'Payment breakdown')).toContainText(/Setup fee¥1,500.*Card fee¥43.*Total¥2,500/)
  await expect(region(page, 'Timeline').getByText('upcoming')).toHaveCount(1)
  await region(page, 'Plan').getByRole('link', { name: 'View coupon' }).click()
  await expect(page.getByRole('heading', { name: 'SPRING' })).toBeVisible()
})

test('a booking shows the state of its tickets, and their QR codes can be scanned from the screen', async ({
  signedIn: page,
  shop,
  baseUrl,
  browser,
}) => {
  const booking = minimal('bookings', {
    orderId: 'BK-1',
    customerEmail: 'ada@example.com',
    tickets: [{ name: 'Balcony', ticketTypeId: 'type-1', quantity: 3, price: 1500 }],
  })
  const codes = ['QR-CANARY-1 ü/?', 'QR-CANARY-2', 'QR-CANARY-3'].map((code) => `${code} ${booking.id}`)
  const ticket = (index: number, members: Line) =>
    minimal('tickets', {
      qrCode: codes[index],
      orderId: 'BK-1',
      chargeId: booking.id,
      ticketTypeId: 'type-1',
      ticketShortId: `LH${index}`,
      createdAt: `2026-03-01T12:00:0${index}.000Z`,
      ...members,
    })
  await shop.load('bookings', [booking])
  const checkIn = { method: 'QRSCAN', status: 'CHECKEDIN', checkedInAt: '2026-03-05' }
  const imported = ticket(1, { status: 'CANCELED', checkIns: [checkIn] })
  await shop.load('tickets', [ticket(0, { customerName: 'Zoë <b>' }), imported, ticket(2, {})])
  await shop.validate(String(codes[0]))
  await page.goto(`${baseUrl}/bookings/${booking.id}`)
  const tickets = region(page, 'Tickets').locator('tbody tr')
  await expect(tickets).toHaveText([
    /LH0.*Zoë <b>.*Balcony.*Checked in.*by QR scan/,
    /LH1.*Canceled.*Mar 5, 2026, by QR scan/,
    /LH2.*Not checked in/,
  ])
  expect(await (await page.request.get(`${baseUrl}/tickets/${imported.id}/peek`)).text()).toContain('"text":"Mar 5, 2026"')
  for (const [index, code] of codes.entries()) {
    const picture = tickets.nth(index).getByRole('img')
    await expect(picture).toBeHidden()
    await tickets.nth(index).getByText('Show QR code').click()
    await expect(picture).toBeVisible()
    expect((await picture.boundingBox())?.width).toBeGreaterThanOrEqual(240)
    expect(await readQrCodes(await picture.screenshot())).toEqual([code])
  }
  await expect(tickets.first().getByRole('img', { name: 'QR code for ticket LH0, Zoë <b>' })).toBeVisible()
  await page.getByRole('button', { name: 'Check in LH2' }).click()
  await expect(page.getByText('Checked in LH2')).toBeVisible()
  await expect(tickets.nth(2)).toContainText(/Checked in.*from the guest list/)
  await expect(tickets.nth(2).getByRole('link', { name: 'LH2' })).toBeFocused()
  await expect(page.getByRole('button', { name: 'Check in LH1' })).toHaveCount(0)
  // Neither the raw record nor an export contains the codes, and door users cannot see them.
  await page.getByLabel('More actions').click()
  await page.getByRole('button', { name: 'View JSON' }).click()
  await expect(page.getByRole('button', { name: 'View JSON' })).toBeHidden()
  await expect(page.locator('#technical > summary')).toBeFocused()
  await expect(page.locator('pre')).toContainText('BK-1')
  await expect(page.locator('pre')).not.toContainText('QR-CANARY')
  expect(await (await page.request.get(`${baseUrl}/bookings/export`)).text()).not.toContain('QR-CANARY')
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } })
  await startSession(context, baseUrl, await shop.user('door'))
  const refused = await context.request.get(`${baseUrl}/bookings/${booking.id}`)
  expect(refused.status()).toBe(403)
  expect(await refused.text()).not.toContain('QR-CANARY')
  expect((await context.request.get(`${baseUrl}/customers/${booking.id}`)).status()).toBe(403)
  await context.close()
})

test('a customer’s page shows exactly their records from every list, the total paid and the coupons used', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  const customerEmail = 'Ada+1@example.com'
  const customer = minimal('customers', { email: customerEmail, name: 'Ada Lovelace', taxId: 'GB1', address: { city: 'London' } })
  await shop.load('customers', [customer])
  const coupon = minimal('coupons', { code: 'SPRING', label: 'Spring' })
  await shop.load('coupons', [coupon])
  await shop.load('payments', [
    ...Array.from({ length: 6 }, (_, i) =>
      minimal('payments', { customerEmail, orderId: `OR-${i}`, amount: 1000, currency: 'eur', createdAt: `2026-03-01T12:00:0${i}.000Z` }),
    ),
    minimal('payments', {
      customerEmail,
      customerId: customer.id,
      orderId: 'YEN',
      amount: 2500,
      currency: 'jpy',
      coupon: { id: coupon.id, code: 'SPRING' },
    }),
    minimal('payments', { customerEmail: `x${customerEmail}`, orderId: 'NOT-THEIRS' }),
  ])
  await shop.load('bookings', [minimal('bookings', { customerEmail, orderId: 'BK-1', amount: 500, currency: 'eur', status: 'refunded' })])
  await shop.load('subscriptions', [minimal('subscriptions', { customerEmail, orderId: 'SU-1', status: 'active' })])
  await page.goto(`${baseUrl}/payments?search=YEN`)
  await page.locator('a[data-row]').first().click()
  await page.getByRole('link', { name: 'View customer' }).click()
  await page.waitForURL(`**/customers/${customer.id}`)
  await expect(page.getByRole('heading', { name: 'Ada Lovelace' })).toBeVisible()
  await expect(region(page, 'Customer')).toContainText(/Ada\+1@example.com.*GB1.*London/s)
  await expect(region(page, 'Payments')).toContainText('7 payments')
  await expect(region(page, 'Payments')).toContainText('€60.00 · ¥2,500')
  await expect(region(page, 'Payments').getByRole('listitem')).toHaveCount(5)
  await expect(region(page, 'Bookings')).toContainText('1 booking')
  await expect(region(page, 'Bookings')).not.toContainText('Total spent')
  await expect(region(page, 'Subscriptions')).toContainText('1 subscription, 1 active or trialing')
  await expect(region(page, 'Coupons used')).toContainText(/SPRING.*Spring.*1 use/)
  await expect(page.getByText('NOT-THEIRS')).toHaveCount(0)
  await region(page, 'Payments').getByRole('link', { name: 'View all payments' }).click()
  await expect(page.getByText('1–8 of 8')).toBeVisible()
  // An order without a customer links to a search for customers with its email address, which links to the payments with that address.
  await page.goto(`${baseUrl}/payments?search=NOT-THEIRS`)
  await page.locator('a[data-row]').first().click()
  await page.getByRole('link', { name: 'View customer' }).click()
  await page.waitForURL('**/customers?search=xAda%2B1%40example.com')
  await page.getByRole('link', { name: 'Search payments' }).click()
  await expect(page.locator('a[data-row]')).toHaveText(['NOT-THEIRS'])
})

test('the pages of records with unusual values run no injected scripts, and are accessible on desktop and phone, in light and dark mode', async ({
  page,
  shop,
  baseUrl,
}) => {
  const problems = watch(page, baseUrl)
  page.on('dialog', (dialog) => problems.push(`dialog: ${dialog.message()}`))
  const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>'
  const id = newObjectId()
  const unusual = {
    orderId: 'W'.repeat(300),
    customerEmail: `${'x'.repeat(200)}@example.com`,
    billing: { name: 'محمد بن عبد الله', companyName: markup, address: { line1: 'y'.repeat(300) } },
    fields: [
      { label: markup, value: markup },
      { label: 'z'.repeat(200), value: 'שלום' },
    ],
    fees: [{ name: markup, amount: 1 }],
    queryParameters: { [markup]: markup, 'a.b[0]': 'c' },
    canceledAt: 'the day before',
    currency: 'doubloons',
  }
  await shop.load('bookings', [
    minimal('bookings', {
      ...unusual,
      id,
      tickets: [{ name: markup, ticketTypeId: 't', quantity: 2, price: 1 }, { name: 'q'.repeat(200) }],
    }),
  ])
  await shop.load('tickets', [
    minimal('tickets', {
      orderId: unusual.orderId,
      chargeId: id,
      customerName: markup,
      ticketTypeId: 't',
      qrCode: `${'long '.repeat(80)}${id}`,
    }),
    minimal('tickets', { orderId: unusual.orderId, chargeId: id, customerName: 'v'.repeat(200), ticketTypeId: 'n'.repeat(90) }),
  ])
  const customer = minimal('customers', { email: unusual.customerEmail, name: markup, address: unusual.billing.address })
  await shop.load('customers', [customer])
  await shop.load('subscriptions', [minimal('subscriptions', { ...unusual, canceledAt: undefined, interval: markup, intervalCount: 2 })])
  await startSession(page.context(), baseUrl, await shop.user('staff'))
  await page.goto(`${baseUrl}/bookings/${id}`)
  await page.getByText('Show QR code').first().click()
  await expect(page.getByRole('img').first()).toBeVisible()
  await page.getByText('Technical details').click()
  await expect(page.getByText(markup).first()).toBeVisible()
  await expect(page.getByText('the day before').first()).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await page.goto(`${baseUrl}/subscriptions`)
  await page.locator('a[data-row]').first().click()
  await page.waitForURL('**/subscriptions/*')
  await expect(page.getByRole('region', { name: 'Plan' })).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await page.goto(`${baseUrl}/customers/${customer.id}`)
  await expect(page.getByRole('region', { name: 'Bookings' })).toContainText('1 booking')
  await expectAccessibleInAllThemesAndSizes(page)
  expect(problems).toEqual([])
})

test('a customer is edited by staff and erased by an owner, and both changes are in the audit log', async ({
  signedIn: page,
  other: staff,
  shop,
  baseUrl,
}) => {
  const customer = minimal('customers', { email: 'ada@example.com', name: 'Ada Lovelace', address: { city: 'London' } })
  const payment = minimal('payments', { customerId: customer.id, customerEmail: 'ada@example.com', billing: { name: 'Ada Lovelace' } })
  await shop.load('customers', [customer])
  await shop.load('payments', [payment])
  await startSession(staff.context(), baseUrl, await shop.user('staff'))
  await staff.goto(`${baseUrl}/customers/${customer.id}`)
  await expect(staff.getByRole('button', { name: 'Erase' })).toHaveCount(0)
  await staff.getByRole('button', { name: 'Edit' }).click()
  await staff.getByLabel('Email', { exact: true }).fill('nobody')
  await staff.getByRole('button', { name: 'Save' }).click()
  await expect(staff.getByText('Enter an email address such as ada@example.com.')).toBeVisible()
  await staff.getByLabel('Email', { exact: true }).fill('king@example.com')
  await staff.getByLabel('Name', { exact: true }).fill('Ada King')
  await staff.getByRole('button', { name: 'Save' }).click()
  await expect(staff.getByText('Customer saved')).toBeVisible()
  await expect(staff.getByRole('heading', { name: 'Ada King' })).toBeVisible()
  await expectEvents(shop, ['customer.updated', { id: customer.id, name: 'Ada King', email: 'king@example.com' }])

  // After a conflict, the form keeps the user's changes, shows someone else's, and can be saved.
  const patchCustomer = async (body: object) => {
    const headers = { 'Content-Type': 'application/json' }
    expect((await shop.call(`/v1/customers/${customer.id}`, { method: 'PATCH', headers, body: JSON.stringify(body) })).status).toBe(200)
  }
  const field = (label: string) => staff.getByLabel(label, { exact: true })
  await staff.getByRole('button', { name: 'Edit' }).click()
  await patchCustomer({ name: 'A. King', phone: '+31 20 1234567', companyName: 'Engines', taxId: 'X1' })
  await field('Name').fill('Ada Byron')
  await field('Invoice email').fill('bills@example.com')
  // The company is changed and changed back, so it counts as unchanged.
  await field('Company').fill('x')
  await field('Company').fill('')
  await staff.getByRole('button', { name: 'Save' }).click()
  await expect(
    staff.getByText('This customer has changed since you opened this form. Your changes are kept. Check the form, then save again.'),
  ).toBeVisible()
  await expect(staff.getByRole('button', { name: 'Save' })).toBeFocused()
  await expect(field('Name')).toHaveValue('Ada Byron')
  await expect(field('Name')).toHaveAccessibleDescription('Someone else has changed this to “A. King”. If you save, your text replaces it.')
  await expect(field('Phone')).toHaveValue('+31 20 1234567')
  await expect(field('Phone')).toHaveAccessibleDescription('Someone else has changed this to “+31 20 1234567”.')
  await expect(field('Company')).toHaveValue('Engines')
  await expect(field('Invoice email')).toHaveValue('bills@example.com')
  await expectAccessibleInAllThemesAndSizes(staff)
  await staff.getByRole('button', { name: 'Save' }).click()
  await expect(staff.getByRole('dialog')).toHaveCount(0)
  expect((await shop.call(`/v1/customers/${customer.id}`)).json.data).toMatchObject({
    name: 'Ada Byron',
    phone: '+31 20 1234567',
    companyName: 'Engines',
    taxId: 'X1',
    billingEmail: 'bills@example.com',
  })

  await page.goto(`${baseUrl}/customers/${customer.id}`)
  await page.getByRole('button', { name: 'Erase' }).click()
  await expect(page.getByRole('alertdialog')).toContainText('This can’t be undone.')
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Copy API request' })).toBeVisible()
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.getByRole('button', { name: 'Erase permanently' }).click()
  await expect(page.getByText('Customer erased')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Erased', exact: true })).toBeVisible()
  await page.goto(`${baseUrl}/payments/${payment.id}`)
  await expect(page.getByText(/Lovelace|ada@/)).toHaveCount(0)
  await page.goto(`${baseUrl}/settings/audit`)
  await expect(page.getByText(`erased the customer ${customer.id}`)).toBeVisible()
  await expect(page.getByText(`edited the customer ${customer.id}`).first()).toBeVisible()
  await expect(page.getByText('Changed: Email, Name')).toBeVisible()
})

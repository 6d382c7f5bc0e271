/** Tests creating and editing coupons in the dashboard, the table of tickets, and a ticket's page. */
import { listAudit } from '@/lib/listing/list-audit'
import { minimal } from '@/testing/seller'
import { expect, expectAccessible, expectAccessibleInAllThemesAndSizes, expectEvents, startSession, test } from '../support/dashboard'

test('staff create and edit a coupon, with error messages next to invalid fields; only changed fields are saved', async ({
  shop,
  page,
  baseUrl,
}) => {
  const pageId = 'ab'.repeat(12)
  await shop.load('pages', [minimal('pages', { id: pageId, name: 'Jazz Night' })])
  const taken = minimal('coupons', { code: 'TAKEN', label: 'Members', deleted: false, pageIds: [] })
  await shop.load('coupons', [taken])
  const email = await shop.user('staff')
  await startSession(page.context(), baseUrl, email)
  await page.goto(`${baseUrl}/coupons`)
  await page.getByRole('button', { name: 'Create coupon' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a coupon' })
  await expect(dialog.getByText('This coupon won’t be created in Stripe.')).toBeVisible()
  await expectAccessible(page)
  const submit = dialog.getByRole('button', { name: 'Create coupon' })
  await submit.click()
  for (const error of ['Enter a label', 'Use letters, digits', 'Enter a number up to 100'])
    await expect(dialog.getByText(error)).toBeVisible()
  await dialog.getByLabel('Code').fill('taken')
  await dialog.getByLabel('Amount off').fill('12.505')
  await dialog.getByLabel('Currency of the amount').fill('eur')
  await submit.click()
  await expect(dialog.getByText('Enter a label')).toBeVisible()
  await expect(dialog.getByText('Enter an amount with no more decimal places than its currency has')).toBeVisible()
  await dialog.getByLabel('Label').fill('Summer sale')
  await dialog.getByLabel('Amount off').fill('12.50')
  await submit.click()
  await expect(dialog.getByText('Another coupon already uses this code.')).toBeVisible()
  await dialog.getByLabel('Code').fill('SUMMER')
  await dialog.getByLabel('Expires').fill('2020-07-01T20:00')
  await submit.click()
  await expect(dialog.getByText('Enter a future date and time.')).toBeVisible()
  await dialog.getByLabel('Expires').fill('2099-07-01T20:00')
  await dialog.getByLabel('Jazz Night').check()
  await submit.click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('status').getByText('Saved “SUMMER”.')).toBeVisible()
  const coupon = {
    label: 'Summer sale',
    code: 'SUMMER',
    amountOff: 1250,
    currency: 'eur',
    redeemBy: '2099-07-01T18:00:00.000Z',
    pageIds: [pageId],
  }
  expect((await shop.call('/v1/coupons?search=summer')).json.data).toMatchObject([coupon])

  await page.getByRole('link', { name: 'SUMMER' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit “SUMMER”' })
  await edit.getByLabel('Maximum number of redemptions').fill('0')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit.getByText('Enter a whole number of at least 1. It can’t be less than the number of past redemptions')).toBeVisible()
  // The value of a field with incomplete or invalid input is empty, but the field has not been cleared.
  const [uses, expires] = [edit.getByLabel('Maximum number of redemptions'), edit.getByLabel('Expires')]
  await uses.fill('')
  await uses.pressSequentially('1e')
  await expires.focus()
  await page.keyboard.press('Backspace')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit.getByText('This value is incomplete or invalid. Correct it, or clear the field.')).toHaveCount(2)
  await expect(uses).toBeFocused()
  await expectAccessible(page)
  await uses.fill('20')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(expires).toBeFocused()
  await expires.fill('2020-07-01T20:00')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit.getByText('Enter a future date and time.')).toBeVisible()
  await edit.getByLabel('Expires').fill('2099-07-01T20:00')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit).toBeHidden()
  // The message about the creation may still be visible.
  await expect(page.locator('#content').getByRole('status').getByText('Saved “SUMMER”.')).toBeVisible()
  expect((await shop.call('/v1/coupons?search=summer')).json.data).toMatchObject([{ ...coupon, maxRedemptions: 20 }])
  const [changed, created] = (await listAudit(shop.seller)).rows
  expect(created).toMatchObject({ email, action: 'coupon.created', subject: 'SUMMER' })
  expect(changed).toMatchObject({ email, action: 'coupon.changed', changes: { maxRedemptions: { before: null, after: '20' } } })
  expect(Object.keys(changed?.changes ?? {})).toEqual(['maxRedemptions'])
  await expectEvents(shop, ['coupon.updated', { ...coupon, maxRedemptions: 20 }], ['coupon.created', coupon])

  // A change that someone else made after the dialog was opened is kept.
  await page.reload()
  await page.getByRole('button', { name: 'Edit' }).click()
  const path = `/v1/coupons/${new URL(page.url()).pathname.split('/').at(-1)}`
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ label: 'Changed by a colleague' })
  expect((await shop.call(path, { method: 'PATCH', headers, body })).status).toBe(200)
  await edit.getByLabel('Maximum number of redemptions').fill('30')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit).toBeHidden()
  expect(JSON.parse((await shop.call(path)).text).data).toMatchObject({ label: 'Changed by a colleague', maxRedemptions: 30 })

  const unchanged = (await shop.call(`/v1/coupons/${taken.id}`)).text
  await page.goto(`${baseUrl}/coupons/${taken.id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('status').getByText('Saved “TAKEN”.')).toBeVisible()
  expect((await shop.call(`/v1/coupons/${taken.id}`)).text).toBe(unchanged)
})

test('the tickets table can be filtered, and a ticket’s page shows its code, history and booking', async ({
  shop,
  signedIn: page,
  baseUrl,
}) => {
  const booking = minimal('bookings', { orderId: 'BK-1' })
  await shop.load('bookings', [booking])
  await shop.load('tickets', [
    minimal('tickets', { qrCode: 'inside', ticketShortId: 'T-1', customerName: 'Zoë', orderId: 'BK-1', chargeId: booking.id }),
    minimal('tickets', { ticketShortId: 'T-2', customerName: 'Ada' }),
  ])
  await shop.validate('inside')
  await page.goto(`${baseUrl}/tickets`)
  await expect(page.getByText('1–2 of 2')).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await page.getByRole('link', { name: 'Checked in 1', exact: true }).click()
  await expect(page.getByText('1–1 of 1')).toBeVisible()
  await page.getByRole('link', { name: 'T-1' }).click()
  await expect(page.getByRole('heading', { name: 'T-1' })).toBeVisible()
  await expect(page.locator('#content').getByText('Test', { exact: true })).toBeVisible()
  await expect(page.getByText('inside', { exact: true })).toBeHidden()
  await page.getByText('Show QR code').click()
  await expect(page.getByText('inside', { exact: true })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'View booking' }).click()
  await expect(page).toHaveURL(`${baseUrl}/bookings/${booking.id}`)
})

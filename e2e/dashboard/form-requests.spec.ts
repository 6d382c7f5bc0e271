/** Each form for changing a record can copy an API request that makes the same change. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator } from 'playwright/test'
import { minimal } from '@/testing/seller'
import { expect, type Page, type Shop, test } from '../support/dashboard'

/** Opens a dialog. Retries, because clicks are ignored until the page is hydrated. */
async function open(page: Page, button: string, title: string): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name: title })
  await expect(async () => {
    if ((await dialog.count()) === 0) await page.getByRole('button', { name: button, exact: true }).click({ timeout: 1000 })
    await expect(dialog).toBeVisible({ timeout: 1000 })
  }).toPass()
  return dialog
}

/** Copies a form's request, runs it in a shell, and returns the response. */
async function copyAndSend(page: Page, dialog: Locator, shop: Shop): Promise<unknown> {
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await dialog.getByRole('button', { name: 'Copy API request' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('curl')
  const command = await page.evaluate(() => navigator.clipboard.readText())
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env: { ...process.env, KEY: shop.key } })
  return JSON.parse(stdout).data
}

test('the API request copied from a form makes the change entered in the form', async ({ signedIn: page, shop, baseUrl, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const customer = minimal('customers', { email: 'ada@example.com', name: 'Ada' })
  // The API would reject this time, because it is not in the future.
  const coupon = minimal('coupons', { code: 'SPRING', deleted: false, redeemBy: '2020-01-01T00:00:30.000Z' })
  const ticket = minimal('tickets', { ticketShortId: 'T-1', metadata: [] })
  await shop.load('customers', [customer])
  await shop.load('coupons', [coupon])
  await shop.load('tickets', [ticket])

  await page.goto(`${baseUrl}/coupons`)
  const create = await open(page, 'Create coupon', 'Create a coupon')
  await create.getByLabel('Label').fill('Ada’s "10%" off')
  await create.getByLabel('Code').fill('SUMMER')
  await create.getByLabel('Amount off').fill('12.50')
  await create.getByLabel('Currency of the amount').fill('eur')
  expect(await copyAndSend(page, create, shop)).toMatchObject({
    label: 'Ada’s "10%" off',
    code: 'SUMMER',
    amountOff: 1250,
    currency: 'eur',
  })

  await page.goto(`${baseUrl}/coupons/${coupon.id}`)
  const edit = await open(page, 'Edit', 'Edit “SPRING”')
  await edit.getByLabel('Maximum number of redemptions').fill('20')
  expect(await copyAndSend(page, edit, shop)).toMatchObject({ code: 'SPRING', maxRedemptions: 20, redeemBy: coupon.redeemBy })

  await page.goto(`${baseUrl}/customers/${customer.id}`)
  const editCustomer = await open(page, 'Edit', 'Edit customer')
  await editCustomer.getByLabel('Name', { exact: true }).fill("O'Neil")
  expect(await copyAndSend(page, editCustomer, shop)).toMatchObject({ email: 'ada@example.com', name: "O'Neil" })

  await page.goto(`${baseUrl}/tickets/${ticket.id}`)
  const editTicket = await open(page, 'Edit', 'Edit ticket')
  await editTicket.getByLabel('Guest').fill('Zoë')
  await editTicket.getByLabel('Note name').fill('Seat')
  await editTicket.getByLabel('Note value').fill('B 12')
  const changed = await copyAndSend(page, editTicket, shop)
  expect(changed).toMatchObject({ customerName: 'Zoë', metadata: [{ key: 'Seat', value: 'B 12' }] })
})

test('a form copies no API request while it has invalid or incomplete fields', async ({ signedIn: page, shop, baseUrl, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const coupon = minimal('coupons', { code: 'SPRING', deleted: false, maxRedemptions: 20 })
  const ticket = minimal('tickets', { ticketShortId: 'T-1', metadata: [] })
  await shop.load('coupons', [coupon])
  await shop.load('tickets', [ticket])
  const copy = (dialog: Locator) => dialog.getByRole('button', { name: 'Copy API request' }).click()
  const readClipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await page.goto(`${baseUrl}/coupons/${coupon.id}`)
  await page.evaluate(() => navigator.clipboard.writeText('before'))

  const edit = await open(page, 'Edit', 'Edit “SPRING”')
  const uses = edit.getByLabel('Maximum number of redemptions')
  await uses.fill('')
  await uses.pressSequentially('1e')
  await copy(edit)
  await expect(edit.getByText('This value is incomplete or invalid. Correct it, or clear the field.')).toBeVisible()
  await expect(uses).toBeFocused()
  expect(await readClipboard()).toBe('before')
  await uses.fill('30')
  await copy(edit)
  await expect.poll(readClipboard).toContain('{"maxRedemptions":30}')
  await expect(edit.getByText('This value is incomplete or invalid.')).toHaveCount(0)

  await page.goto(`${baseUrl}/tickets/${ticket.id}`)
  await page.evaluate(() => navigator.clipboard.writeText('before'))
  const editTicket = await open(page, 'Edit', 'Edit ticket')
  await editTicket.getByLabel('Note value').fill('B 12')
  await copy(editTicket)
  await expect(editTicket.getByText('Give each note a unique name')).toBeVisible()
  expect(await readClipboard()).toBe('before')
})

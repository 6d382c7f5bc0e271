/** Check-in devices in the settings: adding a device, setting it up by link, reviewing its refused scans and conflicts, and revoking it. */
import { randomBytes } from 'node:crypto'
import { sealScan } from '@/app/door/offline/seal-scan'
import { DEVICE_COOKIE } from '@/lib/accounts/check-in-devices'
import { deriveScanKey } from '@/lib/admission/sealed-scan'
import { minimal } from '@/testing/seller'
import { expect, expectAccessibleInAllThemesAndSizes, openBeforeHydration, startSession, test } from '../support/dashboard'
import { outcome, scan } from '../support/door'

/** A strong code, so that the ticket is on the device's list immediately. A weak code would first need a slow key derivation. */
const CODE = 'K7qW2xZr9LmT4vBn8HcYs3Dj0001'

test('staff add a device, set up a phone with its link, review its conflict, and revoke it', async ({
  page,
  other: phone,
  shop,
  baseUrl,
}) => {
  const event = minimal('pages', { name: 'Jazz Night', startsAt: '2099-07-01T18:00:00.000Z' })
  await shop.load('pages', [event])
  const ticket = minimal('tickets', { qrCode: CODE, pageId: event.id, customerName: 'Zoë Haddad', ticketShortId: 'LH1', orderId: 'BK-7' })
  await shop.load('tickets', [ticket])
  const staff = await shop.user('staff')
  await startSession(page.context(), baseUrl, staff)
  const devices = `${baseUrl}/settings/devices`

  await page.goto(devices)
  await expect(page.getByText('No active check-in devices')).toBeVisible()
  const heading = await page.getByRole('heading', { name: 'Check-in devices' }).boundingBox()
  expect((await page.getByRole('button', { name: 'Add device' }).boundingBox())?.y).toBeLessThan((heading?.y ?? 0) + (heading?.height ?? 0))
  await page.getByRole('button', { name: 'Add device' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Selected events').check()
  await dialog.getByRole('button', { name: 'Add device' }).click()
  await expect(dialog.getByText('Enter a name (up to 64 characters).')).toBeVisible()
  await expect(dialog.getByText('Select at least one event.')).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await dialog.getByLabel('Name', { exact: true }).fill('Gate 2')
  await dialog.getByLabel('Jazz Night').check()
  await dialog.getByLabel('Check out guests').uncheck()
  await dialog.getByLabel('Expires').selectOption('In 1 day')
  await dialog.getByRole('button', { name: 'Add device' }).click()
  await expect(dialog.getByLabel('Setup link', { exact: true })).toHaveValue(/\/door\/enroll#[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/)
  const link = await dialog.getByLabel('Setup link', { exact: true }).inputValue()
  await expect(dialog.getByRole('img', { name: 'QR code for the setup link' })).toBeVisible()
  await expect(dialog.getByText(String(link.split('#')[1]), { exact: true })).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Gate 2' })
  await expect(row).toContainText('Not set up')
  await expect(row).toContainText('Jazz Night')
  await expect(row).toContainText('Find guests, Work offline, Show names offline')

  await phone.setViewportSize({ width: 390, height: 844 })
  // A code typed before hydration stays in the field after an error.
  const { release } = await openBeforeHydration(phone, `${baseUrl}/door/enroll`)
  await phone.getByLabel('Code').fill('AAAA-AAAA-AAAA')
  await phone.getByRole('button', { name: 'Set up' }).click()
  release()
  await expect(phone.getByText('This code is incorrect, was already used, or has expired.')).toBeVisible()
  await expect(phone.getByLabel('Code')).toHaveValue('AAAA-AAAA-AAAA')
  // Without this, only the fragment would change, and the page would not load again.
  await phone.goto(`${baseUrl}/healthz`)
  await phone.goto(link)
  await phone.getByRole('button', { name: 'Set up' }).click()
  await expect(phone.getByRole('heading', { name: 'Gate 2' })).toBeVisible()
  await expect(phone.locator('[data-offline]')).toContainText('1 ticket on this device')
  await phone.getByRole('button', { name: 'Start scanning' }).click()
  await phone.getByLabel('Ticket code').focus()
  await scan(phone, CODE)
  await expect(outcome(phone, 'admitted')).toContainText('Zoë Haddad')
  await scan(phone, CODE)
  await expect(outcome(phone, 'already_checked_in')).toBeVisible()

  await page.goto(devices)
  await expect(row).toContainText('Active')
  await expect(row).toContainText('Ticket list updated')
  await page.getByRole('link', { name: 'Refused scans' }).click()
  await page.waitForURL('**/tickets/refused')
  const refused = page.getByRole('row').filter({ hasText: 'Already in' })
  // If the server is slow, the phone decides by itself and reports the scan later.
  await expect(async () => {
    await page.reload()
    await expect(refused).toHaveCount(1, { timeout: 5_000 })
  }).toPass()
  await expect(refused).toContainText(/checked in by Gate 2, .+Zoë Haddad.*LH1 · BK-7.*Jazz Night.*Gate 2/)
  await expectAccessibleInAllThemesAndSizes(page)

  // The phone reports a guest admitted while it was offline, and 20 unreadable scans.
  const cookie = (await phone.context().cookies(`${baseUrl}/door`)).find(({ name }) => name === DEVICE_COOKIE)
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/door' })
  const id = randomBytes(16).toString('hex')
  const claimedAt = new Date().toISOString()
  const offlineScan = { code: 'a-printed-ticket', claimedAt, clockOffset: 0, decision: 'admitted' as const, isOverride: true }
  const sealed = await sealScan(await deriveScanKey(shop.seller), id, offlineScan)
  const unreadable = Array.from({ length: 20 }, () => ({ id: randomBytes(16).toString('hex'), sealed: '' }))
  const reported = await fetch(`${baseUrl}/door/scans`, {
    method: 'POST',
    headers: { cookie: `${DEVICE_COOKIE}=${cookie?.value}`, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ protocol: 1, scans: [{ id, sealed }, ...unreadable] }),
  })
  expect(await reported.json()).toMatchObject({ wipe: false })
  await page.goto(`${baseUrl}/overview`)
  await page.getByRole('link', { name: '21 check-in conflicts to review' }).click()
  const conflict = page.getByRole('row').filter({ hasText: 'Let in with an unknown code' })
  await expect(conflict).toContainText('by the person at the door, although the code wasn’t on the device’s list')
  await expect(conflict).toContainText('Gate 2')
  // Open conflicts come before the unreadable scans, and reviewed ones after them.
  await expect(page.getByText('Showing 20 conflicts')).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Unreadable scan' }).first()).toContainText('Unknown ticket')
  await conflict.getByRole('button', { name: /^Review/ }).click()
  await dialog.getByRole('button', { name: 'Mark as reviewed' }).click()
  await expect(dialog.getByText('Enter a note')).toBeVisible()
  await dialog.getByLabel('Note').fill('Paid at the door')
  await expectAccessibleInAllThemesAndSizes(page)
  await dialog.getByRole('button', { name: 'Mark as reviewed' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Marked as reviewed.' })).toBeVisible()
  // While the dialog is open, the rows behind it are not accessible.
  await expect(dialog).toHaveCount(0)
  await expect(conflict).toHaveCount(0)
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.getByText('Showing 1 conflict', { exact: true })).toBeVisible()
  await expect(conflict).toContainText(`Reviewed by ${staff}`)
  await expect(conflict).toContainText('Paid at the door')
  await page.getByRole('link', { name: 'Check-in devices', exact: true }).last().click()
  await expect(page.getByRole('link', { name: 'Conflicts (20)', exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Revoke Gate 2' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke device' }).click()
  await expect(page.getByText('Revoked “Gate 2”.')).toBeVisible()
  await page.getByText('Expired and revoked devices (1)').first().click()
  await expect(row).toContainText('Revoked')
  await expectAccessibleInAllThemesAndSizes(page)
  await phone.reload()
  await expect(phone.getByRole('heading', { name: 'This device no longer has access' })).toBeVisible()
})

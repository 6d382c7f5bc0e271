/** A check-in device in a real browser: set up with its code, without a network, reloaded without one, and back. */
import { createDevice } from '@/lib/accounts/check-in-devices'
import { listConflicts } from '@/lib/admission/conflicts'
import { openTicket } from '@/lib/admission/open-ticket'
import { minimal } from '@/testing/seller'
import { addUser, expect, expectAccessibleInEachLook, type Page, test } from '../support/dashboard'
import { outcome, scan } from '../support/door'

test.use({ viewport: { width: 390, height: 844 } })

const CODES = ['K7qW2xZr9LmT4vBn8HcYs3Dj0001', 'K7qW2xZr9LmT4vBn8HcYs3Dj0002'] as const

const bar = (page: Page) => page.locator('[data-offline]')

/** Waits until the page opens without a network. */
const untilInstalled = (page: Page) =>
  expect
    .poll(() => page.evaluate(async () => Boolean(navigator.serviceWorker.controller) && Boolean(await caches.match('/door'))), { timeout: 30_000 })
    .toBe(true)

test('a device checks tickets without a network, also after a reload, and reports them when it is back', async ({ page, shop, baseUrl }) => {
  const email = `devices-${shop.seller}@example.com`
  const owner = { userId: await addUser(shop.seller, email, 'owner'), email }
  const tickets = CODES.map((qrCode) => minimal('tickets', { qrCode, customerName: 'Zoë O’Connor', orderId: 'BK-1' }))
  await shop.load('tickets', tickets)
  const settings = { name: 'Gate 2', pageIds: [], rights: ['offline', 'names'] as ('offline' | 'names')[], days: 1 as const }
  const { code } = await createDevice(shop.seller, settings, owner)

  await page.goto(`${baseUrl}/door/enroll#${code}`)
  await expect(page.getByLabel('Code')).toHaveValue(code)
  expect(page.url()).not.toContain(code)
  await page.getByRole('button', { name: 'Set up' }).click()
  await expect(bar(page)).toHaveAttribute('data-offline', 'ready')
  await expect(bar(page)).toContainText('2 tickets on this device')
  await untilInstalled(page)

  await page.context().setOffline(true)
  await scan(page, CODES[0])
  await expect(outcome(page, 'admitted')).toContainText('Zoë O’Connor')
  await expect(outcome(page, 'admitted')).toHaveAttribute('data-local', 'true')
  await expect(outcome(page, 'admitted')).toContainText('Checked on this device')
  await expect(bar(page)).toContainText('No network')
  await expectAccessibleInEachLook(page)

  await page.reload()
  await expect(bar(page)).toHaveAttribute('data-unsent', '1')
  await page.getByLabel('Ticket code').focus()
  await scan(page, CODES[0])
  await expect(outcome(page, 'already_checked_in')).toHaveAttribute('data-local', 'true')
  await scan(page, 'a-printed-ticket')
  await page.getByRole('button', { name: 'Let in anyway' }).click()
  await expect(outcome(page, 'admitted')).toContainText('Recorded for review')
  await expect(bar(page)).toHaveAttribute('data-unsent', '4')

  await page.context().setOffline(false)
  await expect(bar(page)).toHaveAttribute('data-unsent', '0', { timeout: 20_000 })
  await expect(bar(page)).toHaveAttribute('data-offline', 'ready')
  expect((await openTicket(shop.seller, String(tickets[0]?.id), undefined)).history).toMatchObject([{ status: 'CHECKEDIN', who: 'Gate 2' }])
  expect(await listConflicts(shop.seller)).toMatchObject([{ kind: 'unknown_code', isOverride: true }])
  await page.getByLabel('Ticket code').focus()
  await scan(page, CODES[1])
  await expect(outcome(page, 'admitted')).not.toHaveAttribute('data-local')
})

/** The settings are accessible, load little script and work by keyboard. */
import { gzipSync } from 'node:zlib'
import type { Response } from 'playwright/test'
import { createKey, revokeKey } from '@/lib/accounts/api-keys'
import { addCheckoutPage } from '@/lib/accounts/checkout-pages'
import { invite } from '@/lib/accounts/invitations'
import { listTeam } from '@/lib/accounts/team'
import { expect, expectAccessibleInAllThemesAndSizes, type Page, type Shop, startSession, test, watch } from '../support/dashboard'
import { addFailedEvent } from '../support/stripe'

/** Creates the items that the settings list, with long names. @returns the owner's and an invited email address, and the invitation's path */
async function fillShop(shop: Shop): Promise<{ owner: string; invited: string; link: string }> {
  const owner = await shop.user('owner')
  await shop.user('staff')
  const [user] = (await listTeam(shop.seller)).filter(({ email }) => email === owner)
  const by = { userId: String(user?.userId), email: owner }
  const ended = await createKey({ sellerId: shop.seller, name: 'Ended', scopes: ['full'] }, by)
  await revokeKey(shop.seller, ended.id, by)
  const scopes = ['subscriptions:read', 'coupons:read', 'payments:read', 'bookings:read', 'tickets:validate'] as const
  const expiresAt = new Date(Date.now() + 86_400_000)
  await createKey(
    { sellerId: shop.seller, name: 'A name that is as long as the names of real systems', scopes: [...scopes], expiresAt },
    by,
  )
  await addCheckoutPage(
    shop.seller,
    { name: 'Friday Late Jazz with a name that needs more than one line on a phone', entryPolicy: 'multiple' },
    by,
  )
  await addFailedEvent(shop.seller)
  const invited = `a-guest-with-a-long-address-${shop.seller}@example.com`
  const { token } = await invite(shop.seller, { email: invited, role: 'door' }, by)
  // Rows for the request log: one success, one error.
  await shop.call('/v1/payments')
  await shop.validate(shop.seller)
  return { owner, invited, link: `/invite/${token}` }
}

/**
 * The settings' areas with their titles, and the buttons that open their dialogs. Devices, webhooks and two-factor authentication have
 * separate specs.
 */
const AREAS: Record<string, { title: string; buttons?: string[] }> = {
  keys: { title: 'API keys', buttons: ['Create key', 'Rotate Test', 'Revoke Test'] },
  requests: { title: 'Request log' },
  pages: { title: 'Products & events', buttons: ['Add product or event'] },
  team: { title: 'Team', buttons: ['Invite teammate'] },
  seller: { title: 'Shop' },
  stripe: { title: 'Stripe' },
  password: { title: 'My password' },
  audit: { title: 'Audit log' },
}

/** Reloads the request log until it shows the requests, which are stored after their responses are sent. */
async function waitUntilLogged(page: Page): Promise<void> {
  await expect(async () => {
    await page.reload()
    await expect(page.getByText('404 Not Found')).toBeVisible({ timeout: 500 })
  }).toPass()
}

async function openDialog(page: Page, button: string): Promise<void> {
  await expect(async () => {
    const dialog = page.locator('[role=dialog]:not([data-closed]), [role=alertdialog]:not([data-closed])')
    if (!(await dialog.isVisible())) await page.getByRole('button', { name: button, exact: true }).click({ timeout: 1000 })
    await expect(dialog).toBeVisible({ timeout: 500 })
  }).toPass()
  // Colors are not final during a transition.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState === 'finished'))
}

/** Checks the form that creates a key, with errors and with a visible key. */
async function checkKeyForm(page: Page): Promise<void> {
  await openDialog(page, 'Create key')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Expires').selectOption('date')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await expect(dialog.getByText('Choose today or a later date.')).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await dialog.getByLabel('Full access').check()
  await dialog.getByLabel('Name').fill('Website')
  await dialog.getByLabel('Expires').selectOption('never')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await expect(dialog.getByLabel('API key')).toBeFocused()
  await expectAccessibleInAllThemesAndSizes(page)
}

/** The compressed size of each script in bytes, by its URL. */
const sizes = new Map<string, Promise<number>>()

/** Opens a page. @returns the compressed size of its scripts in bytes, including scripts from the cache */
async function openAndMeasure(page: Page, url: string): Promise<number> {
  const scripts: Promise<number>[] = []
  const recordSize = (response: Response) => {
    if (response.request().resourceType() !== 'script') return
    const size = sizes.get(response.url()) ?? response.body().then((body) => gzipSync(body).length)
    sizes.set(response.url(), size)
    scripts.push(size)
  }
  page.on('response', recordSize)
  await page.goto(url, { waitUntil: 'networkidle' })
  page.off('response', recordSize)
  return (await Promise.all(scripts)).reduce((sum, length) => sum + length, 0)
}

test('each settings area is accessible on desktop and phone in both themes, including dialogs, and loads at most 150 KiB of gzipped script', async ({
  page,
  shop,
  baseUrl,
}) => {
  const problems = watch(page, baseUrl)
  const { owner, invited, link } = await fillShop(shop)
  await startSession(page.context(), baseUrl, owner)
  for (const [area, { title, buttons = [] }] of Object.entries(AREAS)) {
    const bytes = await openAndMeasure(page, `${baseUrl}/settings/${area}`)
    expect(bytes, area).toBeGreaterThan(10_000)
    expect(bytes, area).toBeLessThanOrEqual(150 * 1024)
    if (area === 'keys') await page.getByText('Expired and revoked keys (1)').first().click()
    if (area === 'requests') await waitUntilLogged(page)
    await expect(page).toHaveTitle(`${title} · Checkout Desk`)
    await expectAccessibleInAllThemesAndSizes(page)
    for (const button of area === 'team' ? [...buttons, `Revoke the invitation for ${invited}`] : buttons) {
      await openDialog(page, button)
      await expectAccessibleInAllThemesAndSizes(page)
      await page.keyboard.press('Escape')
      await expect(page.locator('[role=dialog], [role=alertdialog]')).toHaveCount(0)
      await expect(page.getByRole('button', { name: button, exact: true })).toBeFocused()
    }
    if (area === 'keys') await checkKeyForm(page)
  }
  await page.goto(`${baseUrl}${link}`)
  await expect(page.getByRole('heading', { name: 'Join Test' })).toBeVisible()
  await expect(page).toHaveTitle('Checkout Desk')
  await expectAccessibleInAllThemesAndSizes(page)
  expect(problems).toEqual([])
  await page.goto(`${baseUrl}/invite/unknown`)
  await expect(page).toHaveTitle('Checkout Desk')
  await expectAccessibleInAllThemesAndSizes(page)
})

test('a key can be created and revoked by keyboard', async ({ signedIn: page, baseUrl }) => {
  await page.goto(`${baseUrl}/settings/keys`)
  await page.getByRole('button', { name: 'Create key' }).focus()
  await expect(async () => {
    if (!(await page.getByRole('dialog').isVisible())) await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toBeVisible({ timeout: 500 })
  }).toPass()
  await expect(page.getByLabel('Name')).toBeFocused()
  await page.keyboard.type('By keyboard')
  await page.getByLabel('Read payments').press('Space')
  await page.getByLabel('Name').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'API key' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'I have saved it' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Create key' })).toBeFocused()
  await page.getByRole('button', { name: 'Revoke By keyboard' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alertdialog')).toBeVisible()
  // Cancel has focus initially.
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: 'Revoked “By keyboard”.' })).toBeFocused()
})

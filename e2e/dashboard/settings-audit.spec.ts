/** The audit log in the browser: changes as sentences, newest first, with times in the shop's time zone. */
import { createKey, rotateKey } from '@/lib/accounts/api-keys'
import { addCheckoutPage, updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { disableMember, listTeam } from '@/lib/accounts/team'
import { listAudit } from '@/lib/listing/list-audit'
import { addNote } from '@/lib/sync/edit/notes'
import { minimal } from '@/testing/seller'
import { addTwoFactor, expect, type Page, requestPage, signIn, test } from '../support/dashboard'
import { runDeskInProcess } from '../support/processes'

const entries = (page: Page) => page.getByRole('list', { name: 'Changes' }).getByRole('listitem')

test('changes are shown as sentences, with old and new values, newest first', async ({ signedIn: page, shop, baseUrl }) => {
  const owner = { userId: 'u', email: 'ada@example.com' }
  const payment = minimal('payments', { orderId: 'OR-7' })
  await shop.load('payments', [payment])
  await addNote(shop.seller, owner, { resource: 'payments', id: String(payment.id) }, 'Will pay on Friday')
  const staff = await shop.user('staff')
  await disableMember(shop.seller, { email: staff })
  const id = await addCheckoutPage(shop.seller, { name: 'Jazz', entryPolicy: 'single' }, owner)
  await updateCheckoutPage(shop.seller, id, { name: 'Late Jazz <img src=x>', entryPolicy: 'multiple' }, owner)
  const expiresAt = new Date('2027-01-01T12:00:00Z')
  const key = await createKey({ sellerId: shop.seller, name: 'Web', scopes: ['coupons:read', 'tickets:validate'], expiresAt }, owner)
  await rotateKey(shop.seller, key.id, 3_600_000, owner)
  await page.goto(`${baseUrl}/settings/audit`)
  await expect(entries(page).nth(0)).toContainText('ada@example.com rotated the API key WebOld key expires: ')
  await expect(entries(page).nth(1)).toContainText('ada@example.com created the API key Web')
  await expect(entries(page).nth(1)).toContainText('Access: Read coupons, Check in tickets')
  await expect(entries(page).nth(1)).toContainText('Expires: Jan 1, 2027, 13:00')
  await expect(entries(page).nth(2)).toContainText('ada@example.com edited the product or event Jazz')
  await expect(entries(page).nth(2)).toContainText('Name: Jazz → Late Jazz <img src=x>')
  await expect(entries(page).nth(2)).toContainText('Entry policy: Single entry → Multiple entries')
  await expect(entries(page).nth(3)).toContainText('ada@example.com added the product or event Jazz')
  await expect(entries(page).nth(4)).toContainText(`Server admin disabled ${staff}`)
  await expect(entries(page).nth(5)).toContainText(`Server admin added the user ${staff}`)
  await expect(entries(page).nth(5)).toContainText('Role: Staff')
  await expect(entries(page).nth(6)).toContainText('ada@example.com added a note to the payment OR-7')
  await expect(entries(page).nth(6).getByRole('link', { name: 'OR-7' })).toHaveAttribute('href', `/payments/${payment.id}`)
  expect((await page.content()).includes(key.key)).toBe(false)
  const [newest] = (await listAudit(shop.seller)).rows
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Amsterdam', hour: '2-digit', minute: '2-digit' })
  await expect(entries(page).nth(0).locator('time')).toHaveAttribute('datetime', String(newest?.at))
  await expect(entries(page).nth(0).locator('time')).toContainText(clock.format(new Date(String(newest?.at))))
})

test('links lead to older and newer changes, and an invalid link is reported', async ({ signedIn: page, shop, baseUrl }) => {
  for (let number = 1; number <= 58; number += 1)
    await addCheckoutPage(shop.seller, { name: `Page ${number}.`, entryPolicy: 'single' }, undefined)
  await page.goto(`${baseUrl}/settings/audit`)
  await expect(entries(page)).toHaveCount(20)
  await expect(entries(page).first()).toContainText('Page 58.')
  await expect(page.getByRole('link', { name: 'Previous' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(entries(page).first()).toContainText('Page 38.')
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(entries(page).first()).toContainText('Page 18.')
  // The two oldest entries are the key and the user that the fixtures create.
  await expect(entries(page)).toHaveCount(20)
  await expect(page.getByRole('link', { name: 'Next' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Previous' }).click()
  await expect(entries(page).first()).toContainText('Page 38.')
  await page.goBack()
  await expect(entries(page).first()).toContainText('Page 18.')
  for (const query of ['ending_before=-1', 'starting_after=1&ending_before=2', 'starting_after=1&starting_after=2'])
    expect((await requestPage(page, `${baseUrl}/settings/audit?${query}`)).html, query).toContain('This link isn’t valid anymore')
  await page.goto(`${baseUrl}/settings/audit?starting_after=x`)
  await expect(page.getByText('This link isn’t valid anymore')).toBeVisible()
  await page.getByRole('link', { name: 'Go to first page' }).click()
  await expect(entries(page).first()).toContainText('Page 58.')
})

test('a change made in the settings is listed', async ({ signedIn: page, baseUrl }) => {
  await page.goto(`${baseUrl}/settings/seller`)
  await page.getByLabel('Time zone').fill('Asia/Tokyo')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Shop saved.')).toBeVisible()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await expect(entries(page).first()).toContainText('edited the shop Test')
  await expect(entries(page).first()).toContainText('Time zone: Europe/Amsterdam → Asia/Tokyo')
  await expect(entries(page).first()).toContainText(/^owner-/)
})

test('changes by the server admin are listed, and the last owner cannot be disabled', async ({ signedIn: page, shop, baseUrl }) => {
  const run = (...args: string[]) => runDeskInProcess([...args, '--seller', shop.seller])
  const [owner] = await listTeam(shop.seller)
  const refused = await run('user', 'disable', '--email', String(owner?.email))
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('This is the only active owner.') })
  expect((await run('key', 'revoke', shop.keyId)).code).toBe(0)
  await addTwoFactor(String(owner?.email))
  expect((await run('user', 'reset-2fa', '--email', String(owner?.email))).code).toBe(0)
  const unknown = await run('user', 'reset-2fa', '--email', 'nobody@example.com')
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('No such user: nobody@example.com.') })
  // The reset ended the owner's sessions.
  await signIn(page, `${baseUrl}/settings/audit`, String(owner?.email))
  await expect(entries(page).nth(0)).toContainText(`Server admin reset two-factor authentication for ${owner?.email}`)
  await expect(entries(page).nth(1)).toContainText('Server admin revoked the API key Test')
  await expect(entries(page).nth(2)).toContainText('Server admin added the user')
})

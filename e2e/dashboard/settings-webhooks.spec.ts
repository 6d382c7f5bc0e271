/** The webhook settings, with real deliveries by the server. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { addEndpoint } from '@/lib/webhooks/endpoints'
import { expect, expectAccessibleInAllThemesAndSizes, requestPage, test } from '../support/dashboard'

test('an owner creates an endpoint, tests it, views and resends its deliveries, disables and enables it, and deletes it', async ({
  signedIn: page,
  shop,
  baseUrl,
}) => {
  await page.goto(`${baseUrl}/settings/webhooks`)
  await page.getByRole('button', { name: 'Create endpoint' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('http://127.0.0.1/hook')
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  await expect(dialog.getByText('Enter a public https URL')).toBeVisible()
  await dialog.getByLabel('URL').fill('https://receiver.invalid/hook')
  await dialog.getByLabel('Selected events').check()
  await dialog.getByLabel('payment.paid').check()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await dialog.getByRole('button', { name: 'Copy API request' }).click()
  await expect(dialog.getByText('Copied API request')).toBeAttached()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    `-X POST -H 'Content-Type: application/json' -d '{"url":"https://receiver.invalid/hook","events":["payment.paid"]}'`,
  )
  await expectAccessibleInAllThemesAndSizes(page)
  await dialog.getByRole('button', { name: 'Create endpoint' }).click()
  await expect(dialog.getByLabel('Signing secret')).toHaveValue(/^whsec_/)
  await dialog.getByText('Python').click()
  await expectAccessibleInAllThemesAndSizes(page)
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  await expectAccessibleInAllThemesAndSizes(page)

  await page.getByRole('link', { name: 'Deliveries to https://receiver.invalid/hook' }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect(page.getByText('Sending a test event.')).toBeVisible()
  await expect(async () => {
    await page.reload()
    await expect(page.getByRole('cell', { name: 'Unknown host' })).toBeVisible({ timeout: 1000 })
    // The page reads the endpoint and its deliveries separately.
    await expect(page.getByText('Failing', { exact: true })).toBeVisible({ timeout: 1000 })
  }).toPass()
  // Every page reports an endpoint that has failed for an hour, or that the server has disabled.
  const deliveries = page.url()
  for (const [change, notice] of [
    [sql`failing_since = now() - interval '2 hours'`, 'Events can’t be delivered to https://receiver.invalid/hook.'],
    [sql`disabled_reason = 'failing', enabled = false`, 'The webhook endpoint https://receiver.invalid/hook was disabled.'],
  ] as const) {
    await database().use(({ rows }) => rows(sql`update webhook_endpoints set ${change} where seller_id = ${shop.seller}`))
    await page.goto(`${baseUrl}/payments`)
    await expect(page.getByText(notice)).toBeVisible()
  }
  await expectAccessibleInAllThemesAndSizes(page)
  await page.getByRole('link', { name: 'Review webhooks' }).click()
  await expect(page).toHaveURL(`${baseUrl}/settings/webhooks`)
  await database().use(({ rows }) =>
    rows(sql`update webhook_endpoints set enabled = true, disabled_reason = null where seller_id = ${shop.seller}`),
  )
  // A link to a delivery that no longer exists does not look like an empty list.
  for (const query of [`starting_after=evt_${'0'.repeat(24)}`, 'starting_after=x'])
    expect((await requestPage(page, `${deliveries}?${query}`)).html, query).toContain('This link isn’t valid anymore')
  await page.goto(`${deliveries}?status=x`)
  await expect(page.getByText('This link isn’t valid anymore')).toBeVisible()
  await page.getByRole('link', { name: 'Delivered' }).click()
  await expect(page.getByText('No deliveries', { exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Delivered' })).toHaveAttribute('aria-current', 'true')
  await page.goBack()
  await page.getByRole('link', { name: 'Go to first page' }).click()
  await expect(page).toHaveURL(deliveries)
  await expectAccessibleInAllThemesAndSizes(page)
  await page.getByRole('link', { name: /^Details of evt_/ }).click()
  await expect(page.getByText('"type": "webhook.test"')).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await page.getByRole('button', { name: 'Resend' }).click()
  await expect(page.getByText('Event queued for resending.')).toBeVisible()

  await page.getByRole('link', { name: 'All deliveries' }).click()
  await page.getByRole('button', { name: 'Resend failed deliveries' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resend failed deliveries' }).click()
  await expect(page.getByText('No failed deliveries to resend.')).toBeVisible()
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('button', { name: 'Enable' }).click()
  const enabling = page.getByRole('dialog', { name: 'Enable this endpoint?' })
  await enabling.getByLabel('Deliveries since').fill(new Date().toISOString().slice(0, 10))
  await expectAccessibleInAllThemesAndSizes(page)
  await enabling.getByRole('button', { name: 'Enable' }).click()
  await expect(page.getByText('Endpoint enabled. Resending 1 event.')).toBeVisible()
  // The notice may appear just before the page is updated, which moves the button.
  await expect(page.getByRole('button', { name: 'Disable' })).toBeVisible()
  await page.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Copy API request' })).toBeVisible()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No webhook endpoints yet')).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Endpoint deleted.' })).toBeVisible()
  expect(page.url()).toBe(`${baseUrl}/settings/webhooks`)
})

test('if someone else has disabled or deleted an endpoint in the meantime, an error says so', async ({ signedIn: page, shop, baseUrl }) => {
  const { id } = JSON.parse(await addEndpoint(shop.seller, undefined, { url: 'https://receiver.invalid/hook', events: ['*'] })) as {
    id: string
  }
  const change = (statement: SQL) => database().use(({ rows }) => rows(sql`${statement} where seller_id = ${shop.seller} and id = ${id}`))
  const dialog = page.locator('[role=dialog]:not([data-closed])')
  const open = (button: string) =>
    expect(async () => {
      if (!(await dialog.isVisible())) await page.getByRole('button', { name: button }).click({ timeout: 1000 })
      await expect(dialog).toBeVisible({ timeout: 500 })
    }).toPass()
  const message = page.getByRole('main').getByRole('status')
  const disabled = 'This endpoint is disabled. Reload the page and enable it first.'
  await page.goto(`${baseUrl}/settings/webhooks/${id}`)
  await open('Resend failed deliveries')
  await change(sql`update webhook_endpoints set enabled = false`)
  await dialog.getByRole('button', { name: 'Resend failed deliveries' }).click()
  await expect(dialog.getByRole('alert').filter({ hasText: disabled })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Send test event' }).click()
  await expect(message.filter({ hasText: disabled })).toHaveClass(/text-bad/)
  await open('Enable')
  await change(sql`delete from webhook_endpoints`)
  await dialog.getByRole('button', { name: 'Enable' }).click()
  await expect(dialog.getByRole('alert').filter({ hasText: 'This endpoint no longer exists.' })).toBeVisible()
})

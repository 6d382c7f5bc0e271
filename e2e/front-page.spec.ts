/** Tests the front page. */
import { expect, expectAccessibleInAllThemesAndSizes, test, watch } from './support/dashboard'

test('the front page lists the API’s paths and is accessible on desktop and phone, in light and dark mode', async ({ page, baseUrl }) => {
  const problems = watch(page, baseUrl)
  await page.goto(baseUrl)
  await expect(page).toHaveTitle('Checkout Desk')
  await expect(page.getByRole('heading', { name: 'Checkout Desk', level: 1 })).toBeVisible()
  for (const path of ['/v1/subscriptions', '/v1/coupons', '/v1/payments', '/v1/bookings', '/v1/tickets/validate/{qrCode}', '/readyz']) {
    await expect(page.getByText(path, { exact: true })).toBeVisible()
  }
  await expectAccessibleInAllThemesAndSizes(page)
  expect(problems).toEqual([])
})

test('/favicon.ico returns the SVG icon', async ({ baseUrl }) => {
  const icon = await fetch(`${baseUrl}/favicon.ico`)
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
})

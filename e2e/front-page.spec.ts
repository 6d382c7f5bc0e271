/** The front page, in a real Chromium: what runs here and where the API is, on any screen, for anyone. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from './support/api'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

for (const [width, height] of [
  [1280, 800],
  [390, 844],
] as const) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`says where the API is, at ${width} pixels in ${colorScheme}`, async ({ browser, baseUrl }) => {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme })
      const page = await context.newPage()
      const foreign: string[] = []
      const complaints: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(baseUrl) && !request.url().startsWith('data:')) foreign.push(request.url())
      })
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.goto(baseUrl)
      await expect(page.getByRole('heading', { name: 'Checkout Desk', level: 1 })).toBeVisible()
      for (const path of ['/v1/subscriptions', '/v1/coupons', '/v1/payments', '/v1/bookings', '/v1/tickets/validate/{qrCode}', '/readyz']) {
        await expect(page.getByText(path, { exact: true })).toBeVisible()
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
      await page.evaluate(axe)
      const violations = await page.evaluate(
        'axe.run().then((result) => result.violations.map((one) => one.id + ": " + one.nodes.map((node) => node.html).join(" ")))',
      )
      expect(violations).toEqual([])
      expect(foreign).toEqual([])
      expect(complaints).toEqual([])
      await context.close()
    })
  }
}

test('a browser finds the icon where it looks by itself', async ({ baseUrl }) => {
  const icon = await fetch(`${baseUrl}/favicon.ico`)
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
})

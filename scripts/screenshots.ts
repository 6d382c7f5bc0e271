/** Takes the screenshots in public/screenshots from a running demo: `node --import tsx scripts/screenshots.ts http://localhost:3000 EMAIL PASSWORD CODE`. */
import { chromium, type Page } from 'playwright/test'
import { chromiumPath, LAUNCH_ARGS } from '../e2e/support/chromium'

const [url = '', email = '', password = '', code = ''] = process.argv.slice(2)

const SCREENS = [
  { name: 'desktop', width: 1280, height: 860 },
  { name: 'phone', width: 390, height: 844 },
]

async function signIn(page: Page): Promise<void> {
  await page.goto(`${url}/payments`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/payments')
}

const browser = await chromium.launch({ executablePath: chromiumPath(), args: LAUNCH_ARGS })
for (const { name, width, height } of SCREENS) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme })
    const page = await context.newPage()
    const take = (what: string) => page.screenshot({ path: `public/screenshots/${what}-${name}-${colorScheme}.png` })
    await signIn(page)
    await page.goto(`${url}/overview`)
    await page.getByRole('slider').waitFor()
    await take('overview')
    await page.goto(`${url}/payments`)
    await page.locator('a[data-row]').first().waitFor()
    await take('payments')
    await page.locator('a[data-row]').first().click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await take('payment')
    await page.goto(`${url}/door`)
    await page.getByLabel('Device name').fill('Gate 2')
    // Each screenshot would add a device to the shop.
    await page.getByLabel('Work offline').uncheck()
    await take('door-start')
    await page.getByRole('button', { name: 'Start scanning' }).click()
    await page.locator('[data-turnout]').waitFor({ state: 'attached' })
    // A preview, so that every screenshot shows the ticket in the same state.
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByLabel('Preview mode').check()
    await page.getByLabel('Ticket code').fill(code)
    await page.keyboard.press('Enter')
    await page.locator('[data-outcome]').waitFor()
    await page.getByText('Opening the ticket…').waitFor({ state: 'detached' })
    await take('door')
    await context.close()
  }
}
await browser.close()

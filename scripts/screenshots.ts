/**
 * Takes the screenshots for the documentation from a running demo, checking in two tickets. Run with
 * `node --import tsx scripts/screenshots.ts http://localhost:3000 EMAIL PASSWORD CODE CODE`.
 */
import { type BrowserContextOptions, chromium, type Page } from 'playwright/test'
import { chromiumPath, LAUNCH_ARGS } from '../e2e/support/chromium'

const [url = '', email = '', password = '', code = '', otherCode = ''] = process.argv.slice(2)

async function takeScreenshot(page: Page, name: string): Promise<void> {
  // Move the pointer away, because it would highlight the element under it.
  await page.mouse.move(0, 0)
  await page.screenshot({ path: `public/screenshots/${name}-light.png` })
}

/** The timeout for the ticket list in milliseconds. The server prepares tickets with weak codes only once a minute. */
const LIST_TIMEOUT_MS = 180_000
/** The sample shop's time zone. A device in another time zone would show a notice. */
const TIME_ZONE = 'Europe/Amsterdam'

const browser = await chromium.launch({ executablePath: chromiumPath(), args: LAUNCH_ARGS })

/** Opens a page as the shop's owner. */
async function signIn(path: string, options: BrowserContextOptions): Promise<Page> {
  const page = await (await browser.newContext({ colorScheme: 'light', timezoneId: TIME_ZONE, ...options })).newPage()
  await page.goto(`${url}${path}`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${path}`)
  return page
}

const overview = await signIn('/overview', { viewport: { width: 1280, height: 860 } })
await overview.getByRole('slider').waitFor()
await takeScreenshot(overview, 'overview-desktop')

const door = await signIn('/door', { viewport: { width: 390, height: 844 } })
const statusLine = (state: string) => door.locator(`[data-offline=${state}]`)
/** Scans a ticket. @param isLocal whether to expect the device's own decision, which it also makes if the server is overloaded */
const scan = async (code: string, isLocal: boolean) => {
  await door.getByLabel('Ticket code').fill(code)
  await door.keyboard.press('Enter')
  await door.locator(`[data-outcome=admitted]${isLocal ? '[data-local]' : ':not([data-local])'}`).waitFor()
}
await door.getByLabel('Device name').fill('Gate 2')
await door.getByRole('button', { name: 'Start scanning' }).click()
await statusLine('ready').waitFor({ timeout: LIST_TIMEOUT_MS })
await door.getByRole('button', { name: 'Menu' }).click()
await door.getByRole('button', { name: 'Change event or device name' }).click()
await takeScreenshot(door, 'door-start-phone')
await door.getByRole('button', { name: 'Start scanning' }).click()
await scan(code, false)
await takeScreenshot(door, 'door-phone')
await door.context().setOffline(true)
await scan(otherCode, true)
await statusLine('offline').waitFor()
await takeScreenshot(door, 'door-offline-phone')
await browser.close()

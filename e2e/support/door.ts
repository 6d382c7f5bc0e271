/** Helpers for tests of the check-in page. */
import type { Role } from '@/lib/accounts/roles'
import { type Line, minimal } from '@/testing/seller'
import type { Api } from './api'
import { addScript } from './browser'
import { expect, type Page, type Shop, signIn } from './dashboard'

/** Locates the result of the last scan if it has this outcome. */
export const outcome = (page: Page, kind: string) => page.locator(`[data-outcome=${kind}]`)

/** Creates a ticket. @param members members that override the defaults @returns its code */
export async function createTicket(shop: Shop, members: Line = {}): Promise<string> {
  const line = minimal('tickets', { customerName: 'Zoë O’Connor', orderId: 'BK-1', ticketShortId: 'LH1', ...members })
  await shop.load('tickets', [line])
  return String(line.qrCode)
}

/** Skips the start screen, as on a device that has been used before. Does not overwrite settings that the page stores later. */
export const skipStart = (page: Page) =>
  addScript(page, () => {
    if (!window.localStorage.getItem('checkout-desk:door')) window.localStorage.setItem('checkout-desk:door', '{"hasStarted":true}')
  })

/** Opens the check-in page as a user with this role. */
export async function openDoor(page: Page, shop: Shop, baseUrl: string, role: Role = 'door'): Promise<void> {
  await skipStart(page)
  await signIn(page, `${baseUrl}/door`, await shop.user(role))
  await expect(page.getByLabel('Ticket code')).toBeFocused()
}

/** Types a code and presses Enter, like a barcode scanner. */
export async function scan(page: Page, code: string): Promise<void> {
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
}

/**
 * Drops responses after the server has handled the requests, as if the connection broke before they arrived.
 *
 * @param url a glob pattern
 * @param count how many responses to drop
 * @returns a function that returns the number of dropped responses
 */
export async function loseResponses(page: Page, url: string, count = Number.POSITIVE_INFINITY): Promise<() => number> {
  let [handled, lost] = [0, 0]
  await page.route(url, async (route) => {
    if (handled === count) return route.continue()
    handled += 1
    await route.fetch()
    await route.abort('connectionreset')
    lost += 1
  })
  return () => lost
}

/**
 * Stops the page's clock until the page is loaded again, so that the time between two scans does not depend on the speed of the machine.
 * Timers keep running.
 *
 * @param time milliseconds since 1970
 */
export const stopClock = (page: Page, time: number) =>
  page.evaluate((now) => {
    Date.now = () => now
  }, time)

/** Opens the menu, which contains the device name and preview mode. */
export async function openMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Menu' }).click()
  await expect(sidePanel(page).getByLabel('Preview mode')).toBeVisible()
}

/** Turns preview mode on or off and focuses the code field. */
export async function setPreview(page: Page, isOn: boolean): Promise<void> {
  await openMenu(page)
  await sidePanel(page).getByLabel('Preview mode').setChecked(isOn)
  await page.getByLabel('Ticket code').focus()
}

/** Locates the side panel, which is a bottom sheet on phones. */
export const sidePanel = (page: Page) => page.locator('[data-side-panel]')

const isPhone = (page: Page) => (page.viewportSize()?.width ?? 0) < 1024

/** Opens the most recently scanned ticket, which is already open on wide screens. */
export async function openTicket(page: Page): Promise<void> {
  if (isPhone(page)) await page.getByRole('button', { name: /^View ticket/ }).click()
  await expect(sidePanel(page).getByRole('heading', { name: 'History' })).toBeVisible()
}

/** Expects all controls, of which there must be at least one, to be at least 64 px high: large enough for a gloved thumb. */
export async function expectLargeTargets(page: Page): Promise<void> {
  const [count, tooSmall] = await page.evaluate(() => {
    const targets = 'button, a[href], select, input:not([type=checkbox], [type=radio]), label:has(input[type=checkbox], input[type=radio])'
    const shown = [...document.querySelectorAll(targets)].filter((element) => {
      const { width, height } = element.getBoundingClientRect()
      // Controls for screen readers are one pixel in size until they are focused.
      return width > 1 && height > 1 && element.checkVisibility()
    })
    const tooSmall = shown.flatMap((element) => {
      const { height } = element.getBoundingClientRect()
      return height < 64 ? [`${height} px: ${element.outerHTML.slice(0, 200)}`] : []
    })
    return [shown.length, tooSmall] as const
  })
  expect(count).toBeGreaterThan(0)
  expect(tooSmall).toEqual([])
}

/** Searches for a guest and opens the only matching ticket. */
export async function findGuest(page: Page, term: string): Promise<void> {
  await page.getByRole('button', { name: 'Find a guest' }).last().click()
  await page.getByLabel('Name, email, order number or short ID').fill(term)
  await sidePanel(page).getByRole('listitem').getByRole('button').click()
  await expect(sidePanel(page).getByRole('heading', { name: 'History' })).toBeVisible()
}

/** Fetches a ticket by its code from the API. */
export async function fetchTicket(shop: Api, code: string): Promise<Line> {
  const { status, text } = await shop.validate(code, { checkIn: false })
  expect(status, text).toBe(200)
  return (JSON.parse(text) as { ticket: Line }).ticket
}

/** Tables of the dashboard, as tests find them. */
import { expect, type Page } from './dashboard'

/** Matches the link of each row. */
export const rowLinks = 'a[data-row]'

/** Waits until a table handles keys and clicks. Before it is hydrated, keys are ignored, and a click on a row opens the record's page. */
export const expectHydrated = (page: Page) =>
  expect(async () => {
    await page.keyboard.press('k')
    await expect(page.locator(rowLinks).first()).toBeFocused({ timeout: 200 })
  }).toPass()

/** Helpers for the dashboard's tables. */
import { expect, type Page } from './dashboard'

/** The selector for the links in rows. */
export const rowLinks = 'a[data-row]'

/** Waits until a table is hydrated. Before that, keys are ignored, and clicking a row opens the record's page. */
export const expectHydrated = (page: Page) =>
  expect(async () => {
    await page.keyboard.press('k')
    await expect(page.locator(rowLinks).first()).toBeFocused({ timeout: 200 })
  }).toPass()

/** Helpers for the dashboard's tables. */
import { expect, type Page } from './dashboard'

/** The selector of the rows' links. */
export const rowLinks = 'a[data-row]'

/** Waits until a table handles keys and clicks. Before hydration, keys are ignored, and a click on a row opens the record's page. */
export const expectHydrated = (page: Page) =>
  expect(async () => {
    await page.keyboard.press('k')
    await expect(page.locator(rowLinks).first()).toBeFocused({ timeout: 200 })
  }).toPass()

/** Helpers for the command palette. */
import { expect, type Page } from './dashboard'

/** Locates the palette's search field. */
export const field = (page: Page) => page.getByRole('combobox', { name: 'ID, order, email, name, code or page' })

/**
 * Opens the command palette with a shortcut. Retries, because keys are ignored until the page is hydrated. Waits longer each time, because
 * pressing the keys while the palette's code is loading closes it again.
 */
export async function openPalette(page: Page, key = 'Control+k'): Promise<void> {
  let timeout = 500
  await expect(async () => {
    timeout *= 2
    if ((await field(page).count()) === 0) await page.keyboard.press(key)
    await expect(field(page)).toBeFocused({ timeout })
  }).toPass()
}

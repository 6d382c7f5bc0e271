/** Helpers for the command palette. */
import { expect, type Page } from './dashboard'

/** Locates the palette's search field. */
export const field = (page: Page) => page.getByRole('combobox', { name: 'ID, order, email, name, code or page' })

/** Opens the command palette with a shortcut. Retries, because keys are ignored until the page is hydrated. */
export async function openPalette(page: Page, key = 'Control+k'): Promise<void> {
  await expect(async () => {
    if ((await field(page).count()) === 0) await page.keyboard.press(key)
    await expect(field(page)).toBeFocused({ timeout: 1000 })
  }).toPass()
}

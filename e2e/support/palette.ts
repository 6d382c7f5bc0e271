/** The palette as a test opens it. */
import { expect, type Page } from './dashboard'

export const field = (page: Page) => page.getByRole('combobox', { name: 'ID, order, email, code or page' })

/** Until the page has woken up a key goes nowhere. */
export async function openPalette(page: Page, key = 'Control+k'): Promise<void> {
  await expect(async () => {
    if ((await field(page).count()) === 0) await page.keyboard.press(key)
    await expect(field(page)).toBeFocused({ timeout: 1000 })
  }).toPass()
}

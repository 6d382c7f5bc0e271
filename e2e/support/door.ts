/** A door as a test stands at it. */

import type { Role } from '@/lib/auth/roles'
import { type Line, minimal } from '@/testing/seller'
import { expect, type Page, type Shop, signIn } from './dashboard'

/** The large answer, of one kind. */
export const outcome = (page: Page, kind: string) => page.locator(`[data-outcome=${kind}]`)

/** Sells a ticket. @returns its code */
export async function sell(shop: Shop, given: Line = {}): Promise<string> {
  const line = minimal('tickets', { customerName: 'Zoë O’Connor', orderId: 'BK-1', ticketShortId: 'LH1', ...given })
  await shop.load('tickets', [line])
  return String(line.qrCode)
}

export async function openDoor(page: Page, shop: Shop, baseUrl: string, role: Role = 'door'): Promise<void> {
  await signIn(page, `${baseUrl}/tickets`, await shop.user(role))
  await expect(page.getByLabel('Code of the ticket')).toBeFocused()
}

/** As a scanner does it: types, and presses Enter. */
export async function scan(page: Page, code: string): Promise<void> {
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
}

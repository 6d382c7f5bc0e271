/** The side panel of the check-in page: guest search, manual check-in, undo, notes and orders. */
import { type Line, minimal } from '@/testing/seller'
import { expect, expectAccessibleInAllThemesAndSizes, type Page, test, watch } from '../support/dashboard'
import { createTicket, expectLargeTargets, fetchTicket, findGuest, openDoor, openTicket, outcome, scan, sidePanel } from '../support/door'

const orderRegion = (page: Page) => sidePanel(page).getByRole('region', { name: /^Order / })

/** Returns the members of three tickets of one order. */
const makeOrder = (members: Line = {}) =>
  ['Zoë O’Connor', 'Liam Smit', 'Ann de Vries'].map((customerName, index) => ({
    customerName,
    ticketShortId: `LH${index + 1}`,
    orderId: 'BK-7',
    ...members,
  }))

for (const width of [1280, 390]) {
  test.describe(`at ${width} pixels`, () => {
    test.use({ viewport: { width, height: 844 } })

    test('a guest who forgot their ticket is found by name and checked in manually', async ({ page, shop, baseUrl }) => {
      const problems = watch(page, baseUrl)
      const jazz = minimal('pages', { name: 'Friday Late Jazz' })
      await shop.load('pages', [jazz])
      const code = await createTicket(shop, { pageId: jazz.id, customerEmail: 'zoe@example.com' })
      await createTicket(shop, { customerName: 'Zoë Other', ticketShortId: 'X9', orderId: 'BK-2' })
      await openDoor(page, shop, baseUrl)
      await page.getByRole('button', { name: 'Find a guest' }).click()
      const field = page.getByLabel('Name, email, order number or short ID')
      await expect(field).toBeFocused()
      await field.fill('zoë')
      await expect(sidePanel(page)).toContainText('2 tickets found')
      await page.getByLabel('Event').selectOption({ label: 'Friday Late Jazz' })
      await expect(sidePanel(page)).toContainText('1 ticket found')
      for (const term of ['zoe@ex', 'bk-1', 'lh1', 'O’CONNOR']) {
        await field.fill(term)
        await expect(sidePanel(page).getByRole('listitem')).toHaveText(/Zoë O’Connor.*BK-1 · LH1.*Not checked in/)
      }
      await sidePanel(page).getByRole('listitem').getByRole('button').click()
      await sidePanel(page).getByRole('button', { name: 'Check in manually' }).click()
      await expect(outcome(page, 'admitted')).toContainText('Zoë O’Connor')
      await expect(page.locator('[data-turnout]')).toHaveText('1 of 1 arrived')
      expect(await fetchTicket(shop, code)).toMatchObject({ checkInStatus: 'CHECKEDIN', latestCheckIn: { method: 'MANUAL' } })
      // The side panel has closed, and the code field is ready for the next guest.
      await scan(page, code)
      await expect(outcome(page, 'already_checked_in')).toContainText(/Already checked in from the guest list on .+ at \d\d:\d\d/)
      expect(problems).toEqual([])
    })

    test('undoing a check-in requires a reason and a second tap, and the history shows it', async ({ page, shop, baseUrl }) => {
      const problems = watch(page, baseUrl)
      const code = await createTicket(shop)
      await openDoor(page, shop, baseUrl, 'staff')
      await scan(page, code)
      await expect(outcome(page, 'admitted')).toBeVisible()
      await openTicket(page)
      await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
      await sidePanel(page).getByRole('button', { name: 'Cancel' }).click()
      await expect(sidePanel(page).getByRole('button', { name: 'Undo check-in' })).toBeFocused()
      await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
      await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
      // Nothing is sent without a reason.
      await expect(outcome(page, 'admitted')).toBeAttached()
      await sidePanel(page).getByLabel('Reason').fill('Wrong guest')
      await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
      await expect(outcome(page, 'undone')).toContainText('Zoë O’Connor')
      await expect(page.locator('[data-turnout]')).toHaveText('0 of 1 arrived')
      await openTicket(page)
      await expect(sidePanel(page).locator('[data-state=out]').first()).toContainText('undone')
      const history = sidePanel(page).getByRole('region', { name: 'History' }).getByRole('listitem')
      await expect(history.first()).toContainText(/Undone.+manually.*Wrong guest.*staff-/)
      await expect(history.last()).toContainText(/Checked in.+(by scanner|with a typed code).*staff-/)
      expect(await fetchTicket(shop, code)).toMatchObject({
        checkInStatus: 'UNCHECKEDIN',
        checkIns: [{ status: 'CHECKEDIN' }, { status: 'UNCHECKEDIN', method: 'MANUAL' }],
        latestCheckIn: { status: 'UNCHECKEDIN' },
      })
      await scan(page, code)
      await expect(outcome(page, 'admitted')).toBeVisible()
      expect(problems).toEqual([])
    })

    test('a scan shows the whole order; one of its other tickets can be checked in first, then the rest', async ({
      page,
      shop,
      baseUrl,
    }) => {
      const problems = watch(page, baseUrl)
      const codes: string[] = []
      for (const line of makeOrder()) codes.push(await createTicket(shop, line))
      await createTicket(shop, { customerName: 'Someone Else', orderId: 'BK-8' })
      await openDoor(page, shop, baseUrl)
      await scan(page, String(codes[0]))
      await expect(outcome(page, 'admitted')).toBeVisible()
      await openTicket(page)
      await expect(orderRegion(page).getByRole('listitem')).toHaveCount(3)
      await orderRegion(page)
        .getByRole('checkbox', { name: /Liam Smit/ })
        .check()
      await orderRegion(page).getByRole('button', { name: 'Check in 1 ticket' }).click()
      await expect(orderRegion(page)).toContainText('1 of 1 admitted')
      await expect(page.locator('[data-turnout]')).toHaveText('2 of 4 arrived')
      expect(await fetchTicket(shop, String(codes[2]))).toMatchObject({ checkInStatus: 'UNCHECKEDIN' })
      await orderRegion(page).getByRole('button', { name: 'Check in 1 ticket' }).click()
      await expect(orderRegion(page).locator('[data-ticket=LH3]')).toContainText(/LH3Checked in.*Admitted/)
      await expect(orderRegion(page).getByRole('button')).toHaveCount(0)
      await expect(sidePanel(page).getByRole('heading', { level: 2 })).toBeFocused()
      expect(await fetchTicket(shop, String(codes[2]))).toMatchObject({ latestCheckIn: { method: 'MANUAL' } })
      expect(problems).toEqual([])
    })

    test('notes can be added, changed and removed', async ({ page, shop, baseUrl }) => {
      const problems = watch(page, baseUrl)
      const code = await createTicket(shop)
      await openDoor(page, shop, baseUrl)
      await findGuest(page, 'connor')
      const notes = sidePanel(page).getByRole('region', { name: 'Notes' })
      await expect(notes).toContainText('No notes yet')
      await notes.getByLabel('Name').fill('Seat')
      await notes.getByLabel('Text').fill('A12')
      await notes.getByRole('button', { name: 'Add' }).click()
      await expect(notes.getByRole('button', { name: 'Seat A12 Edit' })).toBeVisible()
      await expect(notes.getByRole('button', { name: 'Add' })).toBeFocused()
      await expectLargeTargets(page)
      await notes.getByRole('button', { name: 'Seat A12 Edit' }).click()
      await notes.getByRole('button', { name: 'Cancel' }).click()
      await expect(notes.getByRole('button', { name: 'Seat A12 Edit' })).toBeFocused()
      await notes.getByRole('button', { name: 'Seat A12 Edit' }).click()
      await expect(notes.getByRole('button', { name: 'Save' })).toBeVisible()
      await expectLargeTargets(page)
      await notes.getByLabel('Seat').fill('B7')
      await notes.getByRole('button', { name: 'Save' }).click()
      await expect(notes.getByRole('listitem')).toHaveText('SeatB7')
      await expect(notes.getByRole('button', { name: 'Seat B7 Edit' })).toBeFocused()
      expect(await fetchTicket(shop, code)).toMatchObject({ checkInStatus: 'UNCHECKEDIN', metadata: [{ key: 'Seat', value: 'B7' }] })
      await notes.getByRole('button', { name: 'Seat B7 Edit' }).click()
      await notes.getByRole('button', { name: 'Remove' }).click()
      await expect(notes).toContainText('No notes yet')
      await expect(sidePanel(page).getByRole('heading', { level: 2 })).toBeFocused()
      expect(await fetchTicket(shop, code)).toMatchObject({ metadata: [] })
      expect(problems).toEqual([])
    })

    test('guest search, manual check-in and undo work by keyboard', async ({ page, shop, baseUrl }) => {
      for (const line of makeOrder()) await createTicket(shop, line)
      await openDoor(page, shop, baseUrl, 'owner')
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key)
      }
      // From the code field, the search button is the third tab stop, after the check and camera buttons.
      await press('Tab', 'Tab', 'Tab', 'Enter')
      await expect(page.getByLabel('Name, email, order number or short ID')).toBeFocused()
      await page.keyboard.type('bk-7')
      await expect(sidePanel(page)).toContainText('3 tickets found')
      await press('Enter')
      await expect(sidePanel(page).getByRole('listitem').first().getByRole('button')).toBeFocused()
      await press('Enter')
      await expect(sidePanel(page).getByRole('heading', { level: 2 })).toBeFocused()
      const checkIn = sidePanel(page).getByRole('button', { name: 'Check in manually' })
      await expect(checkIn).toBeVisible()
      const tabTo = async (name: string) => {
        const wanted = sidePanel(page).getByRole('button', { name })
        await expect(wanted).toBeVisible()
        for (let presses = 0; presses < 40; presses += 1) {
          if (await wanted.evaluate((button) => button === document.activeElement)) return
          await page.keyboard.press('Tab')
        }
        throw new Error(`Tab never reached ${name}`)
      }
      await tabTo('Check in manually')
      await press('Enter')
      await expect(outcome(page, 'admitted')).toBeVisible()
      await expect(page.getByLabel('Ticket code')).toBeFocused()
      if (width === 390) {
        await press('Shift+Tab', 'Enter')
        await expect(sidePanel(page)).toHaveAttribute('data-side-panel', 'raised')
      }
      await tabTo('Undo check-in')
      await press('Enter')
      await page.keyboard.type('Wrong guest')
      await press('Enter')
      await expect(outcome(page, 'undone')).toBeVisible()
      if (width === 390) await press('Shift+Tab', 'Enter')
      await tabTo('Close')
      await press('Escape')
      await expect(sidePanel(page)).toHaveCount(0)
    })
  })
}

test('the side panel is accessible on desktop and phone, in light and dark mode', async ({ page, shop, baseUrl }) => {
  const codes: string[] = []
  for (const line of makeOrder({ metadata: [{ key: 'Seat', value: 'A12', addedAt: '2026-01-01T00:00:00.000Z' }] })) {
    codes.push(await createTicket(shop, line))
  }
  await openDoor(page, shop, baseUrl, 'owner')
  await page.getByRole('button', { name: 'Find a guest' }).click()
  await page.getByLabel('Name, email, order number or short ID').fill('bk-7')
  await expect(sidePanel(page)).toContainText('3 tickets found')
  await expectAccessibleInAllThemesAndSizes(page)
  await scan(page, String(codes[0]))
  // Text in the search field that matches no guest is scanned as a code: here `bk-7`, followed by the code, which is unknown.
  await expect(outcome(page, 'unknown')).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  await scan(page, String(codes[0]))
  await expect(outcome(page, 'admitted')).toBeVisible()
  await openTicket(page)
  await expectAccessibleInAllThemesAndSizes(page)
  await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
  await sidePanel(page).getByRole('button', { name: 'Seat A12 Edit' }).click()
  await expectAccessibleInAllThemesAndSizes(page)
  await sidePanel(page).getByLabel('Reason').fill('Wrong guest')
  await sidePanel(page).getByRole('button', { name: 'Undo check-in' }).click()
  await expect(outcome(page, 'undone')).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
})

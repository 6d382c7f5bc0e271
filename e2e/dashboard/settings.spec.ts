/** The settings: each change made in the browser, on desktop or on a phone, takes effect. */
import { sql } from 'drizzle-orm'
import type { Locator } from 'playwright/test'
import { shopCopy } from '@/app/copy/shop'
import { database } from '@/db/client'
import { addCheckoutPage, listCheckoutPages, updateCheckoutPage } from '@/lib/accounts/checkout-pages'
import { findSeller, updateSeller } from '@/lib/accounts/sellers'
import { changeRole, listTeam } from '@/lib/accounts/team'
import { addEndpoint, findEndpoint } from '@/lib/webhooks/endpoints'
import { minimal } from '@/testing/seller'
import {
  expect,
  expectAccessibleInAllThemesAndSizes,
  holdRequests,
  makeUser,
  openWithoutTime,
  PASSWORD,
  type Page,
  signIn,
  startSession,
  submitSignIn,
  test,
  watch,
} from '../support/dashboard'

/** Matches open dialogs, excluding those that are closing. */
const OPEN_DIALOG = '[role=dialog]:not([data-closed]), [role=alertdialog]:not([data-closed])'

/** Opens a dialog. Retries, because clicks are ignored until the page is hydrated. */
async function openDialog(page: Page, button: string): Promise<Locator> {
  const dialog = page.locator(OPEN_DIALOG)
  await expect(async () => {
    if (!(await dialog.isVisible())) await page.getByRole('button', { name: button, exact: true }).click({ timeout: 1000 })
    await expect(dialog).toBeVisible({ timeout: 500 })
  }).toPass()
  return dialog
}

/** Returns whether the page contains a text, after any closing dialog has disappeared. */
async function containsText(page: Page, text: string): Promise<boolean> {
  await expect(page.locator('[role=dialog]')).toHaveCount(0)
  return (await page.content()).includes(text)
}

const expectStatus = (page: Page, text: string) => expect(page.getByRole('status').filter({ hasText: text })).toBeVisible()

// settings-accessibility.spec.ts opens these dialogs at both sizes.
test.describe('on desktop', () => {
  test.use({ viewport: { width: 1280, height: 900 } })

  test('a key can be created with scopes and an expiration date, works immediately, and is rejected once revoked', async ({
    signedIn: page,
    shop,
    baseUrl,
  }) => {
    await page.goto(`${baseUrl}/settings/keys`)
    const dialog = await openDialog(page, 'Create key')
    await expect(dialog.getByLabel('Name')).toBeFocused()
    // Each error is shown next to its field, and the choices are kept.
    await expect(dialog.getByLabel('Selected permissions')).toBeChecked()
    await dialog.getByLabel('Expires').selectOption('date')
    await dialog.getByLabel('Expiration date').fill('2020-01-01')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await expect(dialog.getByText('Enter a name (up to 100 characters).')).toBeVisible()
    await expect(dialog.getByText('Select at least one permission.')).toBeVisible()
    await expect(dialog.getByText('Choose today or a later date.')).toBeVisible()
    await expect(dialog.getByLabel('Name')).toBeFocused()
    await expect(dialog.getByLabel('Selected permissions')).toBeChecked()
    await expect(dialog.getByLabel('Expiration date')).toHaveValue('2020-01-01')
    await dialog.getByLabel('Name').fill('Website <b>')
    await expect(dialog.getByText('payments:read')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Create key' })).toBeInViewport({ ratio: 1 })
    await dialog.getByLabel('Read payments').check()
    await dialog.getByLabel('Expires').selectOption('90')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const key = await dialog.getByLabel('API key').inputValue()
    // An accidental key press or click must not close the dialog.
    await page.keyboard.press('Escape')
    await page.mouse.click(2, 2)
    await page.keyboard.press('Control+k')
    await page.keyboard.press('?')
    await page.keyboard.type('gt')
    await expect(dialog.getByRole('button', { name: 'Close' })).toHaveCount(0)
    await expect(dialog.getByLabel('API key')).toBeVisible()
    expect(key).toMatch(/^desk_[0-9A-Za-z]{36}$/)
    await expect(dialog.getByText('You won’t be able to see it again.', { exact: false })).toBeVisible()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click()
    await expect(dialog.getByRole('button', { name: 'Copied' })).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await expectStatus(page, 'Created “Website <b>”.')
    await expect(page.getByRole('button', { name: 'Create key' })).toBeFocused()

    expect((await shop.call('/v1/payments', { key })).status).toBe(200)
    expect((await shop.call('/v1/coupons', { key })).status).toBe(403)
    expect(page.url()).not.toContain('desk_')
    expect(await containsText(page, key)).toBe(false)
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'Website <b>' })
    await expect(row).toContainText('Read payments')
    await expect(row).toContainText('Active')
    expect(await containsText(page, key)).toBe(false)
    // The third `time` element in the row is the key's last use, which has been stored by now.
    await expect(row.locator('time')).toHaveCount(3)

    const confirmation = await openDialog(page, 'Revoke Website <b>')
    // At 400% zoom, the dialog scrolls.
    const size = page.viewportSize() ?? { width: 1280, height: 720 }
    await page.setViewportSize({ width: 320, height: 180 })
    expect((await confirmation.boundingBox())?.y).toBeGreaterThan(0)
    await confirmation.getByRole('button', { name: 'Cancel' }).scrollIntoViewIfNeeded()
    await expect(confirmation.getByRole('button', { name: 'Cancel' })).toBeInViewport({ ratio: 1 })
    await page.setViewportSize(size)
    await confirmation.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('button', { name: 'Revoke Website <b>' })).toBeFocused()
    expect((await shop.call('/v1/payments', { key })).status).toBe(200)
    await openDialog(page, 'Revoke Website <b>')
    await confirmation.getByRole('button', { name: 'Revoke key' }).click()
    await expectStatus(page, 'Revoked “Website <b>”.')
    // The focused button no longer exists, so focus moves to the message.
    await expect(page.getByRole('status').filter({ hasText: 'Revoked' })).toBeFocused()
    // Another server may still accept the key for up to a second.
    await expect.poll(async () => (await shop.call('/v1/payments', { key })).status).toBe(401)
    await page.getByText('Expired and revoked keys (1)').first().click()
    await expect(page.getByRole('row').filter({ hasText: 'Website <b>' })).toContainText('Revoked')
  })

  test('a dialog with unsaved changes closes only after a warning, and stays open while its change is pending', async ({
    signedIn: page,
    baseUrl,
  }) => {
    await page.goto(`${baseUrl}/settings/keys`)
    const dialog = await openDialog(page, 'Create key')
    const warning = dialog.getByText('You have unsaved changes.')
    await dialog.getByLabel('Expires').selectOption('90')
    await page.mouse.click(2, 2)
    await expect(warning).toBeVisible()
    await page.mouse.click(2, 2)
    await expect(dialog).toBeVisible()
    await dialog.getByLabel('Name').fill('Discarded')
    await expect(warning).toBeHidden()
    // Holding down Escape shows the warning, too.
    await page.keyboard.down('Escape')
    await page.keyboard.down('Escape')
    await page.keyboard.up('Escape')
    await expect(warning).toBeVisible()
    await expectAccessibleInAllThemesAndSizes(page)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    // A dialog without changes closes at once.
    await openDialog(page, 'Create key')
    await expect(dialog.getByLabel('Name')).toHaveValue('')
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await openDialog(page, 'Create key')
    await dialog.getByLabel('Name').fill('Slow')
    await dialog.getByLabel('Read payments').check()
    /** Submits a change, and tries to close the dialog while the request is pending. */
    const tryToClose = async (button: string, closeButton: string) => {
      const { requested, release } = await holdRequests(page, ({ pathname }) => pathname === '/settings/keys')
      await dialog.getByRole('button', { name: button }).click()
      await requested
      await page.keyboard.press('Escape')
      await dialog.getByRole('button', { name: closeButton }).click()
      await expect(dialog).toBeVisible()
      release()
      await page.unrouteAll({ behavior: 'wait' })
    }
    await tryToClose('Create key', 'Close')
    await expect(dialog.getByLabel('API key')).toHaveValue(/^\S+$/)
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await openDialog(page, 'Revoke Slow')
    await tryToClose('Revoke key', 'Cancel')
    await expectStatus(page, 'Revoked “Slow”.')
    await expect(dialog).toHaveCount(0)
  })

  test('a second click while a dialog fades out does not save its form again', async ({ signedIn: page, shop, baseUrl }) => {
    await page.goto(`${baseUrl}/settings/pages`)
    const dialog = await openDialog(page, 'Add product or event')
    await dialog.getByLabel('Name', { exact: true }).fill('Jazz')
    const add = dialog.getByRole('button', { name: 'Add product or event' })
    await add.scrollIntoViewIfNeeded()
    const { x = 0, y = 0 } = (await add.boundingBox()) ?? {}
    const isReached = page.evaluate(
      (point) =>
        new Promise((resolve) => {
          new MutationObserver((_, observer) => {
            if (!document.querySelector('[role=dialog][data-closed]')) return
            observer.disconnect()
            resolve(document.elementFromPoint(point.x + 5, point.y + 5)?.closest('[role=dialog]') != null)
          }).observe(document, { attributes: true, subtree: true })
        }),
      { x, y },
    )
    await add.click()
    expect(await isReached).toBe(false)
    expect((await listCheckoutPages(shop.seller)).map(({ name }) => name)).toEqual(['Jazz'])
  })

  test('a dialog opens as soon as its code is loaded', async ({ withClock: page, baseUrl }) => {
    const button = page.getByRole('button', { name: 'Create key' })
    await expect(async () => {
      await openWithoutTime(page, `${baseUrl}/settings/keys`, button)
      await button.click()
      await expect(page.getByRole('dialog').getByLabel('Name')).toBeVisible({ timeout: 3000 })
    }).toPass()
  })

  test('a button clicked before hydration opens its dialog', async ({ signedIn: page, baseUrl }) => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/_next/static/chunks/*.js', async (route) => {
      await released
      await route.continue()
    })
    await page.goto(`${baseUrl}/settings/keys`, { waitUntil: 'domcontentloaded' })
    await page.getByRole('button', { name: 'Create key' }).click()
    release()
    await expect(page.getByRole('dialog').getByLabel('Name')).toBeFocused()
  })

  test('after a key is rotated, both keys work during the overlap; without an overlap, the old key is rejected immediately', async ({
    signedIn: page,
    shop,
    baseUrl,
  }) => {
    await page.goto(`${baseUrl}/settings/keys`)
    const rotate = async (overlap: string) => {
      const dialog = await openDialog(page, 'Rotate Test')
      await dialog.getByLabel(overlap).check()
      await dialog.getByRole('button', { name: 'Rotate key', exact: true }).click()
      const key = await dialog.getByLabel('API key').inputValue()
      await dialog.getByRole('button', { name: 'I have saved it' }).click()
      await expectStatus(page, 'Rotated “Test”.')
      return key
    }
    // In the scale tests, the other of the two servers may still have the key in its cache, for at most a second.
    const expectRejected = (key: string) => expect.poll(async () => (await shop.call('/v1/payments', { key })).status).toBe(401)
    const second = await rotate('In 1 hour')
    for (const key of [shop.key, second]) expect((await shop.call('/v1/payments', { key })).status).toBe(200)
    await expect(page.getByRole('row').filter({ hasText: 'Expires soon' })).toHaveCount(1)
    await page.getByRole('row').filter({ hasText: 'Expires soon' }).getByRole('button', { name: 'Revoke Test' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click()
    await expectStatus(page, 'Revoked “Test”.')
    await expectRejected(shop.key)
    // The old key's row disappears, but the dialog with the new key stays open until the user confirms that the key is saved.
    const third = await rotate('Immediately')
    await expectRejected(second)
    expect((await shop.call('/v1/payments', { key: third })).status).toBe(200)
    await expect(page.getByText('Expired and revoked keys (2)').first()).toBeVisible()
  })

  test('a key that is used to guess ticket codes is paused, a notice reports the pause, and the owner can resume the key', async ({
    signedIn: page,
    shop,
    baseUrl,
  }) => {
    const guesses = sql`
      insert into validation_attempts (seller_id, at, outcome, actor_id)
      select ${shop.seller}, now(), 'unknown', ${shop.keyId} from generate_series(1, 600)`
    await database().use(({ rows }) => rows(guesses))
    expect((await shop.validate('nobody-has-this')).status).toBe(404)
    // Another server may use its cached copy of the key for a second.
    await expect.poll(async () => (await shop.call('/v1/payments')).json.code).toBe('key_paused')
    await page.goto(`${baseUrl}/overview`)
    await expect(page.getByText('Paused for too many unknown ticket codes: Test.')).toBeVisible()
    await page.getByRole('link', { name: 'Review API keys' }).click()
    await expect(page.getByRole('row').filter({ hasText: 'Paused' })).toContainText(
      /Until .+, because it sent too many unknown ticket codes/,
    )
    await page.getByRole('button', { name: 'Resume Test' }).click()
    await expectStatus(page, 'Resumed “Test”.')
    await expect(page.getByRole('row').filter({ hasText: 'Active' })).toHaveCount(1)
    await expect.poll(async () => (await shop.call('/v1/payments')).status).toBe(200)
    await page.goto(`${baseUrl}/settings/audit`)
    await expect(page.getByText('resumed the API key Test')).toBeVisible()
    await expect(page.getByText('The API key Test was paused because it sent too many unknown ticket codes')).toBeVisible()
    await expect(page.getByText('Paused for too many')).toHaveCount(0)
  })

  test('if a paused key has already been resumed, an error says so', async ({ signedIn: page, shop, baseUrl }) => {
    await database().use(({ rows }) => rows(sql`update api_keys set paused_until = now() + interval '1 hour' where id = ${shop.keyId}`))
    await page.goto(`${baseUrl}/settings/keys`, { waitUntil: 'networkidle' })
    await database().use(({ rows }) => rows(sql`update api_keys set paused_until = null where id = ${shop.keyId}`))
    await page.getByRole('button', { name: 'Resume Test' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'This key is no longer paused.' })).toHaveClass(/text-bad/)
  })

  test('the shop’s name and time zone can be changed, times are shown in the new zone, and each change is announced', async ({
    signedIn: page,
    shop,
    baseUrl,
  }) => {
    await shop.load('payments', [minimal('payments', { createdAt: '2026-07-01T22:30:00.000Z' })])
    await page.goto(`${baseUrl}/settings/seller`)
    await expect(page.getByLabel('Time zone')).toHaveValue('Europe/Amsterdam')
    expect(await page.locator('datalist option').count()).toBeGreaterThan(300)
    await page.getByLabel('Name').fill('  ')
    await page.getByLabel('Time zone').fill('Europe/Atlantis')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Enter a name (up to 200 characters).')).toBeVisible()
    await expect(page.getByText('Choose a time zone from the list, such as Europe/Amsterdam.')).toBeVisible()
    await expect(page.getByLabel('Time zone')).toHaveValue('Europe/Atlantis')
    await page.getByLabel('Name').fill('Tokyo Jazz')
    await page.getByLabel('Time zone').fill('Asia/Tokyo')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectStatus(page, 'Shop saved.')
    await expect(page.getByRole('button', { name: 'Tokyo Jazz' })).toBeVisible()
    // Saving again replaces the message with an identical one, because screen readers announce only changes.
    await page
      .getByRole('status')
      .filter({ hasText: 'Shop saved.' })
      .evaluate((status) => {
        new MutationObserver(() => status.setAttribute('data-announced', '')).observe(status, { childList: true })
      })
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.locator('[data-announced]')).toHaveText('Shop saved.')
    await page.goto(`${baseUrl}/payments`)
    await expect(page.getByText('Jul 2, 2026, 07:30').first()).toBeVisible()
  })
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('a form left open while another user signs in keeps its input and changes nothing', async ({ page, shop, baseUrl }) => {
    const { makeApi } = await import('../support/api')
    const other = await makeApi(baseUrl)
    const email = `second-${other.seller}@example.com`
    await makeUser(other.seller, email, 'owner')
    await updateSeller(other.seller, { name: 'Second Shop' }, undefined)
    await startSession(page.context(), baseUrl, await shop.user('owner'))
    await page.goto(`${baseUrl}/settings/seller`, { waitUntil: 'networkidle' })
    const keys = await page.context().newPage()
    await keys.goto(`${baseUrl}/settings/keys`)
    const dialog = await openDialog(keys, 'Revoke Test')
    await startSession(page.context(), baseUrl, email)

    const message = `You are now signed in to Second Shop as ${email}. Reload this page.`
    await page.getByLabel('Name').fill('Renamed')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText(message)).toBeVisible()
    await expect(page.getByLabel('Name')).toHaveValue('Renamed')
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    await expect(dialog.getByText(message)).toBeVisible()
    expect(await findSeller(other.seller)).toMatchObject({ name: 'Second Shop' })
    expect((await shop.call('/v1/payments')).status).toBe(200)

    // After a reload, the page belongs to the other shop.
    await page.reload({ waitUntil: 'networkidle' })
    await page.getByLabel('Name').fill('Renamed')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectStatus(page, 'Shop saved.')
    expect(await findSeller(other.seller)).toMatchObject({ name: 'Renamed' })
  })

  test('a form keeps its input after its user is signed out, and can be saved once the user signs in again in another tab', async ({
    page,
    shop,
    baseUrl,
  }) => {
    const email = await shop.user('owner')
    await startSession(page.context(), baseUrl, email)
    await page.goto(`${baseUrl}/settings/seller`, { waitUntil: 'networkidle' })
    const keys = await page.context().newPage()
    await keys.goto(`${baseUrl}/settings/keys`)
    const dialog = await openDialog(keys, 'Revoke Test')
    await database().use(({ rows }) =>
      rows(sql`update sessions set ended_at = now() where user_id = (select id from users where email = ${email})`),
    )

    const message = 'You have been signed out. Sign in from another tab, then try again here.'
    await page.getByLabel('Name').fill('Renamed')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText(message)).toBeVisible()
    // Without the cookie, the request is rejected before Next runs the action.
    await page.context().clearCookies()
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    await expect(dialog.getByText(message)).toBeVisible()
    await expectAccessibleInAllThemesAndSizes(page)
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Open sign-in page' }).click()
    const tab = await opened
    await submitSignIn(tab, email, PASSWORD)
    await tab.waitForURL(`${baseUrl}/settings/seller`)

    await expect(page.getByLabel('Name')).toHaveValue('Renamed')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectStatus(page, 'Shop saved.')
    expect(await findSeller(shop.seller)).toMatchObject({ name: 'Renamed' })
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    await expectStatus(keys, 'revoked')
  })

  test('a form keeps its input if its change gets no response, and can be saved again', async ({ page, shop, baseUrl }) => {
    const payment = minimal('payments', { orderId: 'OR-1' })
    await shop.load('payments', [payment])
    await startSession(page.context(), baseUrl, await shop.user('owner'))
    await page.goto(`${baseUrl}/payments/${payment.id}`, { waitUntil: 'networkidle' })
    const add = page.getByRole('button', { name: 'Add note' })
    const alert = page.getByRole('alert').filter({ hasText: 'Check whether your change was saved before you repeat it.' })
    const failures = ['abort', 503] as const
    const clickAndFail = async (button: Locator, failure: (typeof failures)[number]) => {
      await page.route('**/payments/*', (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        return failure === 'abort' ? route.abort() : route.fulfill({ status: failure })
      })
      await button.click()
      await expect(alert).toContainText(failure === 'abort' ? 'The connection was lost.' : 'The server is unavailable.')
      await page.unroute('**/payments/*')
    }

    await page.getByLabel('Add a note').fill('Will try another card')
    for (const failure of failures) {
      await clickAndFail(add, failure)
      await expect(page.getByLabel('Add a note')).toHaveValue('Will try another card')
    }
    await add.click()
    const remove = page.getByRole('button', { name: 'Delete note' })
    await expect(remove).toBeVisible()
    for (const failure of failures) await clickAndFail(remove, failure)
    await remove.click()
    await expect(remove).toHaveCount(0)
  })

  test('without JavaScript, a form changes the shop it was rendered for, and a form rendered for another user changes nothing', async ({
    browser,
    shop,
    baseUrl,
  }) => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    await startSession(context, baseUrl, await shop.user('owner'))
    const page = await context.newPage()
    const save = async (name: string) => {
      await page.getByLabel('Name').fill(name)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForLoadState()
    }
    await page.goto(`${baseUrl}/settings/seller`)
    await save('')
    await expect(page.getByText('Enter a name (up to 200 characters).')).toBeVisible()
    await save('Renamed')
    expect(await findSeller(shop.seller)).toMatchObject({ name: 'Renamed' })
    await page.locator('[popovertarget=shop-menu]').click()
    await page.getByRole('button', { name: shopCopy.theme.system }).click()
    await page.locator('[popovertarget=shop-menu]').click()
    await expect(page.getByRole('button', { name: shopCopy.theme.light })).toBeVisible()
    await page.goto(`${baseUrl}/settings/seller`)
    await startSession(context, baseUrl, await shop.user('owner'))
    await save('By another user')
    expect(await findSeller(shop.seller)).toMatchObject({ name: 'Renamed' })
    await context.close()
  })

  test('two owners who edit the same shop, event or endpoint at once keep each other’s changes', async ({
    signedIn: page,
    shop,
    baseUrl,
  }) => {
    const eventId = await addCheckoutPage(shop.seller, { name: 'Jazz', entryPolicy: 'single' }, undefined)
    const endpoint = JSON.parse(await addEndpoint(shop.seller, undefined, { url: 'https://example.com/hook', events: ['*'] })) as {
      id: string
    }

    await page.goto(`${baseUrl}/settings/seller`, { waitUntil: 'networkidle' })
    await updateSeller(shop.seller, { timeZone: 'Asia/Kathmandu' }, undefined)
    const saveName = async (name: string) => {
      await page.getByLabel('Name').fill(name)
      await page.getByRole('button', { name: 'Save' }).click()
      await expect.poll(async () => (await findSeller(shop.seller))?.name).toBe(name)
    }
    await saveName('Renamed')
    await saveName('Test')
    expect(await findSeller(shop.seller)).toMatchObject({ name: 'Test', timeZone: 'Asia/Kathmandu' })

    await page.goto(`${baseUrl}/settings/pages`)
    const editEvent = await openDialog(page, 'Edit Jazz')
    await updateCheckoutPage(shop.seller, eventId, { entryPolicy: 'multiple', capacity: 500 }, undefined)
    await editEvent.getByLabel('Name', { exact: true }).fill('Late Jazz')
    await editEvent.getByRole('button', { name: 'Save' }).click()
    await expectStatus(page, 'Saved “Late Jazz”.')
    expect(await listCheckoutPages(shop.seller)).toMatchObject([{ name: 'Late Jazz', entryPolicy: 'multiple', capacity: 500 }])

    await page.goto(`${baseUrl}/settings/webhooks/${endpoint.id}`)
    const editEndpoint = await openDialog(page, 'Edit')
    const url = 'https://new.example.com/hook'
    const headers = { 'Content-Type': 'application/json' }
    const patched = await shop.call(`/v1/webhook_endpoints/${endpoint.id}`, { method: 'PATCH', headers, body: JSON.stringify({ url }) })
    expect(patched.status).toBe(200)
    await editEndpoint.getByLabel('Description').fill('CRM')
    await editEndpoint.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(async () => JSON.parse(String(await findEndpoint(shop.seller, endpoint.id))))
      .toMatchObject({ url, description: 'CRM' })

    const member = await shop.user('staff')
    await page.goto(`${baseUrl}/settings/team`)
    const editRole = await openDialog(page, `Edit role for ${member}`)
    await changeRole(shop.seller, { email: member }, 'owner')
    await editRole.getByRole('button', { name: 'Save' }).click()
    await expectStatus(page, `${member}’s role is now Owner.`)
    expect(await listTeam(shop.seller)).toContainEqual(expect.objectContaining({ email: member, role: 'owner' }))
  })

  test('an event can be added and edited, and check-in applies the new entry policy', async ({ signedIn: page, shop, baseUrl }) => {
    await page.goto(`${baseUrl}/settings/pages`)
    await expect(page.getByText('No products or events yet')).toBeVisible()
    let dialog = await openDialog(page, 'Add product or event')
    await dialog.getByRole('button', { name: 'Add product or event' }).click()
    await expect(dialog.getByText('Enter a name (up to 200 characters).')).toBeVisible()
    await dialog.getByLabel('Name', { exact: true }).fill('Late Jazz')
    await dialog.getByRole('button', { name: 'Add product or event' }).click()
    await expectStatus(page, 'Added “Late Jazz”.')
    const row = page.getByRole('row').filter({ hasText: 'Late Jazz' })
    await expect(row).toContainText('Single entry')
    const id = await row.getByText(/^[0-9a-f]{24}$/).innerText()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await row.getByRole('button', { name: 'Copy ID of Late Jazz' }).click()
    await expect(row.getByRole('status')).toHaveText('Copied ID of Late Jazz')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id)

    await shop.load('tickets', [minimal('tickets', { qrCode: 'code-1', pageId: id })])
    expect((await shop.validate('code-1')).json.success).toBe(true)
    expect((await shop.validate('code-1')).json.success).toBe(false)
    dialog = await openDialog(page, 'Edit Late Jazz')
    await dialog.getByLabel('Name', { exact: true }).fill('Friday Late Jazz')
    await dialog.getByLabel('Multiple entries').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expectStatus(page, 'Saved “Friday Late Jazz”.')
    await expect(page.getByRole('row').filter({ hasText: 'Friday Late Jazz' })).toContainText('Multiple entries')
    expect((await shop.validate('code-1')).json.success).toBe(true)
  })

  test('an imported event can be edited even if the form would not accept its name', async ({ signedIn: page, shop, baseUrl }) => {
    const name = 'x'.repeat(201)
    await shop.load('pages', [minimal('pages', { name })])
    await page.goto(`${baseUrl}/settings/pages`)
    const dialog = await openDialog(page, `Edit ${name}`)
    await dialog.getByLabel('Multiple entries').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expectStatus(page, `Saved “${name}”.`)
    expect(await listCheckoutPages(shop.seller)).toMatchObject([{ name, entryPolicy: 'multiple' }])
  })

  test('an invited user joins with a link that works once, gets another role, and is signed out when disabled', async ({
    signedIn: page,
    other: guestPage,
    shop,
    baseUrl,
  }) => {
    const guest = `guest-${shop.seller}@example.com`
    await page.goto(`${baseUrl}/settings/team`)
    const dialog = await openDialog(page, 'Invite teammate')
    await dialog.getByLabel('Email').fill('nobody')
    await dialog.getByRole('button', { name: 'Create invite link' }).click()
    await expect(dialog.getByText('Enter an email address, such as you@example.com.')).toBeVisible()
    await expect(dialog.getByLabel('Email')).toHaveValue('nobody')
    await dialog.getByLabel('Email').fill(await shop.user('door'))
    await dialog.getByRole('button', { name: 'Create invite link' }).click()
    await expect(dialog.getByText('Someone on your team already uses this email. Enter a different one.')).toBeVisible()
    await dialog.getByLabel('Email').fill(guest)
    await dialog.getByLabel('Door').check()
    await dialog.getByRole('button', { name: 'Create invite link' }).click()
    const link = await dialog.getByLabel('Invite link').inputValue()
    expect(link.startsWith(`${baseUrl}/invite/`)).toBe(true)
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await expectStatus(page, `Created an invite link for ${guest}.`)
    await expect(page.getByRole('table', { name: 'Invitations', exact: true })).toContainText(guest)
    expect(await containsText(page, link)).toBe(false)

    const problems = watch(guestPage, baseUrl)
    await guestPage.goto(link)
    await expect(guestPage.getByRole('heading', { name: 'Join Test' })).toBeVisible()
    await expect(guestPage.getByLabel('Email')).toHaveValue(guest)
    await expect(guestPage.locator('meta[name=referrer]')).toHaveAttribute('content', 'no-referrer')
    await guestPage.getByLabel('Password', { exact: true }).fill('short')
    await guestPage.getByRole('button', { name: 'Join' }).click()
    await expect(guestPage.getByText('Use 10 to 1,000 characters.')).toBeVisible()
    await guestPage.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await guestPage.getByRole('button', { name: 'Show: Password' }).click()
    await expect(guestPage.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
    // The link is also opened in another tab before it is used.
    const late = await guestPage.context().newPage()
    await late.goto(link)
    await guestPage.getByRole('button', { name: 'Join' }).click()
    await guestPage.waitForURL(`${baseUrl}/sign-in`)
    await late.getByLabel('Password', { exact: true }).fill('a stranger’s password')
    await late.getByRole('button', { name: 'Join' }).click()
    await expect(late.getByRole('alert').filter({ hasText: 'This invitation isn’t valid anymore' })).toBeVisible()
    expect((await late.goto(link))?.status()).toBe(404)
    await expect(late.getByRole('heading', { name: 'This invitation isn’t valid anymore' })).toBeVisible()
    await late.close()
    await submitSignIn(guestPage, guest, PASSWORD)
    await guestPage.waitForURL(`${baseUrl}/door`)
    await guestPage.goto(`${baseUrl}/settings`)
    await guestPage.waitForURL(`${baseUrl}/settings/password`)
    await expect(guestPage.getByRole('link', { name: '← Check-in' })).toBeVisible()

    await page.reload()
    await expect(page.getByRole('table', { name: 'Invitations', exact: true })).toHaveCount(0)
    const roles = await openDialog(page, `Edit role for ${guest}`)
    await roles.getByRole('radio', { name: /^Staff/ }).check()
    await roles.getByRole('button', { name: 'Save' }).click()
    await expectStatus(page, `${guest}’s role is now Staff.`)
    expect((await guestPage.goto(`${baseUrl}/payments`))?.status()).toBe(200)

    const confirmation = await openDialog(page, `Disable ${guest}`)
    await confirmation.getByRole('button', { name: 'Disable user' }).click()
    await expectStatus(page, `Disabled ${guest}.`)
    await guestPage.goto(`${baseUrl}/payments`)
    await expect(guestPage.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await page.getByRole('button', { name: `Enable ${guest}` }).click()
    await expectStatus(page, `Enabled ${guest}.`)
    await submitSignIn(guestPage, guest, PASSWORD)
    await guestPage.waitForURL(`${baseUrl}/payments`)
    expect(problems).toEqual([])
  })

  test('an invitation can be revoked, and owners cannot change their own role or disable themselves', async ({
    signedIn: page,
    other,
    shop,
    baseUrl,
  }) => {
    const guest = `guest-${shop.seller}@example.com`
    await page.goto(`${baseUrl}/settings/team`)
    const myself = page.getByRole('row').filter({ hasText: '(you)' })
    await expect(myself).toBeVisible()
    await expect(myself.getByRole('button')).toHaveCount(0)
    const dialog = await openDialog(page, 'Invite teammate')
    await dialog.getByLabel('Email').fill(guest)
    await dialog.getByRole('button', { name: 'Create invite link' }).click()
    const link = await dialog.getByLabel('Invite link').inputValue()
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await expectStatus(page, `Created an invite link for ${guest}.`)
    // If another owner revokes it first, the dialog says so.
    const confirmation = await openDialog(page, `Revoke the invitation for ${guest}`)
    const revoke = (isRevoked: boolean) =>
      database().use(({ rows }) =>
        rows(sql`update invitations set revoked_at = case when ${isRevoked}::bool then now() end where seller_id = ${shop.seller}`),
      )
    await revoke(true)
    await confirmation.getByRole('button', { name: 'Revoke invitation' }).click()
    await expect(confirmation.getByText('This invitation is no longer valid.')).toBeVisible()
    await revoke(false)
    await confirmation.getByRole('button', { name: 'Revoke invitation' }).click()
    await expectStatus(page, `Revoked the invitation for ${guest}.`)
    await expect(page.getByRole('table', { name: 'Invitations', exact: true })).toHaveCount(0)
    expect((await other.goto(link))?.status()).toBe(404)
  })

  test('a password change keeps this browser signed in and signs out others, and wrong current passwords are throttled', async ({
    page,
    other,
    shop,
    baseUrl,
  }) => {
    const problems = watch(page, baseUrl)
    const email = await shop.user('door')
    await signIn(other, `${baseUrl}/door`, email)
    await signIn(page, `${baseUrl}/settings/password`, email)
    await page.getByLabel('Current password', { exact: true }).fill('not the old one')
    await page.getByLabel('New password', { exact: true }).fill('another password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText('Incorrect password. Check it and try again.')).toBeVisible()
    await expect(page.getByLabel('New password', { exact: true })).toHaveValue('another password')
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await expectStatus(page, 'Password changed.')
    await expect(page.getByLabel('Current password', { exact: true })).toHaveValue('')
    await page.reload()
    await expect(page.getByRole('heading', { name: 'My password' })).toBeVisible()
    await other.goto(`${baseUrl}/door`)
    await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await submitSignIn(other, email, 'another password')
    await other.waitForURL(`${baseUrl}/door`)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await page.getByLabel('Current password', { exact: true }).fill(`wrong ${attempt}`)
      await page.getByLabel('New password', { exact: true }).fill('a third password')
      await page.getByRole('button', { name: 'Change password' }).click()
      await expect(page.getByText(/Incorrect password|Too many attempts/)).toBeVisible()
      await expect(page.getByRole('button', { name: 'Change password' })).toBeEnabled()
    }
    await page.getByLabel('Current password', { exact: true }).fill('another password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText(/Too many attempts\. Try again in \d+ seconds?\./)).toBeVisible()
    expect(problems).toEqual([])
  })
})

test('a form with more text than the server accepts shows an error and keeps its input', async ({ signedIn: page, baseUrl }) => {
  await page.goto(`${baseUrl}/settings/password`)
  const field = page.getByRole('textbox', { name: 'Current password' })
  await field.fill('x'.repeat(65_000))
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'too much text for one form' })).toBeVisible()
  await expect(field).toHaveValue(/^x{65000}$/)
})

/** Two-factor authentication: turning it on and off, signing in with a code, and requiring it for everyone. */
import { sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { database } from '@/db/client'
import {
  addTwoFactor,
  expect,
  expectAccessibleInAllThemesAndSizes,
  openShopMenu,
  PASSWORD,
  type Page,
  signIn,
  signOut,
  submitSignIn,
  test,
  watch,
} from '../support/dashboard'

/** Turns on two-factor authentication on the open page. @returns the secret and the recovery codes */
async function turnOn(page: Page): Promise<{ secret: string; recoveryCodes: string[] }> {
  const secret = (await page.locator('code').innerText()).replaceAll(' ', '')
  await page.getByLabel('Code', { exact: true }).fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
  await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByRole('heading', { name: 'Save your recovery codes' })).toBeFocused()
  return { secret, recoveryCodes: await page.locator('main').getByRole('listitem').allInnerTexts() }
}

test('a user turns on two-factor authentication, signs in with each kind of code, and turns it off', async ({ page, shop, baseUrl }) => {
  const problems = watch(page, baseUrl)
  const email = await shop.user('staff')
  await signIn(page, `${baseUrl}/settings/two-factor`, email)
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  await page.getByLabel('Code', { exact: true }).fill('12')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByText('Incorrect password. Check it and try again.')).toBeVisible()
  await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByText('Incorrect or expired code. Enter the current one.')).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)
  const { secret, recoveryCodes } = await turnOn(page)
  expect(recoveryCodes).toHaveLength(10)
  await expectAccessibleInAllThemesAndSizes(page)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(recoveryCodes.join('\n'))
  await page.getByRole('link', { name: 'I have saved them' }).click()
  await expect(page.getByText('10 recovery codes left.')).toBeVisible()

  // Sign in with a code. Each code works only once, and this one may have been used to turn on two-factor authentication.
  await database().use(({ rows }) =>
    rows(sql`update two_factors set last_step = 0 where user_id = (select id from users where email = ${email})`),
  )
  await signOut(page)
  await submitSignIn(page, email, PASSWORD)
  const code = page.getByLabel('Code', { exact: true })
  await expect(code).toBeFocused()
  await expectAccessibleInAllThemesAndSizes(page)
  await code.fill('12')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Incorrect or expired code.' })).toBeVisible()
  await code.fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${baseUrl}/overview`)

  // Sign in with a recovery code.
  await signOut(page)
  await submitSignIn(page, email, PASSWORD)
  await code.fill(String(recoveryCodes[0]))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${baseUrl}/overview`)
  await page.goto(`${baseUrl}/settings/two-factor`)
  await expect(page.getByText('9 recovery codes left.')).toBeVisible()
  await code.fill(String(recoveryCodes[0]))
  await page.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText('Incorrect or expired code.')).toBeVisible()
  await code.fill(String(recoveryCodes[1]))
  await page.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Two-factor authentication is off.' })).toBeVisible()
  // The rejected sign-in is the only error.
  expect(problems.filter((problem) => !problem.includes('/api/auth/callback/credentials'))).toEqual([])
})

test('if an owner requires two-factor authentication, users without it cannot do anything else until they have set it up', async ({
  page,
  other: otherPage,
  shop,
  baseUrl,
}) => {
  const owner = await shop.user('owner')
  await signIn(page, `${baseUrl}/settings/team`, owner)
  const requireTwoFactor = async () => {
    await page.getByRole('button', { name: 'Require two-factor authentication' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Require', exact: true }).click()
  }
  await requireTwoFactor()
  await expect(page.getByRole('alertdialog').getByText('Turn on two-factor authentication for your own account first')).toBeVisible()
  await addTwoFactor(owner)
  await page.reload()
  await signIn(otherPage, `${baseUrl}/door`, await shop.user('door'))
  await requireTwoFactor()
  await expect(page.getByRole('status').filter({ hasText: 'Two-factor authentication is now required.' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Make optional: two-factor authentication' })).toBeVisible()
  await expectAccessibleInAllThemesAndSizes(page)

  // The open check-in page can no longer be used, and every page redirects to the setup.
  const turnout = await otherPage.request.get(`${baseUrl}/door/turnout`)
  expect([turnout.status(), await turnout.text()]).toEqual([403, expect.stringContaining('Set up two-factor authentication first')])
  for (const path of ['/', '/door']) {
    await otherPage.goto(`${baseUrl}${path}`)
    await expect(otherPage).toHaveURL(`${baseUrl}/settings/two-factor`)
  }
  await expect(otherPage.getByText('Your shop requires two-factor authentication. Set it up to continue.')).toBeVisible()
  await turnOn(otherPage)
  await otherPage.getByRole('link', { name: 'I have saved them' }).click()
  await otherPage.waitForURL(`${baseUrl}/door`)
  await otherPage.goto(`${baseUrl}/settings/two-factor`)
  await expect(otherPage.getByText('Your shop requires it, so you can’t turn it off.')).toBeVisible()

  // The owner resets it for a member who has lost their phone.
  await page.reload()
  await page.getByRole('button', { name: /^Reset two-factor authentication for door-/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset two-factor' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Reset two-factor authentication for door-' })).toBeVisible()
  await otherPage.goto(`${baseUrl}/door`)
  await expect(otherPage).toHaveURL(/\/sign-in/)
})

test('the secret and the recovery codes survive a re-render of the page, such as after a change of theme', async ({
  page,
  shop,
  baseUrl,
}) => {
  await signIn(page, `${baseUrl}/settings/two-factor`, await shop.user('staff'))
  const changeTheme = async (theme: string) => {
    await openShopMenu(page)
    await page.getByRole('button', { name: /^Theme/ }).click()
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
    await page.keyboard.press('Escape')
  }
  const secret = page.locator('main code')
  const before = await secret.innerText()
  await changeTheme('light')
  expect(await secret.innerText()).toBe(before)
  const { recoveryCodes } = await turnOn(page)
  await changeTheme('dark')
  await expect(page.locator('main').getByRole('listitem')).toHaveText(recoveryCodes)
  await page.getByRole('link', { name: 'I have saved them' }).click()
  await expect(page.getByText('10 recovery codes left.')).toBeVisible()
})

test('on a phone, the current settings tab is in view', async ({ page, shop, baseUrl }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, `${baseUrl}/settings/two-factor`, await shop.user('owner'))
  const tab = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Two-factor authentication' })
  await expect(tab).toBeInViewport({ ratio: 1 })
})

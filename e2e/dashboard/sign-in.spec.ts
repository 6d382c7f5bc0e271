/** Sign-in, sign-out, sessions, throttling and redirects. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { updateSeller } from '@/lib/accounts/sellers'
import { countAttempts, userSubject } from '@/lib/accounts/sign-in-throttle'
import { disableMember } from '@/lib/accounts/team'
import { setPassword } from '@/lib/accounts/users'
import { minimal } from '@/testing/seller'
import {
  expect,
  expectAccessibleInAllThemesAndSizes,
  makeUser,
  openBeforeHydration,
  PASSWORD,
  signIn,
  signInByForm,
  signOut,
  startSession,
  submitSignIn,
  test,
} from '../support/dashboard'

test('a user signs in, returns to the requested page, and signs out', async ({ page, shop, baseUrl }) => {
  const [payment, ticket] = [minimal('payments', { orderId: 'OR-1' }), minimal('tickets')]
  await shop.load('payments', [payment])
  // The link opens the record in the drawer next to the table.
  await signInByForm(page, `${baseUrl}/payments?status=paid&peek=${payment.id}`, await shop.user('owner'))
  await expect(page.locator('[data-peek]')).toContainText('OR-1')
  const cookies = await page.context().cookies()
  for (const { name, httpOnly, sameSite } of cookies) expect([name, httpOnly, sameSite]).toEqual([name, true, 'Lax'])
  await signOut(page)
  const path = `/tickets?peek=${ticket.id}`
  await page.goto(baseUrl + path)
  await expect(page).toHaveURL(`${baseUrl}/sign-in?callbackUrl=${encodeURIComponent(path)}`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  // A copy of the old cookie no longer works, because its session has ended on the server.
  await page.context().addCookies(cookies)
  await page.goto(`${baseUrl}/payments`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('a form submitted before hydration signs in, keeps its input, and never puts the password in a URL', async ({
  page,
  shop,
  baseUrl,
}) => {
  const email = await shop.user('owner')
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  page.on('framenavigated', (frame) => urls.push(frame.url()))
  const open = async (password: string) => {
    const { release } = await openBeforeHydration(page, `${baseUrl}/sign-in?callbackUrl=%2Fpayments`)
    await submitSignIn(page, email, password)
    release()
  }
  await open('another password')
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible()
  await expect(page.getByLabel('Email')).toHaveValue(email)
  await expect(page.getByLabel('Password')).toHaveValue('another password')
  await open(PASSWORD)
  await page.waitForURL(`${baseUrl}/payments`)
  expect(urls.filter((url) => url.includes('password'))).toEqual([])
})

test('without JavaScript, the sign-in form does not put the password in a URL', async ({ browser, baseUrl }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await page.goto(`${baseUrl}/sign-in`)
  await submitSignIn(page, 'owner@example.com', PASSWORD)
  await page.goto(`${baseUrl}/sign-in`)
  expect(urls.filter((url) => url.includes('password'))).toEqual([])
  await context.close()
})

test('next-auth’s own sign-out ends the session on the server', async ({ page, shop, baseUrl }) => {
  await startSession(page.context(), baseUrl, await shop.user('owner'))
  const cookies = await page.context().cookies()
  const { csrfToken } = (await (await page.request.get(`${baseUrl}/api/auth/csrf`)).json()) as { csrfToken: string }
  expect((await page.request.post(`${baseUrl}/api/auth/signout`, { form: { csrfToken, json: 'true' } })).status()).toBe(200)
  await page.context().addCookies(cookies)
  await page.goto(`${baseUrl}/payments`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('a user of several shops chooses one, and other people’s attempts do not lock out a browser that has signed in before', async ({
  page,
  other: stranger,
  shop,
  baseUrl,
}) => {
  const { makeApi } = await import('../support/api')
  const other = await makeApi(baseUrl)
  await updateSeller(other.seller, { name: 'Second Shop', timeZone: 'UTC' }, undefined)
  const email = await shop.user('owner')
  const userId = await makeUser(other.seller, email, 'staff')
  await page.goto(`${baseUrl}/sign-in?callbackUrl=%2Fpayments`)
  await submitSignIn(page, email, PASSWORD)
  const shops = page.getByRole('group', { name: 'Choose a shop' })
  await expect(shops.getByRole('radio')).toHaveCount(2)
  await expect(shops.getByRole('radio').first()).toBeFocused()
  await expectAccessibleInAllThemesAndSizes(page)
  await page.getByRole('button', { name: 'Use a different account' }).click()
  await expect(page.getByLabel('Email')).toHaveValue(email)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await shops.getByLabel('Second Shop').check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${baseUrl}/payments`)
  await expect(page.getByRole('button', { name: 'Second Shop' })).toBeVisible()

  // Other people exhaust the user's attempt limit. A browser that has signed in before is not affected.
  const { subject } = userSubject(userId)
  for (let attempt = 0; attempt < 5; attempt += 1) await countAttempts([subject])
  await database().use(({ rows }) => rows(sql`update sign_in_failures set last_at = now() + interval '1 hour' where subject = ${subject}`))
  await signOut(page, 'Second Shop')
  await setPassword(shop.seller, email, 'another password')
  for (const [tab, outcome] of [
    [stranger, stranger.getByRole('alert').filter({ hasText: /Too many attempts/ })],
    [page, page.getByRole('button', { name: 'Second Shop' })],
  ] as const) {
    await tab.goto(`${baseUrl}/sign-in?callbackUrl=%2Fpayments`)
    await submitSignIn(tab, email, PASSWORD)
    await expect(outcome).toBeVisible()
  }
})

test('a wrong password and an unknown user get the same message, and the form keeps the email address', async ({ page, shop, baseUrl }) => {
  const email = await shop.user('owner')
  await page.goto(`${baseUrl}/sign-in`)
  for (const [address, password] of [
    [email, 'wrong password'],
    [`nobody-${shop.seller}@example.com`, PASSWORD],
  ] as const) {
    await submitSignIn(page, address, password)
    await expect(page.getByRole('alert').filter({ hasText: 'Incorrect email or password.' })).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue(address)
  }
})

test('after five wrong passwords, sign-in is throttled even with the correct one, and equally for unknown accounts', async ({
  page,
  shop,
  baseUrl,
}) => {
  for (const email of [await shop.user('owner'), `nobody-${shop.seller}@example.com`]) {
    await page.goto(`${baseUrl}/sign-in`)
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await page.getByLabel('Password').fill('')
      await submitSignIn(page, email, `wrong ${attempt}`)
      await expect(page.getByRole('alert').filter({ hasText: /Incorrect email or password|Too many attempts/ })).toBeVisible()
      await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled()
    }
    // The first delay is five seconds, which may not be enough for a slow machine to fill in the form.
    await database().use(({ rows }) => rows(sql`update sign_in_failures set last_at = now() + interval '1 minute' where failures >= 5`))
    await submitSignIn(page, email, PASSWORD)
    await expect(page.getByRole('alert').filter({ hasText: /Too many attempts\. Try again in \d+ seconds?/ })).toBeVisible()
  }
})

test('a session ends immediately when the user is disabled or their password is changed', async ({ page, shop, baseUrl }) => {
  for (const end of [
    (email: string) => disableMember(shop.seller, { email }),
    (email: string) => setPassword(shop.seller, email, 'another password'),
  ]) {
    const email = await shop.user('staff')
    await signIn(page, `${baseUrl}/payments`, email)
    await end(email)
    await page.goto(`${baseUrl}/bookings`)
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  }
})

test('a sign-in link cannot redirect to another site', async ({ page, shop, baseUrl }) => {
  const signInUrl = (evilUrl: string) => `${baseUrl}/sign-in?callbackUrl=${encodeURIComponent(evilUrl)}`
  const email = await shop.user('owner')
  await page.goto(signInUrl('//evil.example'))
  await submitSignIn(page, email, PASSWORD)
  await page.waitForURL(`${baseUrl}/overview`)
  // same-origin-path.test.ts checks more URLs. The form and the redirect of users who are already signed in use the same function.
  for (const evilUrl of ['https://evil.example/', '//evil.example', '/\\evil.example', '/\t/evil.example', 'javascript:alert(1)']) {
    const response = await page.request.get(signInUrl(evilUrl), { maxRedirects: 0 })
    expect([response.status(), response.headers().location], evilUrl).toEqual([307, '/'])
  }
})

test('a door user sees no records, but a message that access is denied', async ({ page, shop, baseUrl }) => {
  await shop.load('payments', [minimal('payments', { orderId: 'OR-SECRET' })])
  const email = await shop.user('door')
  await page.goto(`${baseUrl}/sign-in`)
  await submitSignIn(page, email, PASSWORD)
  await page.waitForURL(`${baseUrl}/door`)
  await expect(page).toHaveTitle('Check-in · Checkout Desk')
  for (const path of ['/payments', '/bookings', '/subscriptions', '/coupons', `/payments/${'a'.repeat(24)}`]) {
    const response = await page.request.get(`${baseUrl}${path}`)
    expect(response.status(), path).toBe(403)
    expect(await response.text(), path).not.toContain('OR-SECRET')
  }
  // All responses with this status show the same page.
  await page.goto(`${baseUrl}/payments`)
  await expect(page.getByRole('heading', { name: 'You don’t have access to this page' })).toBeVisible()
  expect(await page.content()).not.toContain('OR-SECRET')
})

test('staff see only their own shop’s records', async ({ page, shop, baseUrl }) => {
  const { makeApi } = await import('../support/api')
  const other = await makeApi(baseUrl)
  const theirs = minimal('payments', { orderId: 'OR-THEIRS' })
  await other.load('payments', [theirs])
  await shop.load('payments', [minimal('payments', { orderId: 'OR-MINE' })])
  await signIn(page, `${baseUrl}/payments`, await shop.user('staff'))
  await expect(page.getByRole('link', { name: 'OR-MINE' })).toBeVisible()
  expect(await page.content()).not.toContain('OR-THEIRS')
  expect((await page.request.get(`${baseUrl}/payments/${theirs.id}`)).status()).toBe(404)
  await page.goto(`${baseUrl}/payments?starting_after=${theirs.id}`)
  await expect(page.getByRole('heading', { name: 'This link isn’t valid anymore' })).toBeVisible()
})

test('the sign-in page is accessible on desktop and phone, in light and dark mode', async ({ page, baseUrl }) => {
  await page.goto(`${baseUrl}/sign-in`)
  await expect(page).toHaveTitle('Sign in · Checkout Desk')
  await expectAccessibleInAllThemesAndSizes(page)
})

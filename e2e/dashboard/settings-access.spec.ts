/** Access to the owners' settings: only the shop's owners can open and change them, and only from the dashboard's own pages. */
import { sql } from 'drizzle-orm'
import { PAGE_USER } from '@/app/page-user'
import { database } from '@/db/client'
import { createKey, listKeys } from '@/lib/accounts/api-keys'
import { addCheckoutPage, listCheckoutPages } from '@/lib/accounts/checkout-pages'
import { invite, listInvitations } from '@/lib/accounts/invitations'
import { disableMember, listTeam } from '@/lib/accounts/team'
import { listAudit } from '@/lib/listing/list-audit'
import { listEvents } from '@/lib/sync/stripe/events'
import { makeApi } from '../support/api'
import { addTwoFactor, expect, makeUser, type Page, sessionCookie, signIn, startSession, test } from '../support/dashboard'
import { addFailedEvent } from '../support/stripe'

const AREAS = ['keys', 'pages', 'team', 'seller', 'stripe', 'audit']

for (const role of ['staff', 'door'] as const) {
  test(`${role} can open the password form and gets a 403 for the owners’ settings`, async ({ page, shop, baseUrl }) => {
    await signIn(page, `${baseUrl}/settings/password`, await shop.user(role))
    await expect(page.getByRole('navigation', { name: 'Settings' }).getByRole('link')).toHaveText([
      ...(role === 'staff' ? ['Check-in devices'] : []),
      'My password',
      'Two-factor authentication',
    ])
    for (const area of AREAS) {
      const response = await page.request.get(`${baseUrl}/settings/${area}`)
      expect(response.status(), area).toBe(403)
      expect(await response.text(), area).not.toContain(shop.keyId)
    }
    // All responses with this status show the same page.
    await page.goto(`${baseUrl}/settings/keys`)
    await expect(page.getByRole('heading', { name: 'You don’t have access to this page' })).toBeVisible()
    expect(await page.content()).not.toContain(shop.keyId)
    await page.goto(`${baseUrl}/settings`)
    await page.waitForURL(`${baseUrl}/settings/password`)
  })
}

test('visitors are redirected to sign-in, with a link back to the page', async ({ page, baseUrl }) => {
  const signInUrl = (area: string) => `/sign-in?callbackUrl=${encodeURIComponent(`/settings/${area}`)}`
  for (const area of [...AREAS, 'password', 'two-factor']) {
    const response = await page.request.get(`${baseUrl}/settings/${area}`, { maxRedirects: 0 })
    expect([response.status(), response.headers().location], area).toEqual([307, signInUrl(area)])
  }
  await page.goto(`${baseUrl}/settings/keys`)
  await expect(page).toHaveURL(`${baseUrl}${signInUrl('keys')}`)
})

type CapturedRequest = { name: string; url: string; headers: Record<string, string>; body: Buffer }

/** Intercepts the request that an owner's browser sends during `work`, and returns it, so that other users can send it. */
async function capture(page: Page, name: string, work: () => Promise<void>): Promise<CapturedRequest> {
  const sent = new Promise<CapturedRequest>((resolve) => {
    void page.route('**/settings/**', async (route) => {
      const request = route.request()
      if (request.method() !== 'POST') return route.continue()
      const { 'next-action': action = '', 'content-type': type = '', accept = '', [PAGE_USER]: user = '' } = request.headers()
      const headers = { 'next-action': action, 'content-type': type, accept, [PAGE_USER]: user }
      resolve({ name, url: request.url(), headers, body: request.postDataBuffer() ?? Buffer.alloc(0) })
      // Send a response, because Next resends an action that gets none.
      await route.fulfill({ status: 503, body: 'blocked by the test' })
    })
  })
  await work()
  const result = await sent
  await page.unroute('**/settings/**')
  return result
}

/** Performs each action in the owners' settings, and returns the requests instead of sending them. */
async function captureAll(page: Page, baseUrl: string, emails: { staff: string; disabled: string }): Promise<CapturedRequest[]> {
  const dialog = page.locator('[role=dialog]:not([data-closed]), [role=alertdialog]:not([data-closed])')
  const openArea = (area: string) => page.goto(`${baseUrl}/settings/${area}`, { waitUntil: 'networkidle' })
  const open = async (button: string) => {
    await page.getByRole('button', { name: button, exact: true }).click()
    await expect(dialog).toBeVisible()
  }
  const press = (button: string) => dialog.getByRole('button', { name: button, exact: true }).click()
  const sent: CapturedRequest[] = []
  const captureAction = async (name: string, work: () => Promise<void>) => {
    sent.push(await capture(page, name, work))
    // A dialog stays open after the error. If its form has changes, Escape first shows a warning.
    await expect(async () => {
      if (await dialog.isVisible()) await page.keyboard.press('Escape')
      await expect(page.locator('[role=dialog], [role=alertdialog]')).toHaveCount(0, { timeout: 500 })
    }).toPass()
  }

  await openArea('keys')
  await open('Create key')
  await dialog.getByLabel('Name', { exact: true }).fill('By another user')
  await dialog.getByLabel('Read payments').check()
  await captureAction('create a key', () => press('Create key'))
  await open('Rotate Test')
  await captureAction('rotate a key', () => press('Rotate key'))
  await open('Revoke Test')
  await captureAction('revoke a key', () => press('Revoke key'))
  await captureAction('resume a key', () => page.getByRole('button', { name: 'Resume Paused' }).click())
  await openArea('pages')
  await open('Add product or event')
  await dialog.getByLabel('Name', { exact: true }).fill('By another user')
  await captureAction('add a page', () => press('Add product or event'))
  await open('Edit Jazz')
  await dialog.getByLabel('Name', { exact: true }).fill('By another user')
  await captureAction('change a page', () => press('Save'))
  await openArea('team')
  await open('Invite teammate')
  await dialog.getByLabel('Email').fill('by-another-user@example.com')
  await captureAction('invite', () => press('Create invite link'))
  await open('Revoke the invitation for invited@example.com')
  await captureAction('revoke an invitation', () => press('Revoke invitation'))
  await open(`Edit role for ${emails.staff}`)
  await dialog.getByLabel('Owner').check()
  await captureAction('change a role', () => press('Save'))
  await open(`Disable ${emails.staff}`)
  await captureAction('disable', () => press('Disable user'))
  await captureAction('enable', () => page.getByRole('button', { name: `Enable ${emails.disabled}` }).click())
  await open(`Reset two-factor authentication for ${emails.staff}`)
  await captureAction('reset two-factor authentication', () => press('Reset two-factor'))
  await open('Require two-factor authentication')
  await captureAction('require two-factor authentication', () => press('Require'))
  await openArea('seller')
  await page.getByLabel('Name').fill('By another user')
  await captureAction('change the shop', () => page.getByRole('button', { name: 'Save' }).click())
  await openArea('stripe')
  await page.getByLabel('Signing secret').fill('whsec_by_another_user')
  await captureAction('set the Stripe secret', () => page.getByRole('button', { name: 'Save' }).click())
  for (const button of [/^Retry evt_/, 'Retry all'])
    await captureAction(`retry: ${button}`, () => page.getByRole('button', { name: button }).click())
  return sent
}

/** Sends a captured request with a user's cookie, or without one. */
const resend = ({ url, headers, body }: CapturedRequest, cookie: string, extraHeaders: Record<string, string>) =>
  fetch(url, { method: 'POST', headers: { ...headers, ...extraHeaders, cookie }, body: new Uint8Array(body), redirect: 'manual' })

async function makeCookie(email: string): Promise<string> {
  const { name, value } = await sessionCookie(email)
  return `${name}=${value}`
}

test('each action rejects users who are not owners and requests from other sites, and another shop’s owner changes nothing', async ({
  page,
  shop,
  baseUrl,
}) => {
  const emails = { staff: await shop.user('staff'), disabled: await shop.user('staff'), owner: await shop.user('owner') }
  await disableMember(shop.seller, { email: emails.disabled })
  const [owner] = (await listTeam(shop.seller)).filter(({ email }) => email === emails.owner)
  await addFailedEvent(shop.seller)
  await addCheckoutPage(shop.seller, { name: 'Jazz', entryPolicy: 'single' }, undefined)
  await invite(shop.seller, { email: 'invited@example.com', role: 'staff' }, { userId: String(owner?.userId), email: emails.owner })
  await addTwoFactor(emails.owner)
  await addTwoFactor(emails.staff)
  const paused = await createKey({ sellerId: shop.seller, name: 'Paused', scopes: ['full'] })
  await database().use(({ rows }) => rows(sql`update api_keys set paused_until = now() + interval '1 hour' where id = ${paused.id}`))
  await startSession(page.context(), baseUrl, emails.owner)
  const sent = await captureAll(page, baseUrl, emails)
  expect(new Set(sent.map(({ headers }) => headers['next-action'])).size).toBe(17)

  const readState = async () => ({
    keys: (await listKeys(shop.seller)).map(({ lastUsedAt: _, ...key }) => key),
    pages: await listCheckoutPages(shop.seller),
    team: await listTeam(shop.seller),
    invitations: await listInvitations(shop.seller),
    events: await listEvents({ seller: shop.seller }),
    audit: (await listAudit(shop.seller)).rows.length,
  })
  const before = await readState()

  // Staff, door users and visitors.
  for (const role of ['staff', 'door', 'visitor'] as const) {
    const email = role === 'visitor' ? undefined : await shop.user(role)
    const cookie = email === undefined ? '' : await makeCookie(email)
    const userId = (await listTeam(shop.seller)).find((member) => member.email === email)?.userId ?? ''
    for (const request of sent) {
      const response = await resend(request, cookie, { [PAGE_USER]: userId, origin: baseUrl })
      expect([request.name, role, response.status]).toEqual([request.name, role, role === 'visitor' ? 401 : 403])
    }
  }

  // Requests from the owner's browser, but from other sites' pages.
  const ownerCookie = await makeCookie(emails.owner)
  const origins = ['https://evil.example', 'null', `${baseUrl}.evil.example`]
  for (const [index, request] of sent.entries()) {
    const origin = String(origins[index % origins.length])
    expect([request.name, origin, (await resend(request, ownerCookie, { origin })).status]).toEqual([request.name, origin, 403])
  }

  const newMembers = (await listTeam(shop.seller)).filter(({ email }) => !before.team.some((member) => member.email === email))
  expect(newMembers.map(({ role }) => role)).toEqual(['staff', 'door'])
  const after = await readState()
  expect({ ...after, team: after.team.slice(0, before.team.length), audit: after.audit - newMembers.length }).toEqual(before)

  // Another shop's owner may run these actions, but they change nothing in this shop.
  const other = await makeApi(baseUrl)
  await createKey({ sellerId: other.seller, name: 'Theirs', scopes: ['full'] })
  const otherOwner = `foreign-${other.seller}@example.com`
  const otherId = await makeUser(other.seller, otherOwner, 'owner')
  await addTwoFactor(otherOwner)
  const otherCookie = await makeCookie(otherOwner)
  for (const request of sent) {
    const response = await resend(request, otherCookie, { [PAGE_USER]: otherId, origin: baseUrl })
    expect([request.name, response.status]).toEqual([request.name, 200])
  }
  expect(await readState()).toEqual(after)

  // Pages that this shop's owner left open in that browser change nothing in the other shop.
  const entryCount = (await listAudit(other.seller)).rows.length
  for (const request of sent) {
    const { [PAGE_USER]: _, ...otherHeaders } = request.headers
    for (const headers of [request.headers, otherHeaders]) {
      const response = await resend({ ...request, headers }, otherCookie, { origin: baseUrl })
      const isRejected = (await response.text()).includes(`as ${otherOwner}. Reload this page.`)
      expect([request.name, response.status, isRejected]).toEqual([request.name, 500, true])
    }
  }
  expect((await listAudit(other.seller)).rows.length).toBe(entryCount)

  // If this shop's owner sends the same requests, all changes are made.
  for (const request of sent) {
    const response = await resend(request, ownerCookie, { origin: baseUrl })
    expect([request.name, response.status]).toEqual([request.name, 200])
  }
  const actions = (await listAudit(shop.seller)).rows.slice(0, 17).map(({ action }) => action)
  expect(actions.toReversed()).toEqual([
    'key.created',
    'key.rotated',
    'key.revoked',
    'key.resumed',
    'page.added',
    'page.changed',
    'invitation.created',
    'invitation.revoked',
    'user.role_changed',
    'user.disabled',
    'user.enabled',
    'two_factor.reset',
    'two_factor.required',
    'seller.changed',
    'stripe.secret_set',
    'stripe.events_retried',
    'stripe.events_retried',
  ])
})

test('a malformed key ID matches no key', async ({ page, shop, baseUrl }) => {
  await signIn(page, `${baseUrl}/settings/keys`, await shop.user('owner'))
  await page.waitForLoadState('networkidle')
  await page.getByRole('button', { name: 'Revoke Test' }).click()
  const revoke = await capture(page, 'revoke', () => page.getByRole('button', { name: 'Revoke key' }).click())
  for (const id of ['', '\u0000', 'x'.repeat(10_000), shop.seller, { $: 1 }, [shop.keyId], null]) {
    const response = await page.context().request.post(revoke.url, {
      headers: { ...revoke.headers, origin: baseUrl },
      data: Buffer.from(JSON.stringify([id])),
    })
    expect([id, response.status()]).toEqual([id, 200])
    expect(await response.text()).toContain('This key has expired or was revoked.')
  }
  expect((await shop.call('/v1/payments')).status).toBe(200)
})

test('the invitation page sends no Referer, because its URL is a secret', async ({ page, shop, baseUrl }) => {
  await shop.user('owner')
  const [owner] = await listTeam(shop.seller)
  const by = { userId: String(owner?.userId), email: String(owner?.email) }
  const { token } = await invite(shop.seller, { email: `guest-${shop.seller}@example.com`, role: 'door' }, by)
  await page.goto(`${baseUrl}/invite/${token}`)
  const referers: (string | undefined)[] = []
  await page.route('**/elsewhere', (route) => {
    referers.push(route.request().headers().referer)
    return route.fulfill({ body: 'elsewhere' })
  })
  await page.evaluate(() => {
    const link = document.createElement('a')
    link.href = '/elsewhere'
    document.body.append(link)
    link.click()
  })
  await page.waitForURL('**/elsewhere')
  expect(referers).toEqual([undefined])
})

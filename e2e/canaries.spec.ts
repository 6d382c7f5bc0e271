/** Sends secrets through many error paths, and checks that no log, metric, error message, command output, page or export leaks them. */
import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import type { Role } from '@/lib/accounts/roles'
import { addUser } from '@/lib/accounts/users'
import { resources } from '@/lib/catalog'
import { makeTemporaryFolder } from '@/testing/postgres'
import { pagePaths } from '@/testing/routes'
import { importLines, type Line, makeKey, makeSeller, minimal } from '@/testing/seller'
import { type BrowserContext, expect, newAddress, type Page, sessionCookie, signInByForm, test } from './support/dashboard'
import { desk, serve, stop, untilReady } from './support/processes'

const METRICS_TOKEN = 'a-token-of-forty-letters-made-up-here-xx'
const RATE_LIMIT_PER_MINUTE = 40

/** Returns a unique secret. */
const canary = (name: string) => `canary-${name}-${randomBytes(6).toString('hex')}`

/** Secrets by name. */
type Secrets = Record<string, string>

/** Creates a shop with canaries in its customer, orders and ticket. `exhausted` is a key whose rate limit the test exceeds. */
async function makeShop() {
  const seller = await makeSeller()
  const { key } = await makeKey(seller, 'payments:read', 'tickets:validate')
  const { key: exhausted } = await makeKey(seller, 'payments:read')
  const secrets = {
    key,
    exhausted,
    invalid: `desk_${'Canary0'.repeat(6).slice(0, 36)}`,
    email: `${canary('mail')}@example.com`,
    code: canary('code'),
    clientSecret: canary('client'),
    password: canary('password'),
    mistyped: canary('mistyped'),
  }
  const person = { customerEmail: secrets.email, billing: { email: secrets.email }, gatewayPaymentIntentClientSecret: secrets.clientSecret }
  const ids: Record<string, string> = {}
  for (const name of ['coupons', 'customers', 'payments', 'bookings', 'subscriptions'] as const) {
    const line = minimal(name, name === 'coupons' ? {} : name === 'customers' ? { email: secrets.email } : { ...person, orderId: 'BK-1' })
    ids[name] = String(line.id)
    await importLines(name, seller, [line])
  }
  const ticket = minimal('tickets', { qrCode: secrets.code, chargeId: ids.bookings, orderId: 'BK-1', customerEmail: secrets.email })
  await importLines('tickets', seller, [ticket])
  ids.tickets = String(ticket.id)
  return { seller, secrets, ids, payment: String(ids.payments) }
}
type Shop = Awaited<ReturnType<typeof makeShop>>

/** Triggers most of the API's error statuses. @returns the statuses, all response headers and the bodies of error responses */
async function triggerErrors(url: string, { secrets, payment }: Shop) {
  const { key, exhausted, invalid, email, code, clientSecret, password } = secrets
  const statuses = new Set<number>()
  const responses: string[] = []
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, { redirect: 'manual', ...init })
    statuses.add(response.status)
    // Collect only the bodies of error responses, because other bodies may contain the customer's email address.
    responses.push(JSON.stringify([...response.headers]), response.ok ? '' : await response.text())
  }
  const encodedEmail = encodeURIComponent(email)
  const sendAll = async (bearer: string | undefined) => {
    const headers: Record<string, string> = bearer ? { Authorization: `Bearer ${bearer}` } : {}
    const json = { ...headers, 'Content-Type': 'application/json' }
    const paths = [
      `/v1/payments?search=${encodedEmail}`,
      `/v1/payments?starting_after=${payment}&ending_before=${payment}`,
      `/v1/payments?limit=0&search=${encodedEmail}`,
      `/v1/bookings?search=${encodedEmail}`,
      `/v1/${clientSecret}`,
      `/v1/payments/${clientSecret}`,
      `/v1/payments/${payment}?search=${encodedEmail}`,
      `/payments?search=${encodedEmail}`,
      `/healthz?email=${encodedEmail}`,
      `/readyz?email=${encodedEmail}`,
    ]
    await Promise.all(paths.map((path) => call(path, { headers })))
    const unknownTicket = `/v1/tickets/validate/${code}-unknown`
    const post = (path: string, body: string, more: Record<string, string> = {}) =>
      call(path, { method: 'POST', headers: { ...json, ...more }, body })
    const metadataBody = (value: string) => JSON.stringify({ checkIn: false, metadata: [{ key: 'mail', value }] })
    await post(unknownTicket, metadataBody(email))
    await post(unknownTicket, metadataBody(password.repeat(9)))
    await post(unknownTicket, JSON.stringify({ metadata: password }))
    await post(unknownTicket, `{"${password}`)
    await post(unknownTicket, JSON.stringify({ metadata: password.repeat(4000) }))
    await post(unknownTicket, password, { 'Content-Type': 'text/plain' })
    await post(unknownTicket, '{}', { 'Idempotency-Key': `${clientSecret} x y` })
    await post(`/v1/tickets/validate/${code}`, '{"checkIn":false}', { 'Idempotency-Key': clientSecret })
    await post(`/v1/tickets/validate/${code}-other`, '{}', { 'Idempotency-Key': clientSecret })
    await call(unknownTicket, { method: 'PUT', headers: json, body: password })
    await call('/v1/payments', { headers: { ...headers, 'X-Long': password.repeat(700) } })
  }
  // Send these in parallel, because responses are slow during an outage.
  await Promise.all([key, invalid, undefined].map(sendAll))
  const sendExhausted = () => call(`/v1/payments?search=${encodedEmail}`, { headers: { Authorization: `Bearer ${exhausted}` } })
  await Promise.all(Array.from({ length: RATE_LIMIT_PER_MINUTE + 1 }, sendExhausted))
  return { statuses, responses }
}

/** Sends the same request as the sign-in form. @returns the response's status, headers and body */
async function trySignIn(url: string, email: string, password: string): Promise<string> {
  const headers = { 'x-forwarded-for': newAddress() }
  const csrf = await fetch(`${url}/api/auth/csrf`, { headers })
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const response = await fetch(`${url}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      ...headers,
      cookie: csrf.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; '),
    },
    body: new URLSearchParams({ email, password, csrfToken, json: 'true' }),
  })
  return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`
}

/** Expects none of the texts to contain any of the secrets. @param texts the texts, keyed by their source */
function expectNoSecrets(texts: Record<string, string>, secrets: Secrets): void {
  for (const [source, text] of Object.entries(texts)) {
    for (const [name, secret] of Object.entries(secrets)) expect(text.includes(secret), `${name} in ${source}`).toBe(false)
  }
}

/** Submits the password form and waits for the outcome. @returns the page's HTML */
async function changePassword(page: Page, currentPassword: string, newPassword: string, outcome: RegExp): Promise<string> {
  await page.getByRole('textbox', { name: 'Current password' }).fill(currentPassword)
  await page.getByRole('textbox', { name: 'New password' }).fill(newPassword)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText(outcome).first()).toBeVisible()
  return page.content()
}

/** Returns the session cookie's value. */
const readCookie = async (context: BrowserContext) =>
  (await context.cookies()).find(({ name }) => name.endsWith('session-token'))?.value ?? ''

test('no log, metric, error response, page or command output leaks a secret, whether the database is up or down', async ({ page }) => {
  const env = { DATABASE_URL: String(process.env.TEST_DATABASE_URL), DATA_DIR: String(process.env.TEST_DATA_DIR), LOG_LEVEL: 'trace' }
  const [server, offlineServer, shop, folder] = await Promise.all([
    serve({ ...env, METRICS_TOKEN, RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT_PER_MINUTE) }),
    serve({ ...env, DATABASE_URL: 'postgres://x@127.0.0.1:9/x' }),
    makeShop(),
    makeTemporaryFolder(),
  ])
  const { seller, secrets } = shop
  try {
    await untilReady(server)
    const [online, offline] = await Promise.all([server, offlineServer].map(({ url }) => triggerErrors(url, shop)))
    // On a busy machine, some requests get a 503.
    const statuses = [...(online?.statuses ?? [])].filter((status) => status !== 503)
    expect(statuses.sort()).toEqual([200, 307, 400, 401, 403, 404, 405, 413, 415, 422, 429, 431])
    expect(offline?.statuses).toContain(503)

    // An error about a failed statement contains its parameters. The scan's statement times out while waiting for this row lock.
    const timedOut = await database().transaction(async ({ rows }) => {
      await rows(sql`select from tickets where seller_id = ${seller} for update`)
      const headers = { Authorization: `Bearer ${secrets.key}`, 'Idempotency-Key': secrets.password }
      return fetch(`${server.url}/v1/tickets/validate/${secrets.code}`, { method: 'POST', headers })
    })
    expect(timedOut.status).toBe(503)

    await addUser(seller, { email: secrets.email, password: secrets.password, role: 'owner' })
    const signIns = [
      await trySignIn(server.url, secrets.email, secrets.mistyped),
      await trySignIn(server.url, `x${secrets.email}`, secrets.password),
      await trySignIn(offlineServer.url, secrets.email, secrets.password),
    ]

    // The first server action is rejected; the second fails.
    await signInByForm(page, `${server.url}/settings/password`, secrets.email, secrets.password)
    const cookie = await readCookie(page.context())
    expect(cookie.length).toBeGreaterThan(40)
    const rejectedPage = await changePassword(page, secrets.mistyped, `${secrets.password}-next`, /Incorrect password/)
    const failedPage = await database().transaction(async ({ rows }) => {
      await rows(sql`select from users where seller_id = ${seller} for update`)
      return changePassword(page, secrets.password, `${secrets.password}-next`, /The server is unavailable/)
    })

    const file = join(folder, 'payments.ndjson')
    const toLine = (members: Line) =>
      JSON.stringify(minimal('payments', { gatewayPaymentIntentClientSecret: secrets.clientSecret, ...members }))
    await writeFile(file, [toLine({ amount: secrets.password }), toLine({ surprise: 1 }), `${toLine({}).slice(0, -1)},`].join('\n'))
    const commands = [
      ['import', 'payments', file, '--seller', seller],
      ['user', 'add', '--seller', 'none', '--email', secrets.email, '--role', 'door', '--password', secrets.password],
      ['pull', '--from', `${server.url}/${secrets.clientSecret}`, '--key', secrets.invalid, '--seller', seller],
    ].map((args) => desk(args, { ...env, DATA_DIR: folder }))
    expect(await Promise.all(commands.map(({ ended }) => ended))).toEqual([2, 1, 1])

    const metrics = await (await fetch(`${server.url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })).text()
    expect(metrics).toContain('desk_requests_total')
    await Promise.all([stop(server), stop(offlineServer)])
    expect(server.output()).toContain('"msg":"request"')
    const [importing = '', adding = '', pulling = ''] = commands.map((command) => command.output())
    // `desk pull` may print its --from URL, which contains this secret.
    const { clientSecret: _, ...otherSecrets } = secrets
    expectNoSecrets({ 'the command that pulls': pulling }, otherSecrets)
    // The page shows the user's own email address.
    const { email: __, ...rest } = secrets
    expectNoSecrets({ 'the page after a rejected action': rejectedPage, 'the page after a failed action': failedPage }, { ...rest, cookie })
    expectNoSecrets(
      {
        'the log': server.output(),
        'the log of an outage': offlineServer.output(),
        metrics,
        'the responses': [...(online?.responses ?? []), ...(offline?.responses ?? []), await timedOut.text()].join('\n'),
        'the sign-ins': signIns.join('\n'),
        'the command that imports': importing,
        'the command that adds a user': adding,
      },
      { ...secrets, cookie, token: METRICS_TOKEN },
    )
    // Rejected lines are for the operator, and may contain anything except client secrets.
    expectNoSecrets({ 'the rejected lines': await readFile(`${file}.rejects.ndjson`, 'utf8') }, { clientSecret: secrets.clientSecret })
  } finally {
    await Promise.all([stop(server, 'SIGKILL'), stop(offlineServer, 'SIGKILL'), rm(folder, { recursive: true })])
  }
})

/** Requests every page and export without a browser. @returns the response bodies by path */
async function readPages(url: string, cookie: string, { ids }: Shop): Promise<Record<string, string>> {
  const paths = pagePaths((parameter, path) =>
    parameter === '[resource]' ? Object.keys(resources) : [ids[path.split('/')[1] ?? ''] ?? 'no-such-token'],
  )
  const exports = Object.keys(resources).map((name) => `/${name}/export`)
  const headers = { cookie, 'x-forwarded-for': newAddress() }
  const read = async (path: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { headers })
    const text = await response.text()
    // Retry after a 503, because an error page does not contain the content to check.
    return response.status === 503 ? read(path) : text
  }
  const bodies: Record<string, string> = {}
  // Send the requests one at a time, because concurrent requests per seller are limited.
  for (const path of [...paths, ...exports]) bodies[path] = await read(path)
  return bodies
}

test('no page or export contains a secret, except codes and email addresses for the shop’s owners and staff', async ({ baseUrl }) => {
  const [shop, other] = [await makeShop(), await makeSeller()]
  const { email, code, exhausted: _, ...neverShown } = shop.secrets
  const users: [role: Role, seller: string][] = [
    ['owner', shop.seller],
    ['staff', shop.seller],
    ['door', shop.seller],
    ['owner', other],
  ]
  for (const [role, seller] of users) {
    const userEmail = `${role}@${seller}.example.com`
    await addUser(seller, { email: userEmail, password: neverShown.password, role })
    const { name, value } = await sessionCookie(userEmail)
    const bodies = await readPages(baseUrl, `${name}=${value}`, shop)
    expectNoSecrets(bodies, { ...neverShown, cookie: value })
    const pathsWith = (secret: string) => Object.keys(bodies).filter((path) => bodies[path]?.includes(secret))
    const canSee = seller === shop.seller && role !== 'door'
    // Owners and staff can see the codes of their shop's tickets, but not on the check-in page.
    expect(pathsWith(code).sort(), userEmail).toEqual(canSee ? [`/bookings/${shop.ids.bookings}`, `/tickets/${shop.ids.tickets}`] : [])
    const expectedPaths = ['customers', 'payments', 'bookings', 'subscriptions', 'tickets'].flatMap((name) => [
      `/${name}`,
      `/${name}/${shop.ids[name]}`,
      `/${name}/export`,
    ])
    expect(
      pathsWith(email).filter((path) => !expectedPaths.includes(path)),
      userEmail,
    ).toEqual([])
    expect(pathsWith(email).length > 0, userEmail).toBe(canSee)
  }
})

/** The security headers of pages: content security policy, framing, camera and HSTS; and the origin check for forms. */
import { request } from 'node:http'
import type { APIResponse, Response as PageResponse } from 'playwright/test'
import { expect, PASSWORD, startSession, test, watch } from '../support/dashboard'
import { serve, stop } from '../support/processes'

const PAGES = ['/', '/sign-in', '/overview', '/payments', '/bookings', '/subscriptions', '/coupons', '/door', '/no-such-page']

test('pages have a content security policy without unsafe sources', async ({ page, shop, baseUrl }) => {
  const problems = watch(page, baseUrl)
  await startSession(page.context(), baseUrl, await shop.user('owner'))
  const nonces = new Set<string>()
  for (const path of PAGES) {
    const response = await page.goto(`${baseUrl}${path}`, { waitUntil: 'networkidle' })
    const headers = response?.headers() ?? {}
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("default-src 'none'")
    expect(policy.replace("'wasm-unsafe-eval'", '')).not.toContain('unsafe')
    expect(policy.includes("'wasm-unsafe-eval'")).toBe(path === '/door')
    expect(headers['permissions-policy']).toContain(path === '/door' ? 'camera=(self)' : 'camera=()')
    expect([headers['x-content-type-options'], headers['referrer-policy']]).toEqual(['nosniff', 'same-origin'])
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
    nonces.add(String(nonce))
    // Only scripts in the HTML need the nonce; scripts that a trusted script adds later do not.
    const scripts = [...((await response?.text()) ?? '').matchAll(/<script[^>]*>/g)].map(([script]) => script)
    expect(scripts.length).toBeGreaterThan(0)
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`)
  }
  expect(nonces.size).toBe(PAGES.length)
  // A busy server may refuse to run the overview's reports, which the page reports as an error.
  expect(problems.filter((problem) => /Content Security Policy|^cross-origin/.test(problem))).toEqual([])
})

test('cached pages get a new nonce for each response, and their scripts run', async ({ page, baseUrl }) => {
  const problems = watch(page, baseUrl)
  const nonces = new Set<string>()
  const check = async (path: string, response: APIResponse | PageResponse | null) => {
    expect(response?.status()).toBe(path.includes('page') ? 404 : 200)
    const nonce = /'nonce-([^']+)'/.exec(response?.headers()['content-security-policy'] ?? '')?.[1]
    nonces.add(String(nonce))
    const html = (await response?.text()) ?? ''
    expect(new Set([...html.matchAll(/nonce="([^"]+)"/g)].map(([, value]) => value))).toEqual(new Set([nonce]))
  }
  for (const path of ['/', '/docs', '/sign-in', '/no-such-page']) {
    // The first response fills the cache, unless another test has already done so.
    await check(path, await page.request.get(`${baseUrl}${path}`))
    const again = path === '/no-such-page' ? '/another/missing-page' : path
    await check(again, await page.goto(`${baseUrl}${again}`))
    const isHydrated = () =>
      page.evaluate(() => Object.keys(document.querySelector('main') ?? {}).some((key) => key.startsWith('__reactFiber')))
    await expect.poll(isHydrated, path).toBe(true)
  }
  expect(nonces.size).toBe(8)
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
})

test('next-auth’s routes have the same security headers as the pages', async ({ page, baseUrl }) => {
  for (const path of ['csrf', 'providers', 'session', 'signin']) {
    const response = await page.request.get(`${baseUrl}/api/auth/${path}`, { maxRedirects: 0 })
    const headers = response.headers()
    expect(headers['content-security-policy'], path).toContain("default-src 'none'; script-src 'nonce-")
    expect([headers['x-content-type-options'], headers['referrer-policy']]).toEqual(['nosniff', 'same-origin'])
  }
})

test('an injected event handler does not run', async ({ page, baseUrl }) => {
  await page.goto(`${baseUrl}/sign-in`)
  const refused = page.waitForEvent('console', (message) => message.text().includes('Content Security Policy'))
  await page.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="document.title = \'run\'">')
  })
  await refused
  expect(await page.title()).not.toBe('run')
})

test('a form works behind a proxy that changes the host, but not from another site, with or without an Origin header', async ({
  signedIn: page,
  baseUrl,
}) => {
  const [action] = (await (await page.request.get(`${baseUrl}/overview`)).text()).match(/\$ACTION_ID_[0-9a-f]+/) ?? []
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const post = (extraHeaders: Record<string, string>) =>
    new Promise<{ status: number; set: string }>((resolve, reject) => {
      const { hostname, port } = new URL(baseUrl)
      const headers = { host: 'desk.internal:8080', cookie, 'content-type': 'multipart/form-data; boundary=x', ...extraHeaders }
      const clientRequest = request({ hostname, port, path: '/overview', method: 'POST', headers }, (response) => {
        response.resume()
        response.once('end', () => resolve({ status: response.statusCode ?? 0, set: String(response.headers['set-cookie']) }))
      })
      clientRequest.once('error', reject)
      const fields = [
        [action, ''],
        ['theme', 'light'],
      ].map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      clientRequest.end(`${fields.join('')}--x--\r\n`)
    })
  expect((await post({ origin: baseUrl })).set).toContain('theme=light')
  expect((await post({ 'sec-fetch-site': 'same-origin' })).set).toContain('theme=light')
  const refusedHeaders: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: baseUrl },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'evil', 'sec-fetch-site': 'same-origin' },
  ]
  for (const headers of refusedHeaders) {
    const { status, set } = await post(headers)
    expect([status, set.includes('theme')], JSON.stringify(headers)).toEqual([403, false])
  }
})

test('behind TLS, pages have an HSTS header; every cookie is Secure, HttpOnly and SameSite=Lax; and signing out deletes it', async ({
  shop,
  baseUrl,
}) => {
  const database = { DATABASE_URL: String(process.env.TEST_DATABASE_URL), DATA_DIR: String(process.env.TEST_DATA_DIR) }
  const server = await serve({ ...database, NEXTAUTH_URL: 'https://desk.example.com' })
  try {
    const csrfResponse = await fetch(`${server.url}/api/auth/csrf`)
    const { csrfToken } = (await csrfResponse.json()) as { csrfToken: string }
    const readCookiePairs = (response: Response) => response.headers.getSetCookie().map((cookie) => String(cookie.split(';')[0]))
    const signedIn = await fetch(`${server.url}/api/auth/callback/credentials`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: readCookiePairs(csrfResponse).join('; ') },
      body: new URLSearchParams({ email: await shop.user('owner'), password: PASSWORD, csrfToken, json: 'true' }),
    })
    const session = readCookiePairs(signedIn).find((cookie) => cookie.startsWith('__Secure-next-auth.session-token='))
    expect(session).toBeDefined()
    const cookie = String(session)
    const page = await fetch(`${server.url}/overview`, { headers: { cookie } })
    expect([page.status, page.headers.get('strict-transport-security')]).toEqual([200, 'max-age=31536000'])
    const forms = (await page.text()).split('<form').slice(1)
    const postForm = async (text: string, fields: Record<string, string>) => {
      const [action] = /\$ACTION_ID_[0-9a-f]+/.exec(forms.find((form) => form.includes(text)) ?? '') ?? []
      const form = new FormData()
      for (const [name, value] of Object.entries({ [String(action)]: '', ...fields })) form.append(name, value)
      const headers = { cookie, origin: 'https://desk.example.com' }
      return fetch(`${server.url}/overview`, { method: 'POST', redirect: 'manual', headers, body: form })
    }
    const themed = await postForm('theme', { theme: 'light' })
    expect(readCookiePairs(themed)).toEqual(['theme=light'])
    for (const response of [csrfResponse, signedIn, themed]) {
      for (const set of response.headers.getSetCookie()) {
        expect(set).toMatch(/; Secure/i)
        expect(set).toMatch(/; HttpOnly/i)
        expect(set).toMatch(/; SameSite=Lax/i)
      }
    }
    const signedOut = await postForm('Sign out', {})
    const deleted = signedOut.headers.getSetCookie().find((set) => set.startsWith('__Secure-next-auth.session-token=;'))
    expect([signedOut.headers.get('location'), deleted]).toEqual(['/sign-in', expect.stringMatching(/; Secure/i)])
    expect((await fetch(`${baseUrl}/sign-in`)).headers.get('strict-transport-security')).toBeNull()
  } finally {
    await stop(server)
  }
})

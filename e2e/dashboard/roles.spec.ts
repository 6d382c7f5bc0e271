/** Checks who can access each page and route handler outside the API, and that requests from other origins change nothing. */
import { DEVICE_RIGHTS } from '@/lib/accounts/check-in-devices'
import type { Role } from '@/lib/accounts/roles'
import { makeDevice } from '@/testing/devices'
import { listRoutes, type Route } from '@/testing/routes'
import { expect, makeUser, type Shop, sessionCookie, test } from '../support/dashboard'

/** Who sends a request. A `device` is a check-in device without a signed-in user, with every right except `session`. */
type Caller = Role | 'visitor' | 'device'

const EVERYONE: Caller[] = ['visitor', 'device', 'door', 'staff', 'owner']

/** Who may request the paths that match. The first match applies, and a route without a match fails the test. */
const ACCESS: [RegExp, Caller[]][] = [
  [/^\/(sign-in|healthz|readyz)?$/, EVERYONE],
  [/^\/(docs|invite)(\/|$)/, EVERYONE],
  [/^\/door\/(enroll|sign-out|sw\.js|manifest\.webmanifest)$/, EVERYONE],
  [/^\/door\/(tickets|scans)$/, ['device']],
  [/^\/door\/undo$/, ['device', 'staff', 'owner']],
  [/^\/door(\/|$)/, ['device', 'door', 'staff', 'owner']],
  [/^\/settings(\/(password|two-factor))?$/, ['door', 'staff', 'owner']],
  [/^\/settings\/devices(\/|$)/, ['staff', 'owner']],
  [/^\/settings(\/|$)/, ['owner']],
  [/^\/(overview|payments|customers|tickets|find|preferences|saved-views)(\/|$)/, ['staff', 'owner']],
]

/** The values of path parameters. */
const SAMPLES: Record<string, string> = {
  '[resource]': 'payments',
  '[id]': 'a'.repeat(24),
  '[event]': `evt_${'a'.repeat(24)}`,
  '[token]': 'no-such-token',
}

/** All routes except those of the API, metrics, Stripe webhooks and next-auth, where access does not depend on a role. */
const testedRoutes = listRoutes()
  .filter(({ path }) => !/^\/(api|ingest)\//.test(path) && path !== '/metrics')
  .map((route) => ({ ...route, path: route.path.replace(/\[\w+\]/g, (parameter) => SAMPLES[parameter] ?? parameter) }))
  // Signing out comes last, because it ends the caller's session.
  .sort((a, b) => Number(a.path === '/door/sign-out') - Number(b.path === '/door/sign-out'))

const listAllowed = ({ file, path }: Route): Caller[] => {
  const found = ACCESS.find(([pattern]) => pattern.test(path))
  if (!found) throw new Error(`ACCESS has no entry for ${path} (${file}). Add the roles that may request it.`)
  return found[1]
}

/** Creates a check-in device. @returns its cookie */
async function makeDeviceCookie({ seller }: Shop): Promise<string> {
  const email = `devices-${seller}@example.com`
  const rights = DEVICE_RIGHTS.filter((right) => right !== 'session')
  return (await makeDevice(seller, { userId: await makeUser(seller, email, 'owner'), email }, { rights })).cookie
}

/** Returns a caller's Cookie header, which is empty for visitors. */
async function makeCookie(caller: Caller, shop: Shop): Promise<string> {
  if (caller === 'visitor') return ''
  if (caller === 'device') return makeDeviceCookie(shop)
  const { name, value } = await sessionCookie(await shop.user(caller))
  return `${name}=${value}`
}

for (const caller of EVERYONE) {
  test(`${caller} can access exactly the pages and route handlers listed in ACCESS`, async ({ shop, baseUrl }) => {
    expect(testedRoutes.length).toBeGreaterThan(15)
    const cookie = await makeCookie(caller, shop)
    for (const route of testedRoutes) {
      const allowed = listAllowed(route).includes(caller)
      for (const method of route.methods) {
        const response = await fetch(`${baseUrl}${route.path}`, {
          method: method === 'PAGE' ? 'GET' : method,
          headers: { cookie, ...(method === 'PAGE' ? {} : { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }) },
          ...(method === 'PAGE' || method === 'GET' ? {} : { body: '{}' }),
          redirect: 'manual',
        })
        const label = `${method} ${route.path} as ${caller}: ${response.status}`
        await response.body?.cancel()
        if (allowed) expect([401, 403, 500, 503], label).not.toContain(response.status)
        else if (caller !== 'visitor' && caller !== 'device') expect(response.status, label).toBe(403)
        else if (method === 'PAGE') {
          expect(response.status, label).toBe(307)
          expect(response.headers.get('location')).toContain(`/sign-in?callbackUrl=${encodeURIComponent(route.path)}`)
        } else expect([401, 307], label).toContain(response.status)
      }
    }
  })
}

/** Headers of requests from another origin, and of requests without an origin. */
const CROSS_ORIGIN_HEADERS: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  {},
]

test('state-changing requests from another origin are rejected', async ({ shop, baseUrl }) => {
  const cookies = [await makeCookie('owner', shop), await makeCookie('device', shop)]
  const changing = testedRoutes.flatMap(({ path, methods }) =>
    methods.filter((method) => method !== 'PAGE' && method !== 'GET').map((method) => ({ path, method })),
  )
  expect(changing.length).toBeGreaterThan(0)
  for (const { path, method } of changing) {
    for (const [cookie, origin] of cookies.flatMap((value) => CROSS_ORIGIN_HEADERS.map((origin) => [value, origin] as const))) {
      const headers = { cookie, 'content-type': 'application/json', ...origin }
      const response = await fetch(`${baseUrl}${path}`, { method, headers, body: '{}', redirect: 'manual' })
      expect(response.status, `${method} ${path} from ${JSON.stringify(origin)}`).toBe(403)
    }
  }
})

/** Fixtures for dashboard tests: a shop per test, pages with a signed-in owner, and checks for accessibility and console errors. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { encode } from 'next-auth/jwt'
import type { BrowserContext, CDPSession, Locator, Page, Route } from 'playwright/test'
import { database } from '@/db/client'
import { readCredentialsHash } from '@/lib/accounts/credentials'
import type { Role } from '@/lib/accounts/roles'
import { createSession } from '@/lib/accounts/sessions'
import { makeUser, PASSWORD } from '@/testing/users'
import { type Api, expect, makeApi, newAddress } from './api'
import { test as base } from './browser'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export type Shop = Api & {
  /** Adds a user with the password `PASSWORD`. @returns the email address */
  user(role: Role): Promise<string>
}

/** Expects a shop to have exactly these events, newest first. Retries because other tests' transactions may delay events. */
export const expectEvents = (shop: Shop, ...events: [type: string, data: object][]) =>
  expect.poll(async () => (await shop.call('/v1/events?limit=100')).json.data).toMatchObject(events.map(([type, data]) => ({ type, data })))

let userCount = 0

/** Turns on two-factor authentication for a user, with a secret that matches no code. `signIn` does not need one. */
export const addTwoFactor = (email: string) =>
  database().use(({ rows }) =>
    rows(sql`
      insert into two_factors (user_id, secret, last_step, recovery_hashes) select id, ''::bytea, 0, '{}' from users where email = ${email}`),
  )

export const test = base.extend<{ shop: Shop; baseUrl: string; signedIn: Page; withClock: Page }>({
  // Each test signs in from its own address, so that tests do not trigger each other's sign-in limits.
  newHeaders: async ({ browserName: _ }, use) => use(() => ({ 'x-forwarded-for': newAddress() })),
  baseUrl: async ({ browserName: _ }, use) => use(String(process.env.TEST_SERVER_URL)),
  shop: async ({ baseUrl }, use) => {
    const api = await makeApi(baseUrl, 'Europe/Amsterdam')
    await use({
      ...api,
      user: async (role) => {
        userCount += 1
        const email = `${role}-${userCount}-${api.seller}@example.com`
        await makeUser(api.seller, email, role)
        return email
      },
    })
  },
  /** A blank page with a signed-in owner. Console errors and requests to other origins fail the test. */
  signedIn: async ({ shop, page, baseUrl }, use) => {
    const problems = watch(page, baseUrl)
    await startSession(page.context(), baseUrl, await shop.user('owner'))
    await use(page)
    expect(problems).toEqual([])
  },
  /** Like `signedIn`, for tests that stop the page's clock. Uses a separate context because a clock cannot be uninstalled. */
  withClock: async ({ browser, shop, baseUrl }, use) => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const problems = watch(page, baseUrl)
    await startSession(context, baseUrl, await shop.user('owner'))
    await page.clock.install()
    await use(page)
    await context.close()
    expect(problems).toEqual([])
  },
})

/** Collects a page's console errors, exceptions and requests to other origins. @returns an array to which they are added as they occur */
export function watch(page: Page, baseUrl: string): string[] {
  const problems: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(baseUrl) && !request.url().startsWith('data:')) problems.push(`cross-origin request: ${request.url()}`)
  })
  page.on('console', (message) => {
    // A busy server may reject requests. If a test needs the response, it fails or repeats the request.
    if (message.type() === 'error' && !message.text().includes('status of 503'))
      problems.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => problems.push(error.message))
  return problems
}

/** Signs in a user by setting the session cookie instead of submitting the form. */
export async function startSession(context: BrowserContext, url: string, email: string): Promise<void> {
  await context.addCookies([{ ...(await sessionCookie(email)), url: new URL(url).origin, httpOnly: true, sameSite: 'Lax' }])
}

/** Starts a session. @returns its cookie */
export async function sessionCookie(email: string): Promise<{ name: string; value: string }> {
  const [user] = await database().use(({ rows }) => rows<{ id: string }>(sql`select id from users where email = ${email}`))
  if (!user) throw new Error(`Unknown user ${email}.`)
  const sessionId = await createSession(user.id, String(await readCredentialsHash(user.id)))
  const value = await encode({ token: { sessionId }, secret: String(process.env.TEST_SESSION_SECRET) })
  return { name: 'next-auth.session-token', value }
}

/** Signs in a user without the form and opens a page. */
export async function signIn(page: Page, url: string, email: string): Promise<void> {
  await startSession(page.context(), url, email)
  await page.goto(url)
  expect(page.url()).toBe(url)
}

/** Opens a URL in the `withClock` page, and stops the page's clock once an element is visible, so that timers no longer fire. */
export async function openWithoutTime(page: Page, url: string, element: Locator): Promise<void> {
  await page.clock.resume()
  await page.goto(url)
  await expect(element).toBeVisible()
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000))
}

/** Opens a URL that redirects to the sign-in form, signs in, and waits for the redirect back to the URL. */
export async function signInByForm(page: Page, url: string, email: string, password = PASSWORD): Promise<void> {
  await page.goto(url)
  await submitSignIn(page, email, password)
  await page.waitForURL(url)
}

/** Fills in the sign-in form and submits it. */
export async function submitSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/**
 * Holds a page's requests for certain URLs until `release` is called. `requested` resolves once the page has sent the first one.
 *
 * @param method the method of the requests to hold; any by default
 */
export async function holdRequests(page: Page, isHeld: (url: URL) => boolean, method?: string) {
  let [markRequested, release] = [() => {}, () => {}]
  const requested = new Promise<void>((resolve) => {
    markRequested = resolve
  })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const hold = async (route: Route) => {
    if (method !== undefined && route.request().method() !== method) return route.fallback()
    markRequested()
    await released
    // The page may have aborted the request by now.
    await route.continue().catch(() => {})
  }
  const held: Promise<void>[] = []
  const handler = (route: Route) => {
    const work = hold(route)
    held.push(work)
    return work
  }
  await page.route(isHeld, handler)
  // Stop intercepting: interception turns off the browser's cache, so pages opened later would load all scripts again.
  void released
    .then(() => Promise.all(held))
    .then(() => page.unroute(isHeld, handler))
    .catch(() => {})
  return { requested, release }
}

/** Opens a URL but holds its scripts, so that the page is not hydrated until `release` is called. */
export async function openBeforeHydration(page: Page, url: string) {
  const { requested, release } = await holdRequests(page, ({ pathname }) => /^\/_next\/static\/chunks\/.*\.js$/.test(pathname))
  await page.goto(url, { waitUntil: 'commit' })
  await requested
  return { release }
}

/** Tests that depend on today's date do not start this close to midnight. Even on a busy machine, they finish in less time. */
const MIDNIGHT_MARGIN_MINUTES = 5

/** Waits until after midnight if it is almost midnight in the shops' time zone, so that the date does not change during a test. */
export async function avoidMidnight(): Promise<void> {
  const time = new Date().toLocaleTimeString('en-GB', { timeZone: 'Europe/Amsterdam' })
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const minutesLeft = 24 * 60 - hours * 60 - minutes
  // Wait two more seconds, because tests use times up to a second in the past.
  if (minutesLeft <= MIDNIGHT_MARGIN_MINUTES) await pause(minutesLeft * 60_000 + 2_000)
}

/**
 * Requests a page without opening it, which would take several times as much CPU time.
 *
 * @returns the response's status, and its HTML without scripts, which repeat the content as data
 */
export async function requestPage(page: Page, url: string): Promise<{ status: number; html: string }> {
  const response = await page.request.get(url)
  return { status: response.status(), html: (await response.text()).replace(/<script\b.*?<\/script>/gs, '') }
}

/** Opens the shop menu, which contains the theme and sign-out buttons. */
export const openShopMenu = (page: Page, shop = 'Test') => page.getByRole('button', { name: shop, exact: true }).click()

export async function signOut(page: Page, shop?: string): Promise<void> {
  await openShopMenu(page, shop)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
}

/** The axe-core rules that depend on colors. They account for two thirds of axe-core's run time. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** The styles of an element and its ancestors that these rules depend on. */
const COLOR_STYLES = [
  'color',
  'backgroundColor',
  'backgroundImage',
  'opacity',
  'fontSize',
  'fontWeight',
  'textDecorationLine',
  'textShadow',
  'visibility',
  'position',
  'fontStyle',
  'filter',
  'mixBlendMode',
  'webkitTextFillColor',
  'borderBottomColor',
  'borderBottomStyle',
  'borderBottomWidth',
  'outlineColor',
  'outlineStyle',
] as const

type Violation = { id: string; nodes: { html: string; element: Element }[] }
type Axe = { run(context: object, options: object): Promise<{ violations: Violation[]; passes: Violation[]; incomplete: Violation[] }> }

/** The CDP sessions that load axe-core. Unlike `page.evaluate`, they reuse the browser's compiled code across pages. */
const axeSessions = new WeakMap<Page, CDPSession>()

/** The style keys (see `runAxe`) that have passed the color rules, per test. */
const passedStyles = new WeakMap<object, Set<string>>()

/**
 * Runs axe-core in a page once all animations have ended, because they change colors. Does everything in a single `evaluate` call, because
 * each call takes this process at least three milliseconds.
 *
 * Elements are grouped by their own and their ancestors' `COLOR_STYLES`. The color rules check only the first and last element of each
 * group, or neither if the same styles have already passed in this test.
 *
 * @param passed the keys of styles that have already passed
 * @param onlyColors whether to run only the color rules
 * @returns the violations, the keys of the styles that passed, and the horizontal overflow of the page or a dialog in pixels;
 *   undefined if axe-core is not loaded
 */
const runAxe = (page: Page, passed: Set<string>, onlyColors: boolean) =>
  page.evaluate(
    async ([rules, styles, knownKeys, isColorsOnly]) => {
      if (!('axe' in window)) return undefined
      const { axe } = window as unknown as { axe: Axe }
      while (document.getAnimations().some(({ playState }) => playState === 'running')) await new Promise(requestAnimationFrame)
      const describe = (found: Violation[]) => found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
      const boxes = [document.documentElement, ...document.querySelectorAll('[role=dialog], [role=alertdialog]')]
      const overflow = Math.max(...boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
      const findOtherViolations = async () => {
        const options = { rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: false }])) }
        // Omitting the details of passed rules makes this five times as fast.
        return (await axe.run({ include: [document.documentElement] }, { resultTypes: ['violations'], ...options })).violations
      }
      const others = isColorsOnly ? [] : await findOtherViolations()
      const known = new Set(knownKeys.split(' '))
      const keys = new Map<string, string>()
      const keyOf = new Map<Element, string>()
      /** Returns a 64-bit hash. The styles themselves would be too long as keys, because they include those of all ancestors. */
      const hash = (text: string) => {
        let [a, b] = [0x811c9dc5, 0x1000193]
        for (let index = 0; index < text.length; index += 1) {
          a = Math.imul(a ^ text.charCodeAt(index), 0x9e3779b1)
          b = Math.imul(b ^ text.charCodeAt(index), 0x5f356495)
        }
        return `${a}.${b}`
      }
      const hasText = (node: Element) =>
        [...node.childNodes].some(({ nodeType, nodeValue }) => nodeType === Node.TEXT_NODE && nodeValue?.trim())
      const groups = new Map<string, [first: Element, last: Element]>()
      for (const element of document.querySelectorAll('html, body, body *')) {
        const style = getComputedStyle(element)
        const parent = element.parentElement
        const isField = element.matches('input, select, textarea')
        const ownStyles = [
          keyOf.get(parent ?? element),
          // Links in text and in lists have different rules.
          element.localName === 'a' && parent !== null && hasText(parent),
          isField && getComputedStyle(element, '::placeholder').color,
          ...styles.map((name) => style[name]),
        ].join()
        const key = keys.get(ownStyles) ?? hash(ownStyles)
        keys.set(ownStyles, key)
        keyOf.set(element, key)
        if (known.has(key) || !(isField || hasText(element))) continue
        // This also skips the content of a closed <details>, which axe-core ignores, so sampling it would check nothing.
        if (!element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) continue
        groups.set(key, [groups.get(key)?.[0] ?? element, element])
      }
      if (groups.size === 0) return { violations: describe(others), passedKeys: [], overflow }
      const include = [...new Set([...groups.values()].flat())]
      const options = { runOnly: rules, resultTypes: ['violations', 'passes', 'incomplete'], elementRef: true, selectors: false }
      const { violations, passes, incomplete } = await axe.run({ include }, options)
      // Elements that are disabled or covered by others neither pass nor fail.
      const collectElements = (results: { nodes: { element: Element }[] }[]) =>
        new Set(results.flatMap(({ nodes }) => nodes.map(({ element }) => element)))
      const [passed, undecided] = [collectElements(passes), collectElements(incomplete)]
      const passedGroups = [...groups].filter(([, both]) => both.every((element) => passed.has(element) && !undecided.has(element)))
      return { violations: describe([...others, ...violations]), passedKeys: passedGroups.map(([key]) => key), overflow }
    },
    [COLOR_RULES, COLOR_STYLES, [...passed].join(' '), onlyColors] as const,
  )

/**
 * Expects no axe-core violations and no horizontal overflow.
 *
 * @param label the message for a failed check
 * @param onlyColors whether to run only the color rules
 */
export async function expectAccessible(page: Page, label = 'the current page', onlyColors = false): Promise<void> {
  const passed = passedStyles.get(base.info()) ?? new Set()
  passedStyles.set(base.info(), passed)
  const loadAndRun = async () => {
    const session = axeSessions.get(page) ?? (await page.context().newCDPSession(page))
    axeSessions.set(page, session)
    await session.send('Runtime.evaluate', { expression: axe })
    return runAxe(page, passed, onlyColors)
  }
  const found = (await runAxe(page, passed, onlyColors)) ?? (await loadAndRun())
  expect([found?.violations, found?.overflow], label).toEqual([[], 0])
  for (const key of found?.passedKeys ?? []) passed.add(key)
}

const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }

/** Runs `expectAccessible` at desktop and phone sizes in light and dark mode. Restores the size but leaves the page in dark mode. */
export async function expectAccessibleInAllThemesAndSizes(page: Page): Promise<void> {
  const before = page.viewportSize()
  // Next.js sends a page's title after its content.
  await expect(page).toHaveTitle(/\S/)
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      // The dark theme differs only in color.
      await expectAccessible(page, `${viewport.width} px, ${colorScheme}`, colorScheme === 'dark')
    }
  }
  if (before) await page.setViewportSize(before)
}

export type { BrowserContext, Page }
export { expect, makeUser, newAddress, PASSWORD }

/**
 * Extends Playwright's `test` so that all tests in a worker share the same pages: a page in a new context would load and compile all
 * scripts again. The pages are reset after each test, except for the HTTP cache, which Playwright's own `reuseContext` would clear too.
 */
import { setTimeout } from 'node:timers/promises'
import { type Browser, test as base, type CDPSession, type Page, type ViewportSize } from 'playwright/test'

/** Every kind of storage except cookies and `sessionStorage`, which are cleared separately. */
const STORAGE = 'local_storage,indexeddb,service_workers,cache_storage,file_systems,storage_buckets'

/** Playwright's default viewport size. */
const SIZE = { width: 1280, height: 720 }

/** The events whose listeners are removed after each test. Playwright itself listens to others. */
const EVENTS = ['console', 'dialog', 'pageerror', 'request', 'response']

/** The CDP sessions that clear the storage of the shared pages. */
const sessions = new WeakMap<Page, CDPSession>()

type Script = Awaited<ReturnType<Page['addInitScript']>>
const scripts = new WeakMap<Page, Script[]>()

/** Runs a script before the scripts of each document that the page loads, until the test ends. */
export async function addScript(page: Page, script: () => unknown): Promise<void> {
  scripts.set(page, [...(scripts.get(page) ?? []), await page.addInitScript(script)])
}

/**
 * Resets the page, except for the HTTP cache. Two things cannot be reset: `page.clock`, which keeps streamed rows hidden until the clock
 * runs their animation frames, and print media, which cannot be set a second time. Tests that use either open a separate context.
 */
async function resetPage(page: Page): Promise<void> {
  const context = page.context()
  for (const event of EVENTS) page.removeAllListeners(event)
  // Pages are closed first, because resetting the context would fail if a page closed in the meantime.
  await Promise.all(context.pages().map((opened) => opened !== page && opened.close()))
  await Promise.all([
    context.setOffline(false),
    context.unrouteAll({ behavior: 'ignoreErrors' }),
    page.unrouteAll({ behavior: 'ignoreErrors' }),
    ...(scripts.get(page) ?? []).map((script) => script.dispose()),
  ])
  scripts.delete(page)
  const origin = new URL(String(process.env.TEST_URL_SERVER)).origin
  // Navigates away before the storage is cleared, because the page's scripts could still write to it. Not to about:blank, which would run
  // in a new process without the compiled scripts.
  await page.goto(`${origin}/healthz`)
  await page.evaluate(() => sessionStorage.clear())
  const session = sessions.get(page) ?? (await context.newCDPSession(page))
  sessions.set(page, session)
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: STORAGE })
  await Promise.all([
    context.clearCookies(),
    context.clearPermissions(),
    page.emulateMedia({
      media: null,
      colorScheme: 'light',
      reducedMotion: 'no-preference',
      forcedColors: 'none',
      contrast: 'no-preference',
    }),
    page.mouse.move(-1, -1),
  ])
}

type PagePair = { page?: Page; other?: Page }
type Options = { browser: Browser; kept: PagePair; newHeaders: () => Record<string, string>; viewport: ViewportSize | null }

/**
 * How long a shared page may take to be prepared or reset, in milliseconds. Once in thousands of tests, Chromium never responds to
 * `Page.bringToFront`, and the test would wait until its own timeout.
 */
const RESPONSE_TIMEOUT_MS = 60_000

/** Waits for the work on a page. @returns whether it completed in time */
const completes = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), setTimeout(RESPONSE_TIMEOUT_MS, false, { ref: false })])

/** Passes the shared page with this name to a test, and resets the page afterward. Opens a new page if there is none. */
async function lend(
  name: keyof PagePair,
  { browser, kept, newHeaders, viewport }: Options,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  async function prepare(page: Page): Promise<void> {
    await Promise.all([page.context().setExtraHTTPHeaders(newHeaders()), page.setViewportSize(viewport ?? SIZE)])
    // Another page may have focus if it was opened later.
    await page.bringToFront()
  }
  let page = kept[name]
  if (!page || page.isClosed() || !(await completes(prepare(page)))) {
    page = await (await browser.newContext({ viewport: SIZE })).newPage()
    await prepare(page)
  }
  kept[name] = page
  await use(page)
  if (!page.isClosed() && !(await completes(resetPage(page)))) delete kept[name]
}

export const test = base.extend<{ newHeaders: () => Record<string, string>; other: Page }, { kept: PagePair }>({
  kept: [
    async ({ browser: _ }, use) => {
      const kept: PagePair = {}
      await use(kept)
      await Promise.all(Object.values(kept).map((page) => page.context().close()))
    },
    { scope: 'worker' },
  ],
  /** Returns the extra headers that a page sends with every request. */
  newHeaders: async ({ browserName: _ }, use) => use(() => ({})),
  page: async ({ browser, kept, newHeaders, viewport }, use) => lend('page', { browser, kept, newHeaders, viewport }, use),
  context: async ({ page }, use) => use(page.context()),
  /** A page in a second browser context, for a second user or device. */
  other: async ({ browser, kept, newHeaders, viewport }, use) => lend('other', { browser, kept, newHeaders, viewport }, use),
})

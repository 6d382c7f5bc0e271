/**
 * Extends Playwright's `test` so that all tests in a worker share the same pages, because a page in a new context would reload and
 * recompile all scripts. The pages are reset after each test, except for the HTTP cache, which Playwright's own `reuseContext` would also
 * clear.
 */
import { setTimeout } from 'node:timers/promises'
import { type Browser, test as base, type CDPSession, type Page, type ViewportSize } from 'playwright/test'

/** The CDP storage types to clear. Cookies and `sessionStorage` are cleared separately. */
const STORAGE_TYPES = 'local_storage,indexeddb,service_workers,cache_storage,file_systems,storage_buckets'

/** Playwright's default viewport size. */
const DEFAULT_SIZE = { width: 1280, height: 720 }

/**
 * The events that tests listen to. Listeners are removed by the event's name after each test, because removing all of them would also remove
 * Playwright's own.
 */
const EVENTS = ['console', 'dialog', 'framenavigated', 'pageerror', 'request', 'response']

/** The CDP sessions that clear the storage of the shared pages. */
const sessions = new WeakMap<Page, CDPSession>()

type Script = Awaited<ReturnType<Page['addInitScript']>>
const scripts = new WeakMap<Page, Script[]>()

/** Runs a script in each document that the page loads, before the document's own scripts, until the test ends. */
export async function addScript(page: Page, script: () => unknown): Promise<void> {
  scripts.set(page, [...(scripts.get(page) ?? []), await page.addInitScript(script)])
}

/**
 * Resets a page, except for the HTTP cache. Two things cannot be reset: the fake clock that `page.clock` installs, which keeps rows that are
 * streamed later hidden because it runs no animation frames, and print media, which cannot be emulated a second time. Tests that use either
 * need a separate context.
 */
async function resetPage(page: Page): Promise<void> {
  const context = page.context()
  for (const event of EVENTS) page.removeAllListeners(event)
  // Close other pages first, because resetting the context would fail if one closed in the meantime.
  await Promise.all(context.pages().map((opened) => opened !== page && opened.close()))
  await Promise.all([
    context.setOffline(false),
    context.unrouteAll({ behavior: 'ignoreErrors' }),
    page.unrouteAll({ behavior: 'ignoreErrors' }),
    ...(scripts.get(page) ?? []).map((script) => script.dispose()),
  ])
  scripts.delete(page)
  const origin = new URL(String(process.env.TEST_SERVER_URL)).origin
  // Navigate away before clearing the storage, because the page's scripts could still write to it. Avoid about:blank, which would run in a
  // new process without the compiled scripts.
  await page.goto(`${origin}/healthz`)
  await page.evaluate(() => sessionStorage.clear())
  const session = sessions.get(page) ?? (await context.newCDPSession(page))
  sessions.set(page, session)
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: STORAGE_TYPES })
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
type Options = { browser: Browser; sharedPages: PagePair; newHeaders: () => Record<string, string>; viewport: ViewportSize | null }

/**
 * How long a shared page may take to be prepared or reset, in milliseconds. On rare occasions, Chromium never responds to
 * `Page.bringToFront`, and the test would wait until its own timeout.
 */
const RESPONSE_TIMEOUT_MS = 60_000

/** Waits for the work on a page. @returns whether it completed in time */
const completes = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), setTimeout(RESPONSE_TIMEOUT_MS, false, { ref: false })])

/** Passes a shared page to a test and resets it afterward. Opens a new page if there is none. */
async function provideSharedPage(
  name: keyof PagePair,
  { browser, sharedPages, newHeaders, viewport }: Options,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  async function prepare(page: Page): Promise<void> {
    await Promise.all([page.context().setExtraHTTPHeaders(newHeaders()), page.setViewportSize(viewport ?? DEFAULT_SIZE)])
    // A page that was opened later may have the focus.
    await page.bringToFront()
  }
  let page = sharedPages[name]
  if (!page || page.isClosed() || !(await completes(prepare(page)))) {
    page = await (await browser.newContext({ viewport: DEFAULT_SIZE })).newPage()
    await prepare(page)
  }
  sharedPages[name] = page
  await use(page)
  if (!page.isClosed() && !(await completes(resetPage(page)))) delete sharedPages[name]
}

export const test = base.extend<{ newHeaders: () => Record<string, string>; other: Page }, { sharedPages: PagePair }>({
  sharedPages: [
    async ({ browser: _ }, use) => {
      const sharedPages: PagePair = {}
      await use(sharedPages)
      await Promise.all(Object.values(sharedPages).map((page) => page.context().close()))
    },
    { scope: 'worker' },
  ],
  /** Returns extra headers for a page to send with every request. */
  newHeaders: async ({ browserName: _ }, use) => use(() => ({})),
  page: async ({ browser, sharedPages, newHeaders, viewport }, use) =>
    provideSharedPage('page', { browser, sharedPages, newHeaders, viewport }, use),
  context: async ({ page }, use) => use(page.context()),
  /** A page in a second browser context, for a second user or device. */
  other: async ({ browser, sharedPages, newHeaders, viewport }, use) =>
    provideSharedPage('other', { browser, sharedPages, newHeaders, viewport }, use),
})

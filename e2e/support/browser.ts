/** One browser context per worker, emptied between tests, because a new one would load and compile all scripts again. */
import { type BrowserContext, test as base } from 'playwright/test'

/** Everything that a page can store, except cookies, which Playwright deletes, and the HTTP cache, which is kept. */
const STORAGE = 'local_storage,indexeddb,service_workers,cache_storage,file_systems,storage_buckets'

export const test = base.extend<object, { kept: { context?: BrowserContext } }>({
  kept: [
    async ({ browser: _ }, use) => {
      const kept: { context?: BrowserContext } = {}
      await use(kept)
      await kept.context?.close()
    },
    { scope: 'worker' },
  ],
  /** A test that leaves something in the context that cannot be undone, such as a clock, closes it. */
  context: async ({ browser, kept, extraHTTPHeaders }, use) => {
    if (!kept.context) {
      kept.context = await browser.newContext()
      kept.context.once('close', () => delete kept.context)
    }
    const { context } = kept
    await context.setExtraHTTPHeaders(extraHTTPHeaders ?? {})
    await use(context)
    if (kept.context !== context) return
    await Promise.all(context.pages().map((page) => page.close()))
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false)])
  },
  page: async ({ context, viewport }, use) => {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    const origin = new URL(String(process.env.TEST_URL_SERVER)).origin
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: STORAGE })
    await session.detach()
    if (viewport) await page.setViewportSize(viewport)
    await use(page)
  },
})

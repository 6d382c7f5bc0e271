/**
 * Playwright's test, whose page is the same for all tests of a worker (`reuseContext` in the configuration), because a new one costs as much as
 * loading a page. Empties what Playwright keeps between tests, except the HTTP cache.
 */
import { test as base } from 'playwright/test'

/** Everything that a page can store, except cookies, which Playwright deletes. */
const STORAGE = 'local_storage,indexeddb,service_workers,cache_storage,file_systems,storage_buckets'

export const test = base.extend<{ headers: Record<string, string> }>({
  /** Headers of all requests. Not `extraHTTPHeaders`, because a test with other context options gets a new context. */
  headers: async ({ browserName: _ }, use) => use({}),
  context: async ({ context, headers }, use) => {
    await Promise.all([context.setExtraHTTPHeaders(headers), context.clearPermissions(), context.setOffline(false)])
    await use(context)
  },
  page: async ({ page }, use) => {
    const session = await page.context().newCDPSession(page)
    const origin = new URL(String(process.env.TEST_URL_SERVER)).origin
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: STORAGE })
    await session.detach()
    // The pages of other contexts, which the previous test has closed, can have taken the focus.
    await page.bringToFront()
    await use(page)
  },
})

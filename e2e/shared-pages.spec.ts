/** Tests that tests can share pages (see `support/browser.ts`) without affecting each other. */
import { addScript } from './support/browser'
import { expect, type Page, test } from './support/dashboard'

// Run both tests in the same worker, so that they get the same pages.
test.describe.configure({ mode: 'serial' })

/** Returns the state of a page and its context that could leak into later tests. */
const readState = (page: Page) =>
  page.evaluate(async () => ({
    script: Reflect.get(window, 'left'),
    stored: localStorage.length + sessionStorage.length,
    cookies: document.cookie,
    caches: await caches.keys(),
    databases: (await indexedDB.databases()).length,
    isAllowed: (await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })).state === 'granted',
    isDark: matchMedia('(prefers-color-scheme: dark)').matches,
    width: innerWidth,
  }))

/** The response body of the routes that the first test adds. */
const text = 'left by a test'
/** The URLs that the pages have requested, as recorded by the first test's listeners. */
const requested: string[] = []

test('a page keeps its storage, cookies, routes, scripts, permissions, theme and size during a test', async ({ page, other, baseUrl }) => {
  for (const currentPage of [page, other]) {
    const context = currentPage.context()
    await addScript(currentPage, () => Object.assign(window, { left: true }))
    await context.grantPermissions(['clipboard-read'])
    await currentPage.setViewportSize({ width: 500, height: 500 })
    await currentPage.emulateMedia({ colorScheme: 'dark' })
    await currentPage.goto(`${baseUrl}/sign-in`)
    await currentPage.evaluate(async () => {
      localStorage.setItem('left', 'x')
      sessionStorage.setItem('left', 'x')
      await cookieStore.set('left', 'x')
      await caches.open('left')
      await new Promise((resolve) => {
        indexedDB.open('left').onsuccess = resolve
      })
    })
    expect(await readState(currentPage)).toEqual({
      script: true,
      stored: 2,
      cookies: 'left=x',
      caches: ['left'],
      databases: 1,
      isAllowed: true,
      isDark: true,
      width: 500,
    })
    for (const router of [currentPage, context]) await router.route('**/sign-in', (route) => route.fulfill({ body: text }))
    currentPage.on('request', (request) => requested.push(request.url()))
    await currentPage.goto(`${baseUrl}/sign-in`)
    expect(await currentPage.content()).toContain(text)
    expect(requested.splice(0)).toEqual([`${baseUrl}/sign-in`])
    await context.newPage()
    await context.setOffline(true)
  }
})

test('reused pages have no state from the previous test and are online', async ({ page, other, baseUrl }) => {
  for (const currentPage of [page, other]) {
    expect(currentPage.context().pages()).toEqual([currentPage])
    await currentPage.goto(`${baseUrl}/sign-in`)
    expect(await currentPage.content()).not.toContain(text)
    expect(await readState(currentPage)).toEqual({
      script: undefined,
      stored: 0,
      cookies: '',
      caches: [],
      databases: 0,
      isAllowed: false,
      isDark: false,
      width: 1280,
    })
    expect(requested).toEqual([])
  }
})

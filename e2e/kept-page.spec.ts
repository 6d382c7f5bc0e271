/** Tests that tests can share pages without affecting each other. */
import { addScript } from './support/browser'
import { expect, type Page, test } from './support/dashboard'

// Runs both tests in the same worker, so that they get the same pages.
test.describe.configure({ mode: 'serial' })

/** Returns the state of a page and its context that could leak into another test. */
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

const text = 'left by a test'
const requested: string[] = []

test('a page keeps storage, cookies, routes, scripts, permissions and its theme for the duration of a test', async ({
  page,
  other,
  baseUrl,
}) => {
  for (const one of [page, other]) {
    const context = one.context()
    await addScript(one, () => Object.assign(window, { left: true }))
    await context.grantPermissions(['clipboard-read'])
    await one.setViewportSize({ width: 500, height: 500 })
    await one.emulateMedia({ colorScheme: 'dark' })
    await one.goto(`${baseUrl}/sign-in`)
    await one.evaluate(async () => {
      localStorage.setItem('left', 'x')
      sessionStorage.setItem('left', 'x')
      await cookieStore.set('left', 'x')
      await caches.open('left')
      await new Promise((resolve) => {
        indexedDB.open('left').onsuccess = resolve
      })
    })
    expect(await readState(one)).toEqual({
      script: true,
      stored: 2,
      cookies: 'left=x',
      caches: ['left'],
      databases: 1,
      isAllowed: true,
      isDark: true,
      width: 500,
    })
    for (const router of [one, context]) await router.route('**/sign-in', (route) => route.fulfill({ body: text }))
    one.on('request', (request) => requested.push(request.url()))
    await one.goto(`${baseUrl}/sign-in`)
    expect(await one.content()).toContain(text)
    expect(requested.splice(0)).toEqual([`${baseUrl}/sign-in`])
    await context.newPage()
    await context.setOffline(true)
  }
})

test('pages that are reused have no state from the previous test', async ({ page, other, baseUrl }) => {
  for (const one of [page, other]) {
    expect(one.context().pages()).toEqual([one])
    await one.goto(`${baseUrl}/sign-in`)
    expect(await one.content()).not.toContain(text)
    expect(await readState(one)).toEqual({
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

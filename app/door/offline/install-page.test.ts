/** The page is stored only with all of its own files, not with the pages of a proxy. */
import { afterEach, expect, it, vi } from 'vitest'
import { installPage } from './install-page'

vi.mock('barcode-detector/ponyfill', () => ({}))
vi.mock('../camera', () => ({}))
vi.mock('../panel-content', () => ({}))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

const ORIGIN = 'https://desk.example'
const SCRIPT = `${ORIGIN}/_next/static/a.js`
const STYLE = `${ORIGIN}/_next/static/a.css`
const PAGE = '<link rel="stylesheet" href="/_next/static/a.css"/><script src="/_next/static/a.js"></script>'

/** Installs the page. @returns whether the page opens offline, and the URLs that were stored */
async function install(page: string, scriptType: string) {
  const stored: string[] = []
  const cache = { match: async () => undefined, keys: async () => [], put: async (url: string) => void stored.push(url) }
  vi.stubEnv('NODE_ENV', 'production')
  vi.stubGlobal('navigator', { serviceWorker: { register: async () => undefined } })
  vi.stubGlobal('window', { location: { origin: ORIGIN } })
  vi.stubGlobal('document', { querySelectorAll: () => [{ src: SCRIPT }, { href: STYLE }] })
  vi.stubGlobal('caches', { open: async () => cache })
  vi.stubGlobal('fetch', async (url: string) => {
    if (url === '/door') return new Response(page, { headers: { 'Content-Type': 'text/html' } })
    return new Response('', { headers: { 'Content-Type': url === SCRIPT ? scriptType : 'application/wasm' } })
  })
  const isInstalled = await installPage().catch(() => false)
  return { isInstalled, stored }
}

it('stores the page after its script and its stylesheet', async () => {
  const { isInstalled, stored } = await install(PAGE, 'text/javascript')
  expect([isInstalled, stored.includes(SCRIPT), stored.includes(STYLE), stored.at(-1)]).toEqual([true, true, true, '/door'])
})

it('does not store a newer page of which only the stylesheet differs', async () => {
  expect(await install(PAGE.replace('a.css', 'b.css'), 'text/javascript')).toEqual({ isInstalled: false, stored: [] })
})

it('does not store the page of a proxy instead of a script', async () => {
  const { isInstalled, stored } = await install(PAGE, 'text/html; charset=utf-8')
  expect([isInstalled, stored.includes(SCRIPT), stored.includes('/door')]).toEqual([false, false, false])
})

it('does not store a page without scripts', async () => {
  expect(await install('<h1>Sign in</h1>', 'text/javascript')).toEqual({ isInstalled: false, stored: [] })
})

/** The service worker loads the page and its files from the server if it cannot store or read them. It does not store a proxy's page. */
import { runInNewContext } from 'node:vm'
import { expect, it, vi } from 'vitest'
import { GET } from './route'

type FetchEvent = { request: { url: string; method: string; mode: string }; respondWith(response: Promise<unknown>): void }

const refuse = async () => {
  throw new DOMException('The storage is full.', 'QuotaExceededError')
}

/**
 * Runs the worker with these caches.
 *
 * @param type the type of the server's responses
 * @param isOnline whether the server responds
 * @returns a function that requests a path and returns the response; the server's responses contain the path
 */
async function startWorker(caches: object, type = 'text/javascript', isOnline = true) {
  const handlers = new Map<string, (event: FetchEvent) => void>()
  const load = async ({ url }: FetchEvent['request']) => {
    if (!isOnline) throw new TypeError('connection lost')
    const headers = new Headers({ 'Content-Type': type })
    const response = { ok: true, status: 200, headers, path: new URL(url).pathname, clone: () => response }
    return response
  }
  runInNewContext(await GET().text(), {
    ...{ URL, setTimeout, caches, fetch: load, location: { origin: 'https://desk.example' } },
    addEventListener: (type: string, handler: (event: FetchEvent) => void) => handlers.set(type, handler),
  })
  return async (path: string, mode = 'no-cors') => {
    const respondWith = vi.fn<FetchEvent['respondWith']>()
    handlers.get('fetch')?.({ request: { url: `https://desk.example${path}`, method: 'GET', mode }, respondWith })
    return respondWith.mock.lastCall?.[0]
  }
}

it('returns a downloaded file that cannot be stored', async () => {
  const respond = await startWorker({ open: async () => ({ match: async () => undefined, put: refuse }) })
  expect(await respond('/_next/static/a.js')).toMatchObject({ path: '/_next/static/a.js' })
})

it('returns the page and its files from the server if the storage cannot be opened', async () => {
  const respond = await startWorker({ open: refuse })
  expect(await respond('/door', 'navigate')).toMatchObject({ path: '/door' })
  expect(await respond('/_next/static/a.js')).toMatchObject({ path: '/_next/static/a.js' })
})

it.each(['/door', '/door/'])('opens the stored page at %s without a connection', async (path) => {
  const stored = { isStored: true }
  const match = async (request: unknown) => (request === '/door' ? stored : undefined)
  const respond = await startWorker({ open: async () => ({ match, put: refuse }) }, 'text/html', false)
  expect(await respond(path, 'navigate')).toBe(stored)
})

it.each([
  ['stores a script', 'text/javascript', 1],
  ['does not store the page of a proxy instead of a script', 'text/html; charset=utf-8', 0],
])('%s', async (_, type, stored) => {
  const put = vi.fn(async () => undefined)
  const respond = await startWorker({ open: async () => ({ match: async () => undefined, put }) }, type)
  expect(await respond('/_next/static/a.js')).toMatchObject({ path: '/_next/static/a.js' })
  expect(put).toHaveBeenCalledTimes(stored)
})

/** GET /door/sw.js: the service worker of the check-in page. Its only task is to open the page offline. */
import { PAGE_CACHE } from '../offline/page-cache'

/** How long to wait for the server, in milliseconds, before the stored page is shown. */
const PAGE_MS = 3_000

const WORKER = `'use strict'
const open = () => caches.open(${JSON.stringify(PAGE_CACHE)})
// Browsers can refuse storage. The page is then loaded from the server.
const find = async (request) => (await open()).match(request, { ignoreVary: true })
const store = async (request, response) => (await open()).put(request, response)
// A proxy may respond with its own page, which must not be stored instead of a script.
const isHtml = (response) => response.headers.get('Content-Type')?.startsWith('text/html') === true
const timeout = () => new Promise((_, reject) => setTimeout(reject, ${PAGE_MS}))

async function page(request) {
  const stored = await find('/door').catch(() => undefined)
  if (!stored) return fetch(request)
  try {
    const response = await Promise.race([fetch(request), timeout()])
    return response.status >= 500 ? stored : response
  } catch {
    return stored
  }
}

async function file(request) {
  const stored = await find(request).catch(() => undefined)
  if (stored) return stored
  const response = await fetch(request)
  if (response.ok && !isHtml(response)) await store(request, response.clone()).catch(() => {})
  return response
}

addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate' && (pathname === '/door' || pathname === '/door/')) event.respondWith(page(request))
  else if (pathname.startsWith('/_next/static/')) event.respondWith(file(request))
})
`

export const GET = () =>
  new Response(WORKER, {
    // The worker controls `/door`, which is outside its default scope, `/door/`.
    headers: { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'no-cache', 'Service-Worker-Allowed': '/door' },
  })

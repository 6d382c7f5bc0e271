/** Installs the service worker, and caches the page with every file that it has loaded, so that it opens without a network. */
import { PAGE_CACHE } from './page-cache'

const isFile = (url: string) => {
  const { origin, pathname } = new URL(url)
  return origin === window.location.origin && pathname.startsWith('/_next/static/')
}

/** Loads the camera's decoder, which is otherwise loaded on first use. */
async function loadDecoder(): Promise<string> {
  await import('barcode-detector/ponyfill')
  return new URL('zxing-wasm/reader/zxing_reader.wasm', import.meta.url).href
}

export async function installPage(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  await navigator.serviceWorker.register('/door/sw.js', { scope: '/door' })
  const decoder = await loadDecoder()
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  const linked = [...document.querySelectorAll<HTMLScriptElement | HTMLLinkElement>('script[src], link[href]')].map((element) =>
    'src' in element ? element.src : element.href,
  )
  const files = new Set([...loaded, ...linked].filter(isFile))
  files.add(decoder)
  const cache = await caches.open(PAGE_CACHE)
  const known = new Set((await cache.keys()).map(({ url }) => url))
  await cache.addAll([...files].filter((url) => !known.has(url)))
  await cache.add('/door')
}

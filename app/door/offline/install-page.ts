/** Installs the service worker, and stores the page with every file that it needs, so that the page opens offline. */
import { PAGE_CACHE } from './page-cache'

const FILES = '/_next/static/'
/** The build files in a page's HTML: scripts, stylesheets and preloaded files. */
const NEEDED_FILES = new RegExp(`\\s(?:src|href)="(${FILES}[^"]+)"`, 'g')

const toUrl = (path: string) => new URL(path, window.location.origin).href

const isBuildFile = (url: string) => url.startsWith(toUrl(FILES))

/** Loads the parts that are otherwise loaded on first use: camera, decoder and side panel. @returns the URL of the decoder's WASM file */
async function loadParts(): Promise<string> {
  await Promise.all([import('barcode-detector/ponyfill'), import('../camera'), import('../panel-content')])
  return new URL('zxing-wasm/reader/zxing_reader.wasm', import.meta.url).href
}

/** Stores a file. Throws if the response is an error or the page of a proxy, which would otherwise be stored instead of the file. */
async function storeFile(cache: Cache, url: string): Promise<void> {
  const response = await fetch(url)
  const isHtml = response.headers.get('Content-Type')?.startsWith('text/html') === true
  if (!response.ok || isHtml) throw new TypeError(`cannot store ${url}`)
  await cache.put(url, response)
}

/** Returns the URLs of all build files that this page has loaded. */
function listLoadedFiles(): Set<string> {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  const linked = [...document.querySelectorAll<HTMLScriptElement | HTMLLinkElement>('script[src], link[href]')].map((element) =>
    'src' in element ? element.src : element.href,
  )
  return new Set([...loaded, ...linked].filter(isBuildFile))
}

/**
 * Installs the service worker and stores the page. The page is stored after its files, so that a stored page always has them. If the server
 * has a newer version of the page, that version is not stored until it is loaded, because the files that it needs are not all known yet.
 *
 * @returns whether the page opens offline
 */
export async function installPage(): Promise<boolean> {
  // In development, files change without getting new names.
  if (process.env.NODE_ENV !== 'production' || !('serviceWorker' in navigator)) return false
  await navigator.serviceWorker.register('/door/sw.js', { scope: '/door' })
  const decoder = await loadParts()
  const files = listLoadedFiles().add(decoder)
  const cache = await caches.open(PAGE_CACHE)
  const isStored = () => cache.match('/door').then(Boolean)
  const response = await fetch('/door').catch(() => undefined)
  if (!response?.ok || response.redirected) return isStored()
  const needed = [...(await response.clone().text()).matchAll(NEEDED_FILES)].map(([, path = '']) => toUrl(path))
  // A page without build files comes from a proxy.
  if (needed.length === 0 || !needed.every((url) => files.has(url))) return isStored()
  const storedUrls = new Set((await cache.keys()).map(({ url }) => url))
  await Promise.all([...files].filter((url) => !storedUrls.has(url)).map((url) => storeFile(cache, url)))
  await cache.put('/door', response)
  // Deletes the files of earlier versions.
  for (const url of storedUrls) if (isBuildFile(url) && !files.has(url)) await cache.delete(url)
  return true
}

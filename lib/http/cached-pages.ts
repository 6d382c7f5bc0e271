/** Caches pages that are the same for every visitor without a session. Next renders each page once; after that it is served from memory. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import inject from 'light-my-request'
import { pathOf } from './exchange'
import { PAGES } from './observe'

/** The page that does not depend on the session at all. */
const REFERENCE = '/docs'
const CACHED = new Set(['/', REFERENCE, '/sign-in'])
/** The path that is rendered for all paths without a page. */
const NOT_FOUND = '/no-such-page'

/** The host that pages are rendered for. In responses, it is replaced with the request's host, for example in the API reference's commands. */
const RENDERED_HOST = 'host-of-the-request.invalid'

/** Headers that Node sets for each response. */
const PER_RESPONSE = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding', 'content-length'])

/** A rendered page, without its nonce and host. */
type CachedPage = { status: number; headers: OutgoingHttpHeaders; nonce: string; body: (Buffer | 'nonce' | 'host')[] }

const compress = promisify(gzip)

/** Returns the path of the cached page for a request, or undefined if the page depends on more than the theme and the host. */
function cachedPath(incoming: IncomingMessage, hasSession: boolean): string | undefined {
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return undefined
  const path = pathOf(incoming)
  if (path === REFERENCE) return path
  if (hasSession) return undefined
  if (CACHED.has(path)) return path
  const [, first = ''] = path.split('/')
  // A path with a dot might be a file.
  return PAGES.has(first) || first === 'api' || path.includes('.') ? undefined : NOT_FOUND
}

async function render(page: RequestListener, path: string, theme: string): Promise<CachedPage> {
  const { statusCode, headers, payload } = await inject(page, {
    method: 'GET',
    url: path,
    headers: { host: RENDERED_HOST, accept: 'text/html', cookie: `theme=${theme}` },
  })
  const nonce = /'nonce-([A-Za-z0-9+/=]+)'/.exec(String(headers['content-security-policy']))?.[1]
  if (nonce === undefined || statusCode !== (path === NOT_FOUND ? 404 : 200))
    throw new Error(`${path} was rendered with status ${statusCode}`)
  const parts = payload.split(new RegExp(`(${nonce.replaceAll('+', '\\+')}|${RENDERED_HOST})`))
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !PER_RESPONSE.has(name))),
    nonce,
    body: parts.map((part) => (part === nonce ? 'nonce' : part === RENDERED_HOST ? 'host' : Buffer.from(part))),
  }
}

/** Cached pages by path and theme, about a dozen. */
const pages = new Map<string, Promise<CachedPage>>()

function findPage(page: RequestListener, path: string, cookies = ''): Promise<CachedPage> {
  const theme = /(?:^|; *)theme=(light|dark)(?:;|$)/.exec(cookies)?.[1] ?? ''
  const key = `${path} ${theme}`
  const known = pages.get(key)
  if (known) return known
  const rendered = render(page, path, theme)
  pages.set(key, rendered)
  // Render it again for the next request.
  rendered.catch(() => pages.delete(key))
  return rendered
}

/** Sends a page with a new nonce, which must be unpredictable. */
async function send({ status, headers, nonce, body }: CachedPage, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const own = { nonce: randomBytes(16).toString('base64'), host: incoming.headers.host ?? 'localhost' }
  const fill = (text: string) => text.replaceAll(nonce, own.nonce).replaceAll(RENDERED_HOST, own.host)
  const whole = Buffer.concat(body.map((part) => (typeof part === 'string' ? Buffer.from(own[part]) : part)))
  const isCompressed = /\bgzip\b/.test(String(incoming.headers['accept-encoding']))
  // Compresses in another thread. Uses the fastest level, because the text is compressed for each response.
  const bytes = isCompressed ? await compress(whole, { level: 1 }) : whole
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) outgoing.setHeader(name, Array.isArray(value) ? value.map(fill) : fill(String(value)))
  }
  if (isCompressed) outgoing.setHeader('Content-Encoding', 'gzip')
  outgoing.writeHead(status, { 'Content-Length': bytes.byteLength })
  outgoing.end(incoming.method === 'HEAD' ? undefined : bytes)
}

/**
 * Responds from memory if the page can be cached, otherwise does nothing.
 *
 * @param page renders pages
 * @returns whether it has responded
 * @throws {Error} if the page cannot be rendered
 */
export async function sendCachedPage(
  page: RequestListener,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  hasSession: boolean,
): Promise<boolean> {
  const path = cachedPath(incoming, hasSession)
  if (path === undefined) return false
  await send(await findPage(page, path, incoming.headers.cookie), incoming, outgoing)
  return true
}

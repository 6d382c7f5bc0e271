/**
 * Caches the pages that are the same for all visitors without a session, and the API reference, which is the same for everyone.
 * Next renders each of them once, at startup. From then on, they are served from memory.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import inject from 'light-my-request'
import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible'
import { reportLoad } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'
import { acceptsEncoding } from './accepts-encoding'
import { getPath } from './exchange'
import { PAGES } from './request-log'

/** The path of the API reference, which does not depend on the session. */
const REFERENCE = '/docs'
/** The paths of the cached pages, except the 404 page. */
const CACHED = new Set(['/', REFERENCE, '/sign-in'])
/** The path that is rendered to get the 404 page for all unknown paths. */
const NOT_FOUND = '/no-such-page'

/** The host that pages are rendered with. Responses contain the request's host instead, for example in the API reference's commands. */
const RENDERED_HOST = 'host-of-the-request.invalid'

/** Matches an inline script that contains a part of the page's RSC payload, which React reads. */
const PAYLOAD_SCRIPT = /self\.__next_f\.push\(\[1,("(?:[^"\\]|\\.)*")\]\)/g

/** Matches the header of a text row in the RSC payload: its ID and its length in bytes, both in hexadecimal. */
const TEXT_ROW_HEADER = /(?<![0-9a-f])([0-9a-f]+):T([0-9a-f]+),/g

/** The theme that pages are rendered with. Responses contain the theme from the visitor's cookie instead. */
const RENDERED_THEME = 'light'
/** Matches the theme in the attribute `data-theme`, in HTML and in the RSC payload. */
const THEME = `(?<=data-theme(?:="|\\\\":\\\\"))${RENDERED_THEME}`

/**
 * The limits of each queue: responses per second, and waiting requests. The windows are short, to limit bursts. A large page counts as one
 * response per 128 KiB, up to a whole window, because sending it takes as long as sending several small pages.
 */
const PER_SECOND = 200
const WINDOW_SECONDS = 0.05
const PER_WINDOW = PER_SECOND * WINDOW_SECONDS
const RESPONSE_BYTES = 128 * 1024
const MAX_QUEUED = 200
/** How long a client has to read a response, in milliseconds. The response stays in memory until it has been read. */
const READ_TIMEOUT_MS = 60_000
/** The maximum number of concurrent compressions, which compete with check-in for the CPU. Further responses are sent uncompressed. */
const MAX_COMPRESSIONS = 2

/** The headers that Node sets for each response. They are not cached. */
const UNCACHED_HEADERS = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding', 'content-length'])

/** A rendered page, split at the parts that differ between responses. */
type CachedPage = {
  status: number
  headers: OutgoingHttpHeaders
  /** The nonce that the page was rendered with. */
  nonce: string
  body: (Buffer | VariablePart)[]
  /** The number of responses that the page counts as. */
  cost: number
}

/** A part that differs between responses. */
type VariablePart = 'nonce' | 'host' | 'theme' | TextRow

/** A text row that contains the host, so that the length in the row's header depends on the host. */
type TextRow = {
  /** The ID of the row, in hexadecimal. */
  id: string
  /** The length of the text as rendered. */
  bytes: number
  /** The number of times the host occurs. */
  hostCount: number
}

const gzipAsync = promisify(gzip)
let compressing = 0

const queue = new RateLimiterQueue(new RateLimiterMemory({ points: PER_WINDOW, duration: WINDOW_SECONDS }), { maxQueueSize: MAX_QUEUED })
let waiting = 0
let refused = 0

reportLoad('cached_pages', () => ({ active: 0, waiting, refused }))

/**
 * Returns the path of the cached page to send for a request, or undefined if the response is not cached.
 *
 * @param files the paths of files outside the build
 */
function findCachedPath(incoming: IncomingMessage, hasSession: boolean, files: ReadonlySet<string>): string | undefined {
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return undefined
  const path = getPath(incoming)
  if (path === REFERENCE) return path
  if (hasSession) return undefined
  if (CACHED.has(path)) return path
  const [, first = ''] = path.split('/')
  return PAGES.has(first) || first === 'api' || files.has(path) ? undefined : NOT_FOUND
}

/** Returns the text rows that contain the host, by their headers. React reads exactly as many bytes as a header declares. */
function findTextRows(html: string): Map<string, TextRow> {
  const data = Buffer.from([...html.matchAll(PAYLOAD_SCRIPT)].map(([, text = '""']) => JSON.parse(text)).join(''))
  const found = new Map<string, TextRow>()
  // In Latin-1, each byte is one character.
  for (const { 0: header, 1: id = '', 2: length = '', index } of data.toString('latin1').matchAll(TEXT_ROW_HEADER)) {
    const bytes = Number.parseInt(length, 16)
    const from = index + header.length
    const hostCount = data.toString('latin1', from, from + bytes).split(RENDERED_HOST).length - 1
    if (hostCount > 0) found.set(header, { id, bytes, hostCount })
  }
  return found
}

/** Renders a page and splits it. @throws {Error} if the page has an unexpected status or no nonce, or cannot be split unambiguously */
async function render(renderPage: RequestListener, path: string): Promise<CachedPage> {
  const { statusCode, headers, payload } = await inject(renderPage, {
    method: 'GET',
    url: path,
    headers: { host: RENDERED_HOST, accept: 'text/html', cookie: `theme=${RENDERED_THEME}` },
  })
  const nonce = /'nonce-([A-Za-z0-9+/=]+)'/.exec(String(headers['content-security-policy']))?.[1]
  if (nonce === undefined || statusCode !== (path === NOT_FOUND ? 404 : 200))
    throw new Error(`${path} was rendered with status ${statusCode} and ${nonce === undefined ? 'no' : 'a'} nonce`)
  const texts = findTextRows(payload)
  const variable = new Map<string, VariablePart>([[nonce, 'nonce'], [RENDERED_HOST, 'host'], [RENDERED_THEME, 'theme'], ...texts])
  const patterns = [...texts.keys()].map((header) => `(?<![0-9a-f])${header}`)
  const parts = payload.split(new RegExp(`(${[nonce.replaceAll('+', '\\+'), RENDERED_HOST, THEME, ...patterns].join('|')})`))
  for (const header of texts.keys()) {
    if (parts.filter((part) => part === header).length !== 1) throw new Error(`${path} does not contain ${header} exactly once`)
  }
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !UNCACHED_HEADERS.has(name))),
    nonce,
    cost: Math.min(PER_WINDOW, Math.ceil(Buffer.byteLength(payload) / RESPONSE_BYTES)),
    // Because the pattern has a capturing group, `split` returns the separators at odd indexes.
    body: parts.map((part, index) => (index % 2 === 1 && variable.get(part)) || Buffer.from(part)),
  }
}

/**
 * Waits until a page may be sent. For visitors, the large API reference has its own queue, so that it does not delay the sign-in page.
 * The signed-in users of each seller share a queue. The API reference is the only page that they get from the cache.
 *
 * @throws {UnavailableError} if too many requests are waiting
 */
async function waitForSlot(path: string, cost: number, sellerId: string | undefined): Promise<void> {
  waiting += 1
  try {
    await queue.removeTokens(cost, sellerId ?? (path === REFERENCE ? 'reference' : 'other'))
  } catch (error) {
    refused += 1
    throw new UnavailableError('Too many requests for cached pages are waiting.', { code: 'queue_full', cause: error })
  } finally {
    waiting -= 1
  }
}

async function compress(page: Buffer): Promise<Buffer> {
  compressing += 1
  try {
    // Runs in another thread. Uses the fastest level, because each response is compressed separately.
    return await gzipAsync(page, { level: 1 })
  } finally {
    compressing -= 1
  }
}

/** Sends a page with a new nonce, which must be unpredictable, and with the request's host and theme. */
async function sendPage({ status, headers, nonce, body }: CachedPage, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const theme = /(?:^|; *)theme=(light|dark)(?:;|$)/.exec(incoming.headers.cookie ?? '')?.[1] ?? ''
  const values = { nonce: randomBytes(16).toString('base64'), host: incoming.headers.host ?? 'localhost', theme }
  const fill = (text: string) => text.replaceAll(nonce, values.nonce).replaceAll(RENDERED_HOST, values.host)
  const extraBytes = Buffer.byteLength(values.host) - RENDERED_HOST.length
  // Parts with the same value share one buffer, because the response stays in memory until its client has read it.
  const shared = { nonce: Buffer.from(values.nonce), host: Buffer.from(values.host), theme: Buffer.from(values.theme) }
  const parts = body.map((part) => {
    if (Buffer.isBuffer(part)) return part
    return typeof part === 'string' ? shared[part] : Buffer.from(`${part.id}:T${(part.bytes + part.hostCount * extraBytes).toString(16)},`)
  })
  const isCompressed = compressing < MAX_COMPRESSIONS && acceptsEncoding(incoming, 'gzip')
  // Uncompressed responses share the cached page's buffers, so that responses to slow clients take little memory.
  const chunks = isCompressed ? [await compress(Buffer.concat(parts))] : parts
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) outgoing.setHeader(name, Array.isArray(value) ? value.map(fill) : fill(String(value)))
  }
  if (isCompressed) outgoing.setHeader('Content-Encoding', 'gzip')
  const timer = setTimeout(() => outgoing.destroy(), READ_TIMEOUT_MS).unref()
  outgoing.once('close', () => clearTimeout(timer))
  outgoing.writeHead(status, { 'Content-Length': chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0) })
  if (incoming.method !== 'HEAD') for (const chunk of chunks) outgoing.write(chunk)
  outgoing.end()
}

export type PageCache = {
  /** Renders every cached page in advance. @throws {Error} if one cannot be rendered; that page and later ones are rendered on request */
  fill(): Promise<void>
  /**
   * Sends the response from memory if it is a cached page; otherwise, does nothing.
   *
   * @param sellerId the seller of a signed-in user; undefined for a visitor
   * @returns whether the response is a cached page
   * @throws {UnavailableError} if too many requests are waiting
   * @throws {Error} if the page cannot be rendered
   */
  send(incoming: IncomingMessage, outgoing: ServerResponse, sellerId: string | undefined): Promise<boolean>
}

/** Creates the cache. @param files the paths of files outside the build */
export function createPageCache(renderPage: RequestListener, files: ReadonlySet<string>): PageCache {
  const pages = new Map<string, Promise<CachedPage>>()
  /** Returns a cached page, and renders it if it has not been rendered yet. */
  const find = (path: string): Promise<CachedPage> => {
    const known = pages.get(path)
    if (known) return known
    const rendered = render(renderPage, path)
    pages.set(path, rendered)
    // If rendering fails, the next request tries again.
    rendered.catch(() => pages.delete(path))
    return rendered
  }
  return {
    async fill() {
      for (const path of [...CACHED, NOT_FOUND]) await find(path)
    },
    async send(incoming, outgoing, sellerId) {
      const path = findCachedPath(incoming, sellerId !== undefined, files)
      if (path === undefined) return false
      const found = await find(path)
      await waitForSlot(path, incoming.method === 'HEAD' ? 1 : found.cost, sellerId)
      if (!outgoing.destroyed) await sendPage(found, incoming, outgoing)
      return true
    },
  }
}

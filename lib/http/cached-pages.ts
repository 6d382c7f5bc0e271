/** Caches pages that are the same for every visitor without a session, and the API reference, which is the same for everyone. Next renders each page once, at startup; after that it is served from memory. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import inject from 'light-my-request'
import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible'
import { reportLoad } from '@/db/semaphore'
import { UnavailableError } from '@/db/unavailable'
import { getPath } from './exchange'
import { PAGES } from './request-log'

/** The page that does not depend on the session at all. */
const REFERENCE = '/docs'
const CACHED = new Set(['/', REFERENCE, '/sign-in'])
/** The path that is rendered for all paths without a page. */
const NOT_FOUND = '/no-such-page'

/** The host that pages are rendered for. In responses, it is replaced with the request's host, for example in the API reference's commands. */
const RENDERED_HOST = 'host-of-the-request.invalid'

/** A script with a part of React's data, as Next writes it. */
const DATA_SCRIPT = /self\.__next_f\.push\(\[1,("(?:[^"\\]|\\.)*")\]\)/g

/** The start of a long text in React's data: its ID and its length in bytes, both hexadecimal. */
const LONG_TEXT = /(?<![0-9a-f])([0-9a-f]+):T([0-9a-f]+),/g

/** The theme that pages are rendered with. In responses, it is replaced with the visitor's, which is in a cookie. */
const RENDERED_THEME = 'light'
const THEME = `(?<=data-theme(?:="|\\\\":\\\\"))${RENDERED_THEME}`

/**
 * The number of responses per second for all visitors, or for the users of a seller, and the maximum number of waiting ones. The windows are short, to limit bursts. A large page
 * counts as several responses, because copying it to the network takes as long as copying several.
 */
const PER_SECOND = 200
const WINDOW_SECONDS = 0.05
const PER_WINDOW = PER_SECOND * WINDOW_SECONDS
const RESPONSE_BYTES = 128 * 1024
const QUEUE = 200
/** The time within which a client must read a response, which stays in memory until then. */
const READ_MS = 60_000
/** The maximum number of responses that are compressed concurrently. Others are sent uncompressed, because compressing takes processor time from check-in. */
const MAX_COMPRESSED = 2

/** Headers that Node sets for each response. */
const PER_RESPONSE = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding', 'content-length'])

/** A rendered page, without the parts that differ between its responses. */
type CachedPage = {
  status: number
  headers: OutgoingHttpHeaders
  nonce: string
  body: (Buffer | VariablePart)[]
  /** The number of responses that the page counts as. */
  cost: number
}

/** A part that differs between responses. */
type VariablePart = 'nonce' | 'host' | 'theme' | LongText

/** The start of a text that contains the host: its ID, its length as rendered, and the number of times that it contains the host. */
type LongText = { id: string; bytes: number; hosts: number }

const compress = promisify(gzip)
let compressing = 0

const queue = new RateLimiterQueue(new RateLimiterMemory({ points: PER_WINDOW, duration: WINDOW_SECONDS }), { maxQueueSize: QUEUE })
let waiting = 0
let refused = 0

reportLoad('cached_pages', () => ({ active: 0, waiting, refused }))

/**
 * Returns the path of the cached page for a request, or undefined if the page depends on more than the theme and the host.
 *
 * @param files the paths of files outside the build
 */
function cachedPath(incoming: IncomingMessage, hasSession: boolean, files: ReadonlySet<string>): string | undefined {
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return undefined
  const path = getPath(incoming)
  if (path === REFERENCE) return path
  if (hasSession) return undefined
  if (CACHED.has(path)) return path
  const [, first = ''] = path.split('/')
  return PAGES.has(first) || first === 'api' || files.has(path) ? undefined : NOT_FOUND
}

/** Returns the long texts in React's data that contain the host, by their start. React reads the number of bytes that the start declares. */
function findLongTexts(html: string): Map<string, LongText> {
  const data = Buffer.from([...html.matchAll(DATA_SCRIPT)].map(([, text = '""']) => JSON.parse(text)).join(''))
  const found = new Map<string, LongText>()
  // In Latin-1, each byte is one character.
  for (const { 0: start, 1: id = '', 2: length = '', index } of data.toString('latin1').matchAll(LONG_TEXT)) {
    const bytes = Number.parseInt(length, 16)
    const from = index + start.length
    const hosts = data.toString('latin1', from, from + bytes).split(RENDERED_HOST).length - 1
    if (hosts > 0) found.set(start, { id, bytes, hosts })
  }
  return found
}

async function render(page: RequestListener, path: string): Promise<CachedPage> {
  const { statusCode, headers, payload } = await inject(page, {
    method: 'GET',
    url: path,
    headers: { host: RENDERED_HOST, accept: 'text/html', cookie: `theme=${RENDERED_THEME}` },
  })
  const nonce = /'nonce-([A-Za-z0-9+/=]+)'/.exec(String(headers['content-security-policy']))?.[1]
  if (nonce === undefined || statusCode !== (path === NOT_FOUND ? 404 : 200))
    throw new Error(`${path} was rendered with status ${statusCode}`)
  const texts = findLongTexts(payload)
  const variable = new Map<string, VariablePart>([[nonce, 'nonce'], [RENDERED_HOST, 'host'], [RENDERED_THEME, 'theme'], ...texts])
  const starts = [...texts.keys()].map((start) => `(?<![0-9a-f])${start}`)
  const parts = payload.split(new RegExp(`(${[nonce.replaceAll('+', '\\+'), RENDERED_HOST, THEME, ...starts].join('|')})`))
  for (const start of texts.keys()) {
    if (parts.filter((part) => part === start).length !== 1) throw new Error(`${path} does not contain ${start} once`)
  }
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !PER_RESPONSE.has(name))),
    nonce,
    cost: Math.min(PER_WINDOW, Math.ceil(payload.length / RESPONSE_BYTES)),
    // Every other part is a separator.
    body: parts.map((part, at) => (at % 2 === 1 && variable.get(part)) || Buffer.from(part)),
  }
}

/** Cached pages by renderer and by path. */
const pagesByRenderer = new WeakMap<RequestListener, Map<string, Promise<CachedPage>>>()

function findPage(page: RequestListener, path: string): Promise<CachedPage> {
  const pages = pagesByRenderer.get(page) ?? new Map<string, Promise<CachedPage>>()
  pagesByRenderer.set(page, pages)
  const known = pages.get(path)
  if (known) return known
  const rendered = render(page, path)
  pages.set(path, rendered)
  // Render it again for the next request.
  rendered.catch(() => pages.delete(path))
  return rendered
}

/** Renders every cached page, so that no request has to wait for it. @throws {Error} if a page cannot be rendered; its first request tries again */
export async function renderCachedPages(page: RequestListener): Promise<void> {
  for (const path of [...CACHED, NOT_FOUND]) await findPage(page, path)
}

/**
 * Waits until a page may be sent. The large one has its own queue, so that it does not delay signing in. Each seller also has one.
 *
 * @throws {UnavailableError} if too many wait
 */
async function waitForSlot(path: string, cost: number, sellerId: string | undefined): Promise<void> {
  waiting += 1
  try {
    await queue.removeTokens(cost, sellerId ?? (path === REFERENCE ? 'large' : 'small'))
  } catch (error) {
    refused += 1
    throw new UnavailableError('Too many requests for cached pages are waiting.', { code: 'queue_full', cause: error })
  } finally {
    waiting -= 1
  }
}

async function compressed(whole: Buffer): Promise<Buffer> {
  compressing += 1
  try {
    // Compresses in another thread. Uses the fastest level, because the text is compressed for each response.
    return await compress(whole, { level: 1 })
  } finally {
    compressing -= 1
  }
}

/** Sends a page with a new nonce, which must be unpredictable. */
async function send({ status, headers, nonce, body }: CachedPage, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const theme = /(?:^|; *)theme=(light|dark)(?:;|$)/.exec(incoming.headers.cookie ?? '')?.[1] ?? ''
  const own = { nonce: randomBytes(16).toString('base64'), host: incoming.headers.host ?? 'localhost', theme }
  const fill = (text: string) => text.replaceAll(nonce, own.nonce).replaceAll(RENDERED_HOST, own.host)
  const longer = Buffer.byteLength(own.host) - RENDERED_HOST.length
  // One buffer for all parts, because the response stays in memory until its client has read it.
  const shared = { nonce: Buffer.from(own.nonce), host: Buffer.from(own.host), theme: Buffer.from(own.theme) }
  const parts = body.map((part) => {
    if (Buffer.isBuffer(part)) return part
    return typeof part === 'string' ? shared[part] : Buffer.from(`${part.id}:T${(part.bytes + part.hosts * longer).toString(16)},`)
  })
  const isCompressed = compressing < MAX_COMPRESSED && /\bgzip\b/.test(String(incoming.headers['accept-encoding']))
  // Uncompressed responses share the page's memory, even while their clients have not read them.
  const chunks = isCompressed ? [await compressed(Buffer.concat(parts))] : parts
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) outgoing.setHeader(name, Array.isArray(value) ? value.map(fill) : fill(String(value)))
  }
  if (isCompressed) outgoing.setHeader('Content-Encoding', 'gzip')
  const timer = setTimeout(() => outgoing.destroy(), READ_MS).unref()
  outgoing.once('close', () => clearTimeout(timer))
  outgoing.writeHead(status, { 'Content-Length': chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0) })
  if (incoming.method !== 'HEAD') for (const chunk of chunks) outgoing.write(chunk)
  outgoing.end()
}

/**
 * Responds from memory if the page can be cached, otherwise does nothing.
 *
 * @param page renders pages
 * @param sellerId the seller of a signed-in user; undefined for a visitor
 * @param files the paths of files outside the build
 * @returns whether it has responded
 * @throws {UnavailableError} if too many wait
 * @throws {Error} if the page cannot be rendered
 */
export async function sendCachedPage(
  page: RequestListener,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  sellerId: string | undefined,
  files: ReadonlySet<string>,
): Promise<boolean> {
  const path = cachedPath(incoming, sellerId !== undefined, files)
  if (path === undefined) return false
  const found = await findPage(page, path)
  await waitForSlot(path, incoming.method === 'HEAD' ? 1 : found.cost, sellerId)
  if (outgoing.destroyed) return true
  await send(found, incoming, outgoing)
  return true
}

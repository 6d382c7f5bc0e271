/** Compresses pages, and inlines the stylesheet in the first one that a browser opens, so that its first paint needs no second request. */
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { isBehindTls } from '../core/env'
import { acceptsEncoding } from './accepts-encoding'

/** The name of the cookie that stores which build's stylesheets the browser has loaded. */
const COOKIE = 'styles'
const YEAR_SECONDS = 365 * 24 * 60 * 60

/** The ID of a build, and its stylesheets: their text, decoded as Latin-1, by path. */
export type Build = { id: string; stylesheets: ReadonlyMap<string, string> }

/** Reads the ID and the stylesheets of the build. @param root the project's folder */
export async function readBuild(root: string): Promise<Build> {
  const folder = join(root, '.next/static')
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.css'))
  const read = async (file: string): Promise<[string, string]> => {
    const path = `/_next/static/${file.replaceAll('\\', '/')}`
    const resolveUrl = (_: string, url: string) => `url(${new URL(url, `http://host${path}`).pathname})`
    return [path, (await readFile(join(folder, file), 'latin1')).replace(/url\((\.[^)]+)\)/g, resolveUrl)]
  }
  const id = (await readFile(join(root, '.next/BUILD_ID'), 'utf8')).trim()
  return { id, stylesheets: new Map(await Promise.all(files.map(read))) }
}

/** Matches a link to a stylesheet as Next writes it. */
const LINK = /<link rel="stylesheet" href="([^"]+)"( nonce="[^"]+")? data-precedence="next"\/>/g

/**
 * Inlines stylesheets in HTML. The links remain, because React looks for them, and because they load the files for later pages. They get
 * `media="print"`, so that the files load with a low priority and without delaying the paint.
 *
 * @param html as Latin-1, in which each byte is one character
 */
const inline = (html: string, stylesheets: Build['stylesheets']): string =>
  html.replace(LINK, (link: string, path: string, nonce = '') => {
    const css = stylesheets.get(path)
    return css === undefined ? link : `<style${nonce}>${css}</style>${link.replace('/>', ' media="print"/>')}`
  })

/** Returns `br` or `gzip` for a document or a client-side navigation; undefined for other requests, or if the client accepts neither. */
function chooseEncoding(incoming: IncomingMessage): 'br' | 'gzip' | undefined {
  const { method, headers } = incoming
  if (method !== 'GET' || (headers.rsc === undefined && !headers.accept?.includes('text/html'))) return undefined
  return (['br', 'gzip'] as const).find((name) => acceptsEncoding(incoming, name))
}

const isType = (outgoing: ServerResponse, type: string) => String(outgoing.getHeader('Content-Type')).startsWith(type)

/** Returns whether a response is a page, either as HTML or as a React Server Components payload. */
const isPage = (outgoing: ServerResponse) => isType(outgoing, 'text/html') || isType(outgoing, 'text/x-component')

/** The statuses of responses without a body (RFC 9110, 6.4.1), and of partial content, whose range refers to uncompressed bytes. */
const NOT_COMPRESSED = new Set([204, 205, 206, 304])

/**
 * Creates an encoder. At quality 5, Brotli is about as fast as gzip, and its output is a seventh smaller. Its 256 KiB window holds the
 * stylesheet and a page.
 */
const createEncoder = (encoding: 'br' | 'gzip') =>
  encoding === 'br'
    ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 } })
    : createGzip()

/**
 * Returns methods that compress what is written and pass the result to a response.
 *
 * @param send the original methods of the response
 */
function createBody(outgoing: ServerResponse, encoding: 'br' | 'gzip', send: Pick<ServerResponse, 'write' | 'end'>) {
  const encoder = createEncoder(encoding)
  // Next writes many small chunks in a row. Compressing each one separately would schedule a thread pool task per chunk, and flushing
  // each one would make the page larger.
  let chunks: Buffer[] = []
  let bytes = 0
  let willFlush = false
  const writeAll = () => {
    if (bytes > 0) encoder.write(Buffer.concat(chunks))
    chunks = []
    bytes = 0
  }
  const flush = () => {
    willFlush = false
    if (encoder.writableEnded) return
    writeAll()
    encoder.flush(encoding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH)
  }
  encoder
    .on('data', (data) => Reflect.apply(send.write, outgoing, [data]) || encoder.pause())
    .on('end', () => Reflect.apply(send.end, outgoing, []))
    // If the buffer of the response is full, the response emits `drain` itself later.
    .on('drain', () => outgoing.writableNeedDrain || outgoing.emit('drain'))
    .on('error', () => outgoing.destroy())
  outgoing.on('drain', () => encoder.resume()).once('close', () => encoder.destroy())
  return {
    end() {
      writeAll()
      encoder.end()
    },
    write(data: Buffer): boolean {
      if (!willFlush) setImmediate(flush)
      willFlush = true
      chunks.push(data)
      bytes += data.byteLength
      if (bytes >= encoder.writableHighWaterMark) writeAll()
      return !encoder.writableNeedDrain
    },
  }
}

/** Returns a handler that compresses the pages that another handler renders. @param page Next's handler */
export const compressPages =
  (page: RequestListener, { id, stylesheets }: Build): RequestListener =>
  (incoming, outgoing) => {
    const encoding = chooseEncoding(incoming)
    if (encoding === undefined) return page(incoming, outgoing)
    // Next must not see Accept-Encoding if the response is a page, or it would compress the page too. It compresses all other responses.
    const accepted = incoming.headers['accept-encoding']
    const get = () => (isPage(outgoing) ? undefined : accepted)
    Object.defineProperty(incoming.headers, 'accept-encoding', { get, enumerable: true, configurable: true })
    const { writeHead, write, end } = outgoing
    let isStarted = false
    /** Whether to inline the stylesheets in the next chunk. */
    let willInline = false
    let body: ReturnType<typeof createBody> | undefined
    const start = (status: number) => {
      if (isStarted) return
      isStarted = true
      if (!isPage(outgoing) || outgoing.hasHeader('Content-Encoding') || NOT_COMPRESSED.has(status)) return
      body = createBody(outgoing, encoding, { write, end })
      outgoing.removeHeader('Content-Length')
      outgoing.setHeader('Content-Encoding', encoding)
      const hasStyles = new RegExp(`(?:^|; *)${COOKIE}=${id}(?:;|$)`).test(incoming.headers.cookie ?? '')
      willInline = status === 200 && !hasStyles && isType(outgoing, 'text/html')
      if (!willInline) return
      // The header would preload the stylesheet, which is now inline.
      outgoing.removeHeader('Link')
      const secure = isBehindTls() ? '; Secure' : ''
      outgoing.appendHeader('Set-Cookie', `${COOKIE}=${id}; Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax${secure}`)
    }
    const toChunk = (data: Uint8Array | string) => {
      const chunk = Buffer.from(data as Uint8Array)
      if (!willInline) return chunk
      willInline = false
      return Buffer.from(inline(chunk.toString('latin1'), stylesheets), 'latin1')
    }
    outgoing.writeHead = (status: number, ...rest: unknown[]) => {
      start(status)
      return Reflect.apply(writeHead, outgoing, [status, ...rest])
    }
    outgoing.write = (data: Uint8Array | string, ...rest: unknown[]) => {
      start(outgoing.statusCode)
      return body ? body.write(toChunk(data)) : Reflect.apply(write, outgoing, [data, ...rest])
    }
    outgoing.end = (...args: unknown[]) => {
      start(outgoing.statusCode)
      if (!body) return Reflect.apply(end, outgoing, args)
      const [data] = args
      if (data && typeof data !== 'function') body.write(toChunk(data as Uint8Array))
      // Sends the headers now, so that `headersSent` is true even though compression is asynchronous.
      outgoing.flushHeaders()
      body.end()
      return outgoing
    }
    page(incoming, outgoing)
  }

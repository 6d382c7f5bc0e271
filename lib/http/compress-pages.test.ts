/** Pages are compressed as they are streamed, and the first one that a browser opens contains its stylesheet inline. */
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, constants, createGunzip, gunzipSync } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { compressPages, readBuild } from './compress-pages'

const CSS = '.price::before{content:"€"}'
const BUILD = { id: 'build-1', stylesheets: new Map([['/_next/static/chunks/a.css', Buffer.from(CSS).toString('latin1')]]) }
const LINK = '<link rel="stylesheet" href="/_next/static/chunks/a.css" nonce="n1" data-precedence="next"/>'
const HTML = `<html><head>${LINK}</head><body>Café</body></html>`
const FIRST = HTML.replace(LINK, `<style nonce="n1">${CSS}</style>${LINK.replace('/>', ' media="print"/>')}`)
const NAVIGATION = { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'gzip, deflate, br' }

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean()
})

async function serve(page: RequestListener): Promise<number> {
  const server = createServer(compressPages(page, BUILD)).listen(0, '127.0.0.1')
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function get(port: number, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
  const [response] = await once(request({ host: '127.0.0.1', port, headers }).end(), 'response')
  return response
}

/** Responds like Next: sets a header that preloads the stylesheet, and sends the headers before the first chunk. */
const page: RequestListener = (incoming, outgoing) => {
  outgoing.setHeader('Content-Type', 'text/html; charset=utf-8')
  outgoing.setHeader('Link', '</_next/static/chunks/a.css>; rel=preload; as="style"')
  outgoing.setHeader('Requested-Encoding', incoming.headers['accept-encoding'] ?? 'none')
  outgoing.flushHeaders()
  outgoing.write(new TextEncoder().encode(HTML.slice(0, -14)))
  outgoing.end(HTML.slice(-14))
}

it('inlines the stylesheet in the first page, and only links to it in later pages', async () => {
  const port = await serve(page)
  const first = await get(port, NAVIGATION)
  expect(brotliDecompressSync(await buffer(first)).toString()).toBe(FIRST)
  expect(first.headers).toMatchObject({ 'content-encoding': 'br', 'requested-encoding': 'none' })
  expect(first.headers.link).toBeUndefined()
  const [cookie = ''] = first.headers['set-cookie'] ?? []
  expect(cookie).toBe('styles=build-1; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax')

  const later = await get(port, { ...NAVIGATION, 'accept-encoding': 'gzip', cookie: `theme=dark; ${cookie.split(';')[0]}` })
  expect(gunzipSync(await buffer(later)).toString()).toBe(HTML)
  expect(later.headers).toMatchObject({ 'content-encoding': 'gzip', link: expect.stringContaining('preload') })
  expect(later.headers['set-cookie']).toBeUndefined()

  const afterUpgrade = await get(port, { ...NAVIGATION, cookie: 'styles=build-0' })
  expect(brotliDecompressSync(await buffer(afterUpgrade)).toString()).toBe(FIRST)
})

it('compresses the data of a client-side navigation, flushing at most once per event loop iteration', async () => {
  const port = await serve((incoming, outgoing) => {
    outgoing.setHeader('Content-Type', 'text/x-component')
    outgoing.setHeader('Requested-Encoding', incoming.headers['accept-encoding'] ?? 'none')
    for (const part of HTML) outgoing.write(part)
    outgoing.end()
  })
  const response = await get(port, { ...NAVIGATION, accept: '*/*', rsc: '1' })
  const body = await buffer(response)
  expect(brotliDecompressSync(body).toString()).toBe(HTML)
  // If each part were flushed, the body would be longer than the text.
  expect(body.length).toBeLessThan(HTML.length)
  expect(response.headers).toMatchObject({ 'content-encoding': 'br', 'requested-encoding': 'none' })
  expect(response.headers['set-cookie']).toBeUndefined()
})

it.each([
  ['a client that accepts no compression', { accept: 'text/html' }],
  ['a request for a script', { ...NAVIGATION, accept: '*/*' }],
])('leaves the response to Next for %s', async (_, headers) => {
  const response = await get(await serve(page), headers)
  expect((await buffer(response)).toString()).toBe(HTML)
  expect(response.headers['content-encoding']).toBeUndefined()
  expect(response.headers.link).toContain('preload')
})

it('leaves everything except pages to Next, with the encodings that the client accepts', async () => {
  const port = await serve((incoming, outgoing) => {
    outgoing.setHeader('Content-Type', 'text/csv')
    outgoing.setHeader('Content-Length', 3)
    outgoing.setHeader('Requested-Encoding', incoming.headers['accept-encoding'] ?? 'none')
    outgoing.write('a')
    outgoing.end('\r\n')
  })
  const response = await get(port, NAVIGATION)
  expect((await buffer(response)).toString()).toBe('a\r\n')
  expect(response.headers).toMatchObject({ 'content-length': '3', 'requested-encoding': NAVIGATION['accept-encoding'] })
  expect(response.headers).not.toMatchObject({ 'content-encoding': expect.anything() })
  expect(response.headers['set-cookie']).toBeUndefined()
})

it('keeps the cookies that a page sets', async () => {
  const port = await serve((_, outgoing) => {
    outgoing.setHeader('Content-Type', 'text/html')
    outgoing.appendHeader('Set-Cookie', 'theme=light')
    outgoing.appendHeader('Set-Cookie', 'size=small')
    outgoing.writeHead(200).end(HTML)
  })
  const response = await get(port, NAVIGATION)
  response.resume()
  expect(response.headers['set-cookie']).toEqual(['theme=light', 'size=small', expect.stringContaining('styles=build-1')])
})

it.each([
  ['a page that has not changed', 304, ''],
  ['a part of a page', 206, HTML],
])('does not compress %s', async (_, status, body) => {
  const port = await serve((_, outgoing) => {
    outgoing.setHeader('Content-Type', 'text/html')
    outgoing.writeHead(status).end(body)
  })
  const response = await get(port, NAVIGATION)
  expect([response.statusCode, (await buffer(response)).toString()]).toEqual([status, body])
  expect(response.headers['content-encoding']).toBeUndefined()
})

it.each([
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.0, gzip;q=0.5', 'gzip'],
  ['br;q=0.5', 'br'],
  ['br\t;\tq=0,\tgzip', 'gzip'],
  ['gzip;q=0', undefined],
  ['x-br', undefined],
])('chooses the encoding by the weights in %s', async (accepted, encoding) => {
  const response = await get(await serve(page), { ...NAVIGATION, 'accept-encoding': accepted })
  response.resume()
  expect(response.headers['content-encoding']).toBe(encoding)
})

it('sends the headers as soon as the page ends the response', async () => {
  let isStarted = false
  const port = await serve((_, outgoing) => {
    outgoing.setHeader('Content-Type', 'text/html')
    outgoing.end(HTML)
    isStarted = outgoing.headersSent
  })
  expect(brotliDecompressSync(await buffer(await get(port, NAVIGATION))).toString()).toBe(FIRST)
  expect(isStarted).toBe(true)
})

it('does not treat a redirect as the first page', async () => {
  const port = await serve((_, outgoing) => {
    outgoing.statusCode = 307
    outgoing.setHeader('Content-Type', 'text/html')
    outgoing.end(HTML)
  })
  const response = await get(port, NAVIGATION)
  expect(brotliDecompressSync(await buffer(response)).toString()).toBe(HTML)
  expect(response.headers['set-cookie']).toBeUndefined()
})

it('sends each part of a streamed page as soon as it is rendered', async () => {
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const port = await serve(async (_, outgoing) => {
    outgoing.setHeader('Content-Type', 'text/html')
    outgoing.write('the frame')
    await finished
    outgoing.end(', and its rows')
  })
  const response = await get(port, { ...NAVIGATION, 'accept-encoding': 'gzip' })
  const text = response.pipe(createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }))
  expect(String((await once(text, 'data'))[0])).toBe('the frame')
  finish()
  expect((await buffer(text)).toString()).toBe(', and its rows')
})

it('waits for a client that reads slowly, and stops when the client disconnects', { tags: 'slow' }, async () => {
  let written = 0
  let isClosed = false
  const port = await serve((_, outgoing) => {
    const piece = Buffer.from(Array.from({ length: 64 * 1024 }, () => Math.floor(Math.random() * 256)))
    const write = () => {
      if (isClosed) return
      do written += 1
      while (outgoing.write(piece))
      outgoing.once('drain', write)
    }
    outgoing.setHeader('Content-Type', 'text/html')
    outgoing.once('close', () => {
      isClosed = true
      // Next may still have a chunk to write when the connection is closed.
      setImmediate(() => {
        outgoing.write(piece)
        outgoing.end()
      })
    })
    write()
  })
  const response = await get(port, { ...NAVIGATION, 'accept-encoding': 'gzip' })
  response.pause()
  for (let before = -1; before !== written; ) {
    before = written
    await pause(500)
  }
  const before = written
  response.resume()
  await expect.poll(() => written).toBeGreaterThan(before + 10)
  response.destroy()
  await expect.poll(() => isClosed).toBe(true)
})

it('resolves relative URLs in stylesheets, because inlining would change their base URL', async () => {
  const root = await mkdtemp(join(tmpdir(), 'build-'))
  cleanups.push(() => rm(root, { recursive: true }))
  await mkdir(join(root, '.next/static/chunks'), { recursive: true })
  await writeFile(join(root, '.next/BUILD_ID'), 'build-2\n')
  await writeFile(join(root, '.next/static/chunks/a.css'), 'a{src:url(../media/a.woff2)}b{src:url(data:,)}')
  expect(await readBuild(root)).toEqual({
    id: 'build-2',
    stylesheets: new Map([['/_next/static/chunks/a.css', 'a{src:url(/_next/static/media/a.woff2)}b{src:url(data:,)}']]),
  })
})

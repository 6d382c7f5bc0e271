/** Cached pages are sent at a limited rate and with the host of the request, and clients that read them too slowly are disconnected. */
// @module-tag slow
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import inject from 'light-my-request'
import { expect, it, vi } from 'vitest'
import { reportedLoads } from '@/db/semaphore'
import { newObjectId } from '../core/object-id'
import { createPageCache } from './cached-pages'

const render: RequestListener = (_, outgoing) => {
  outgoing.setHeader('Content-Security-Policy', `script-src 'nonce-${randomBytes(16).toString('base64')}'`)
  outgoing.end('x'.repeat(1024 * 1024))
}

const large = createPageCache(render, new Set())

it.each([
  ['visitors', undefined],
  ['the users of a seller', newObjectId()],
])('counts a large page as several responses for %s', async (_, sellerId) => {
  const serve: RequestListener = (incoming, outgoing) => void large.send(incoming, outgoing, sellerId)
  const responses = Array.from({ length: 4 }, () => inject(serve, { url: '/docs', headers: { host: 'x' } }))
  let isSent = false
  let max = 0
  const sent = Promise.all(responses).then((all) => {
    isSent = true
    return all
  })
  while (!isSent) {
    await nextIteration()
    max = Math.max(max, reportedLoads().get('cached_pages')?.waiting ?? 0)
  }
  expect(max).toBeGreaterThan(1)
  expect((await sent).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
})

it('adjusts the declared lengths of long text rows to the length of the host, because React reads exactly that many bytes', async () => {
  const [text, other] = ['“curl https://HOST/v1/payments” or HOST', 'no host']
  const formatLength = (value: string) => Buffer.byteLength(value).toString(16)
  const write = (value: string) => `self.__next_f.push([1,${JSON.stringify(value)}])`
  const page: RequestListener = ({ headers: { host = '' } }, outgoing) => {
    const long = text.replaceAll('HOST', host)
    outgoing.setHeader('Content-Security-Policy', `script-src 'nonce-${randomBytes(16).toString('base64')}'`)
    outgoing.end(`${write(`0:"x"\n1f:T${formatLength(long)},`)}${write(long)}${write(`2a:T${formatLength(other)},${other}`)}`)
  }
  const cache = createPageCache(page, new Set())
  const serve: RequestListener = (incoming, outgoing) => void cache.send(incoming, outgoing, undefined)
  for (const host of ['shop', 'tickets.a-long-name-of-a-shop.example:8443']) {
    const long = text.replaceAll('HOST', host)
    const { payload } = await inject(serve, { url: '/sign-in', headers: { host } })
    expect(payload).toBe(`${write(`0:"x"\n1f:T${formatLength(long)},`)}${write(long)}${write(`2a:T${formatLength(other)},${other}`)}`)
  }
})

it.each([
  ['gzip', 'gzip'],
  ['br, gzip;q=0.5', 'gzip'],
  ['gzip;q=0', undefined],
  ['*;q=0.1, gzip; q=0.0', undefined],
  [undefined, undefined],
])('chooses the encoding by the weights in %s', async (accepted, encoding) => {
  const page: RequestListener = (_, outgoing) => {
    outgoing.setHeader('Content-Security-Policy', `script-src 'nonce-${randomBytes(16).toString('base64')}'`)
    outgoing.end('a page')
  }
  const cache = createPageCache(page, new Set())
  const serve: RequestListener = (incoming, outgoing) => void cache.send(incoming, outgoing, undefined)
  const { headers } = await inject(serve, { url: '/sign-in', headers: { host: 'x', ...(accepted && { 'accept-encoding': accepted }) } })
  expect(headers['content-encoding']).toBe(encoding)
})

it('sends other pages while requests for the large API reference wait', async () => {
  const serve: RequestListener = (incoming, outgoing) => void large.send(incoming, outgoing, undefined)
  const open = (url: string) => inject(serve, { url, headers: { host: 'x' } })
  let sent = 0
  const references = Promise.all(Array.from({ length: 20 }, () => open('/docs').then(() => (sent += 1))))
  expect((await open('/sign-in')).statusCode).toBe(200)
  expect(sent).toBeLessThan(10)
  await references
})

it('closes the connection of a client that takes longer than a minute to read a page', async () => {
  const page: RequestListener = (_, outgoing) => {
    outgoing.setHeader('Content-Security-Policy', `script-src 'nonce-${randomBytes(16).toString('base64')}'`)
    outgoing.end('x'.repeat(32 * 1024 * 1024))
  }
  const cache = createPageCache(page, new Set())
  let isClosed = false
  const server = createServer((incoming, outgoing) => {
    outgoing.once('close', () => {
      isClosed = true
    })
    void cache.send(incoming, outgoing, newObjectId())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    client.write('GET /docs HTTP/1.1\r\nHost: x\r\n\r\n')
    // Reads only the beginning.
    await once(client, 'readable')
    vi.advanceTimersByTime(59_000)
    await nextIteration()
    expect(isClosed).toBe(false)
    vi.advanceTimersByTime(2_000)
    await nextIteration()
    expect(isClosed).toBe(true)
  } finally {
    vi.useRealTimers()
    client.destroy()
    server.close()
  }
})

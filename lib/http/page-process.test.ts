/** Pages are rendered in another process. If it exits or hangs, pages return a 503 until it is back. */
// @module-tag slow
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { reportedLoads } from '@/db/semaphore'
import { openTestDatabase } from '@/testing/seller'
import { generateKey, hashKey, verifyKey } from '../accounts/verify-key'
import { log } from '../core/log'
import { writeMetrics } from '../core/metrics'
import { type PageProcess, startPageProcess } from './page-process'

/** How the next attempts to start the process fail: by throwing, as if out of memory, or by emitting an error, as if out of process IDs. */
const { failures } = vi.hoisted(() => ({ failures: [] as ('throws' | 'emits')[] }))

vi.mock('node:child_process', async (load) => {
  const actual = await load<typeof import('node:child_process')>()
  const fork = (program: string, options: object) => {
    const failure = failures.shift()
    if (failure === 'throws') throw new Error('spawn ENOMEM')
    return actual.fork(program, failure ? { ...options, execPath: '/missing/node' } : options)
  }
  return { ...actual, fork }
})

/** A stand-in for the renderer. The database URL determines how it starts, and the request path how it responds. */
const PROGRAM = `
import { createServer } from 'node:http'
process.once('disconnect', () => process.exit(0))
process.once('message', ({ socket, databaseUrl }) => {
  if (databaseUrl === 'postgres://silent') return
  let written = 0
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const { method, url, headers } = request
    if (url === '/metrics') return response.end(JSON.stringify([{ name: 'desk_pages_total', help: 'x', type: 'counter', aggregator: 'sum', values: [{ value: 7, labels: {} }] }]))
    if (url === '/die') process.exit(3)
    if (url === '/hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    if (url.endsWith('/silent')) return
    if (url === '/written') return response.end(String(written))
    if (url.startsWith('/known/')) process.send({ type: 'key', change: { knownHash: Buffer.from(url.slice(7), 'hex').toString('base64') } })
    if (url === '/endless') {
      const piece = Buffer.alloc(64 * 1024)
      const write = () => {
        do written += piece.length
        while (response.write(piece))
        response.once('drain', write)
      }
      response.on('close', () => (written = -1))
      return write()
    }
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      response.setHeader('Set-Cookie', ['a=1', 'b=2'])
      response.writeHead(method === 'POST' ? 303 : 200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ options: process.execArgv, method, url, headers, body: Buffer.concat(chunks).toString() }))
    })
  })
  server.listen(socket, () => process.send(databaseUrl === 'postgres://broken' ? { type: 'failed', message: 'no production build' } : { type: 'ready' }))
})
`

let folder: string
let program: string
let pages: PageProcess
let server: Server
let url: string

beforeAll(openTestDatabase)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'page-process-'))
  program = join(folder, 'program.mjs')
  await writeFile(program, PROGRAM)
})
afterAll(() => rm(folder, { recursive: true }))

beforeEach(async () => {
  pages = await startPageProcess('postgres://unused', 1, { program, maxWaiting: 4 })
  server = createServer(pages.render).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await pages.stop()
})

const get = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(url + path, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

it('forwards requests and responses without hop-by-hop headers', async () => {
  const { status, headers, text } = await get('/form?a=b', {
    method: 'POST',
    body: 'name=Ada',
    headers: { Cookie: 'c=d', TE: 'trailers', Host: 'desk.example' },
  })
  expect([status, headers.getSetCookie()]).toEqual([303, ['a=1', 'b=2']])
  const received = JSON.parse(text) as { headers: Record<string, string> }
  expect(received).toMatchObject({ method: 'POST', url: '/form?a=b', body: 'name=Ada' })
  expect(received.headers).toMatchObject({ cookie: 'c=d', 'x-forwarded-for': '127.0.0.1' })
  expect(received.headers.te).toBeUndefined()
})

it.each([
  ['http://other.example/form?a=b', '/form?a=b'],
  ['http://other.example?a=b', '/?a=b'],
])('forwards an absolute-form target as the path that the rate limits are based on: %s', async (target, path) => {
  const { hostname, port } = new URL(url)
  const client = connect(Number(port), hostname, () => client.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`))
  expect(await text(client)).toContain(`"url":"${path}"`)
})

it('reads a response only as fast as the client does, and stops when the client disconnects', async () => {
  const { hostname, port } = new URL(url)
  const client = connect(Number(port), hostname, () => client.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n'))
  client.pause()
  const written = async () => Number((await get('/written')).text)
  let last = 0
  await vi.waitFor(
    async () => {
      const before = last
      await pause(100)
      last = await written()
      expect(last).toBe(before)
      expect(last).toBeGreaterThan(0)
    },
    { timeout: 60_000 },
  )
  expect(last).toBeLessThan(64 * 1024 * 1024)
  client.destroy()
  await vi.waitFor(async () => expect(await written()).toBe(-1), { timeout: 60_000 })
})

it('returns a 503 while the process restarts, but closes the connection if a POST may have been processed', async () => {
  // The first restart fails, so the process is down for at least 0.5 + 1 seconds.
  failures.push('throws')
  expect((await get('/die')).status).toBe(503)
  expect((await get('/')).status).toBe(503)
  await vi.waitFor(async () => expect((await get('/')).status).toBe(200), { timeout: 60_000 })
  await expect(get('/die', { method: 'POST' })).rejects.toThrow('fetch failed')
})

it('retries with increasing delays if the process cannot be started', async () => {
  failures.push('throws', 'emits')
  const startedAt = performance.now()
  expect((await get('/die')).status).toBe(503)
  await vi.waitFor(async () => expect((await get('/')).status).toBe(200), { timeout: 60_000 })
  expect(failures).toEqual([])
  expect(performance.now() - startedAt).toBeGreaterThan(500 + 1_000 + 2_000 - 50)
})

it('kills and restarts a process that does not respond', async () => {
  await pages.stop()
  pages = await startPageProcess('postgres://unused', 1, { program, heartbeatMs: 500 })
  server.removeAllListeners('request').on('request', pages.render)
  expect((await get('/hang')).status).toBe(503)
  await vi.waitFor(async () => expect((await get('/')).status).toBe(200), { timeout: 60_000 })
})

it('returns a 503 immediately once the queue is full, and for build files once it is half full', async () => {
  vi.stubEnv('METRICS_TOKEN', 'a-token-of-the-metrics')
  const ending = new AbortController()
  const waitSilently = (path: string) => get(path, { signal: ending.signal }).catch(() => {})
  const waitingNow = async () => (await writeMetrics())?.text.match(/desk_throttle_waiting\{throttle="page_process"\} (\d+)/)?.[1]
  const calls = [waitSilently('/silent'), waitSilently('/silent')]
  await vi.waitFor(async () => expect(await waitingNow()).toBe('2'), { timeout: 60_000 })
  expect((await get('/_next/static/a.js')).status).toBe(503)
  expect((await get('/')).status).toBe(200)
  calls.push(waitSilently('/silent'), waitSilently('/silent'))
  await vi.waitFor(async () => expect(await waitingNow()).toBe('4'), { timeout: 60_000 })
  expect((await get('/')).status).toBe(503)
  ending.abort()
  await Promise.all(calls)
  await vi.waitFor(async () => expect(await waitingNow()).toBe('0'), { timeout: 60_000 })
  expect((await get('/_next/static/a.js')).status).toBe(200)
})

it('does not pass on the request of a client that has disconnected', async () => {
  const { hostname, port } = new URL(url)
  const client = connect(Number(port), hostname, () => client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
  const [incoming, outgoing] = await new Promise<Parameters<RequestListener>>((resolve) => {
    server.removeAllListeners('request').on('request', (...exchange) => resolve(exchange))
  })
  client.destroy()
  await once(outgoing, 'close')
  pages.render(incoming, outgoing)
  expect(reportedLoads().get('page_process')?.waiting).toBe(0)
})

it('does not log that the process ended if a client disconnects during a request', async () => {
  const warn = vi.spyOn(log(), 'warn')
  const { hostname, port } = new URL(url)
  const client = connect(Number(port), hostname, () => client.write('GET /silent HTTP/1.1\r\nHost: x\r\n\r\n'))
  const waiting = () => reportedLoads().get('page_process')?.waiting
  await vi.waitFor(() => expect(waiting()).toBe(1), { timeout: 60_000 })
  client.destroy()
  await vi.waitFor(() => expect(waiting()).toBe(0), { timeout: 60_000 })
  expect(warn).not.toHaveBeenCalled()
  expect((await get('/die')).status).toBe(503)
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ reason: 'pages_ended' }), 'unavailable')
  warn.mockRestore()
})

it('updates the API key cache when the page process reports a change', async () => {
  const key = generateKey()
  const onUnknown = vi.fn(async () => {})
  await verifyKey(key, undefined, onUnknown)
  expect(onUnknown).toHaveBeenCalledTimes(1)
  await get(`/known/${hashKey(key).toString('hex')}`)
  await verifyKey(key, undefined, onUnknown)
  expect(onUnknown).toHaveBeenCalledTimes(1)
})

it('includes the page process’s metrics, or the last known values while it does not respond', async () => {
  vi.stubEnv('METRICS_TOKEN', 'a-token-of-the-metrics')
  expect((await writeMetrics())?.text).toContain('desk_pages_total 7\n')
  await pages.stop()
  const metrics = (await writeMetrics())?.text
  expect(metrics).toContain('desk_pages_total 7\n')
  expect(metrics).toMatch(/^process_start_time_seconds \d+/m)
})

it('limits the heap of the process, unless the operator sets a limit', async () => {
  const readOptions = async () => (JSON.parse((await get('/')).text) as { options: string[] }).options
  expect(await readOptions()).toEqual(['--max-old-space-size=300'])
  vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=900')
  expect((await get('/die')).status).toBe(503)
  await vi.waitFor(async () => expect(await readOptions()).toEqual([]), { timeout: 60_000 })
  vi.unstubAllEnvs()
})

it('throws an error with the reason if the process cannot start', async () => {
  await expect(startPageProcess('postgres://broken', 1, { program })).rejects.toThrow('no production build')
})

it('throws if the process does not start in time', async () => {
  await expect(startPageProcess('postgres://silent', 1, { program, startMs: 500 })).rejects.toThrow('did not start within 500 ms')
})

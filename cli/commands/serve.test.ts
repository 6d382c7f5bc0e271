/** Server startup: if it fails, everything already started is stopped, and uncaught errors and socket errors are logged. */
// @module-tag slow
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { connectServer } from '@/lib/core/connect'
import { EnvError, env, readEnv } from '@/lib/core/env'
import { setUncaughtHandler } from '@/lib/core/handle-uncaught'
import { log } from '@/lib/core/log'
import { createPageCache } from '@/lib/http/cached-pages'
import { startPageProcess } from '@/lib/http/page-process'
import { readDoorRoutes, readFilePaths, readRouteTree } from '@/lib/http/route-tree'
import { startJobs } from '@/lib/jobs/start-jobs'
import { startServer } from '@/server'
import { findDifferences } from '@/testing/openapi'

const { servers } = vi.hoisted(() => ({ servers: [] as Server[] }))

vi.mock('node:http', async (load) => {
  const actual = await load<typeof import('node:http')>()
  const createServer = (...given: Parameters<typeof actual.createServer>) => {
    const server = actual.createServer(...given)
    servers.push(server)
    return server
  }
  return { ...actual, createServer }
})
vi.mock(import('@/lib/core/connect'), { spy: true })
vi.mock(import('@/lib/core/env'), { spy: true })
vi.mock(import('@/lib/core/handle-uncaught'), () => ({ setUncaughtHandler: vi.fn() }))
vi.mock(import('@/lib/core/redirect-console'), () => ({ redirectConsole: () => {} }))
vi.mock(import('@/lib/http/cached-pages'), { spy: true })
vi.mock(import('@/lib/http/page-process'), { spy: true })
vi.mock(import('@/lib/http/route-tree'), { spy: true })
vi.mock(import('@/lib/jobs/start-jobs'), { spy: true })

const SETTINGS = { ...readEnv({}), HOST: '127.0.0.1', PORT: 0, NEXTAUTH_SECRET: 'x'.repeat(32), LOG_LEVEL: 'silent' as const }

const stopPages = vi.fn(async () => {})
const close = vi.fn(async () => false)

beforeEach(() => {
  vi.clearAllMocks()
  vi.mocked(env).mockReturnValue(SETTINGS)
  vi.mocked(connectServer).mockResolvedValue({ url: 'postgres://desk', place: 'nowhere', close })
  vi.mocked(startPageProcess).mockImplementation(async () => {
    await pause(100)
    return { render: () => {}, stop: stopPages }
  })
  vi.mocked(createPageCache).mockReturnValue({ fill: async () => {}, send: async () => false })
  vi.mocked(readDoorRoutes).mockResolvedValue(new Map())
  vi.mocked(readFilePaths).mockResolvedValue(new Set())
  vi.mocked(readRouteTree).mockResolvedValue([])
  vi.mocked(startJobs).mockReturnValue(async () => {})
})

it.each([
  ['the routes of the API', readRouteTree],
  ['the routes of the check-in page', readDoorRoutes],
  ['the paths of files', readFilePaths],
])('stops the process that renders pages if %s cannot be read', async (_, read) => {
  vi.mocked(read as (folder: string) => Promise<unknown>).mockRejectedValueOnce(new Error('too many open files'))
  await expect(startServer()).rejects.toThrow('too many open files')
  expect([stopPages.mock.calls.length, close.mock.calls.length]).toEqual([1, 1])
})

it('rejects an invalid TRUST_PROXY before it starts anything', async () => {
  vi.mocked(env).mockReturnValue({ ...SETTINGS, TRUST_PROXY: '10.0.0.0/33' })
  await expect(startServer()).rejects.toThrow(EnvError)
  expect(connectServer).not.toHaveBeenCalled()
})

it('logs that a connection cannot be accepted, and continues to run', async () => {
  const running = await startServer()
  const logged = vi.spyOn(log(), 'error')
  for (let count = 1; count <= 2; count += 1) {
    servers.at(-1)?.emit('error', Object.assign(new Error('accept ENOBUFS'), { code: 'ENOBUFS' }))
    expect(logged).toHaveBeenCalledTimes(count)
  }
  await running.stop()
})

it('responds to health checks while it is starting, as the API reference describes, and rejects other requests', async () => {
  const responses: unknown[] = []
  vi.mocked(connectServer).mockImplementationOnce(async () => {
    const { port } = (servers.at(-1) as Server).address() as AddressInfo
    for (const path of ['/healthz', '/readyz', '/v1/openapi.json', '/v1/coupons']) {
      const url = `http://127.0.0.1:${port}${path}`
      const response = await fetch(url)
      const { status, headers } = response
      const differences = findDifferences({ method: 'GET', url, status, headers, text: await response.text() })
      responses.push([path, status, headers.get('retry-after'), differences])
    }
    return { url: 'postgres://desk', place: 'nowhere', close }
  })
  const running = await startServer()
  await running.stop()
  expect(responses).toEqual([
    ['/healthz', 200, null, []],
    ['/readyz', 503, '1', []],
    ['/v1/openapi.json', 503, '1', []],
    ['/v1/coupons', 503, '1', []],
  ])
})

it('logs the driver’s known bug and goes on starting up, even before it has connected to the database', async () => {
  const logged = vi.spyOn(log(), 'error')
  vi.mocked(connectServer).mockImplementationOnce(async () => {
    const [handler] = vi.mocked(setUncaughtHandler).mock.lastCall ?? expect.fail('No handler is set.')
    const stack = 'TypeError: fault\n    at Immediate.nextWrite (file:///node_modules/postgres/src/connection.js:258:22)'
    handler(Object.assign(new TypeError('fault'), { stack }))
    return { url: 'postgres://desk', place: 'nowhere', close }
  })
  const running = await startServer()
  expect(logged).toHaveBeenCalledWith(expect.anything(), 'uncaught')
  expect(close).not.toHaveBeenCalled()
  await running.stop()
})

it('stops everything that it started, and exits, after an unexpected uncaught error during startup', async () => {
  const exited = new Promise((resolve) => {
    vi.spyOn(process, 'exit').mockImplementation(((code: number) => resolve(code)) as never)
  })
  vi.mocked(readRouteTree).mockImplementationOnce(async () => {
    vi.mocked(setUncaughtHandler).mock.lastCall?.[0](new Error('fault'))
    await exited
    throw new Error('closed')
  })
  await expect(startServer()).rejects.toThrow('closed')
  expect(await exited).toBe(1)
  expect(stopPages).toHaveBeenCalled()
  expect(close).toHaveBeenCalled()
  expect(servers.at(-1)?.listening).toBe(false)
  vi.mocked(process.exit).mockRestore()
})

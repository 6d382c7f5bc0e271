/** The server's start: a failed start stops what it has started, and a started server logs errors of its socket. */
// @module-tag slow
import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { connectServer } from '@/lib/core/connect'
import { EnvError, env, readEnv } from '@/lib/core/env'
import { log } from '@/lib/core/log'
import { renderCachedPages } from '@/lib/http/cached-pages'
import { startPageProcess } from '@/lib/http/page-process'
import { readDoorRoutes, readFilePaths, readRouteTree } from '@/lib/http/route-tree'
import { startJobs } from '@/lib/jobs/start-jobs'
import { startServer } from '@/server'

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
  vi.mocked(renderCachedPages).mockResolvedValue(undefined)
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

it('rejects an invalid TRUST_PROXY before anything else has started', async () => {
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

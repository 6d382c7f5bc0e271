/** The server's start: a failed start stops what it has started. */
// @module-tag slow
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { connectServer } from '@/lib/core/connect'
import { env, readEnv } from '@/lib/core/env'
import { renderCachedPages } from '@/lib/http/cached-pages'
import { startPageProcess } from '@/lib/http/page-process'
import { readDoorRoutes, readFilePaths, readRouteTree } from '@/lib/http/route-tree'
import { startServer } from '@/server'

vi.mock(import('@/lib/core/connect'), { spy: true })
vi.mock(import('@/lib/core/env'), { spy: true })
vi.mock(import('@/lib/core/redirect-console'), () => ({ redirectConsole: () => {} }))
vi.mock(import('@/lib/http/cached-pages'), { spy: true })
vi.mock(import('@/lib/http/page-process'), { spy: true })
vi.mock(import('@/lib/http/route-tree'), { spy: true })

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

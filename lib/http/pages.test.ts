/**
 * Metrics and log lines identify a page by the first segment of its path, and a route of the check-in page by its whole path. These tests
 * check that the lists of both are complete.
 */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { resources } from '../catalog'
import { writeMetrics } from '../core/metrics'
import { createObserver, DOOR_ROUTES, PAGES } from './request-log'
import { readDoorRoutes } from './route-tree'

/** Folders without pages: the API, next-auth, the Stripe webhook, health checks and metrics. */
const NOT_PAGES = ['api', 'healthz', 'ingest', 'metrics', 'readyz']

/** Returns the first segments of the paths in a folder of the route tree. */
function firstSegments(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory() || entry.name.startsWith('_')) return []
    if (entry.name.startsWith('(')) return firstSegments(join(folder, entry.name))
    const hasRoute = readdirSync(join(folder, entry.name), { recursive: true }).some((file) =>
      /(^|\/)(page\.tsx|route\.ts)$/.test(String(file)),
    )
    if (!hasRoute) return []
    return entry.name === '[resource]' ? Object.keys(resources) : [entry.name]
  })
}

it('PAGES contains exactly `_next` and the first segments of the pages in the route tree', () => {
  const segments = firstSegments('app').filter((name) => !NOT_PAGES.includes(name))
  expect([...PAGES].sort()).toEqual([...new Set(['_next', ...segments])].sort())
})

it('DOOR_ROUTES contains exactly the routes of the check-in page', async () => {
  expect([...DOOR_ROUTES].sort()).toEqual([...(await readDoorRoutes(join(import.meta.dirname, '../../app'))).keys()].sort())
})

it('counts each route of the check-in page separately in the metrics, with 503s starting at 0, and never records an unknown path', async () => {
  const observe = createObserver()
  const readCounts = async () =>
    [
      ...((await writeMetrics())?.text ?? '').matchAll(
        /^desk_requests_total\{route="(\/door\/.*?)",method="POST",status="(\d+)"\} (\d+)$/gm,
      ),
    ].map(([, ...parts]) => parts.join(' '))
  expect(await readCounts()).toEqual(expect.arrayContaining(['/door/scan 503 0', '/door/admit 503 0']))
  const server = createServer((incoming, outgoing) => {
    observe(incoming, outgoing)
    outgoing.writeHead(incoming.url === '/door/scan?x' ? 503 : 418).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  for (const path of ['/door/scan?x', '/door/turnout', '/door/secret-code'])
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method: 'POST' })
  server.close()
  await expect.poll(readCounts).toEqual(expect.arrayContaining(['/door/scan 503 1', '/door/turnout 418 1', '/door/* 418 1']))
  expect((await readCounts()).join()).not.toContain('secret')
})

/** Metrics and log lines identify each page by the first segment of its path, so the list of these segments must be complete. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { resources } from '../catalog'
import { PAGES } from './request-log'

/** Folders whose paths are not pages: those of the API, including next-auth's. */
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
  const tree = firstSegments('app').filter((name) => !NOT_PAGES.includes(name))
  expect([...PAGES].sort()).toEqual([...new Set(['_next', ...tree])].sort())
})

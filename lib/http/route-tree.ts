/**
 * Reads the routing table of `server.ts` from the folders of `app/`, so that the tree is the only list of paths. Reading it at startup
 * takes milliseconds and requires neither a generated file nor a build step.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RESOURCE_NAMES } from '../catalog'
import type { RouteHandlers } from './door-routes'
import type { Route } from './methods'
import type { RouteTable } from './router'

/** The folders of the API. The page handler serves everything else in the tree. */
const FOLDERS = ['api/v1', 'healthz', 'ingest', 'metrics', 'readyz']

/** Returns the folders that contain a `route.ts`: `folder` itself and those below it. */
async function findRoutes(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const nested = await Promise.all(entries.filter((entry) => entry.isDirectory()).map(({ name }) => findRoutes(join(folder, name))))
  return [...(entries.some(({ name }) => name === 'route.ts') ? [folder] : []), ...nested.flat()]
}

const importRoute = (folder: string) => import(pathToFileURL(join(folder, 'route.ts')).href) as Promise<unknown>

/** Converts `api/v1/tickets/validate/[qrCode]` to `/v1/tickets/validate/:qrCode`. */
const toPattern = (app: string, folder: string) =>
  folder
    .slice(app.length)
    .replaceAll('\\', '/')
    .replace(/^\/api(?=\/)/, '')
    .replaceAll(/\[(\w+)\]/g, ':$1')

/** Replaces the segment `:resource` after `/v1` with the name of each resource, unless the tree has a specific route for that resource. */
const expand = (pattern: string, patterns: readonly string[]) =>
  pattern.startsWith('/v1/:resource')
    ? RESOURCE_NAMES.map((resource) => ({ pattern: pattern.replace(':resource', resource), params: { resource } })).filter(
        (expanded) => !patterns.includes(expanded.pattern),
      )
    : [{ pattern }]

/** Returns the routes of the API. @param app the absolute path of `app/` */
export async function readRouteTree(app: string): Promise<RouteTable> {
  const folders = (await Promise.all(FOLDERS.map((folder) => findRoutes(join(app, folder))))).flat()
  const patterns = folders.map((folder) => toPattern(app, folder))
  const routes = await Promise.all(
    folders.map(async (folder) => {
      const { GET } = (await importRoute(folder)) as Route
      return expand(toPattern(app, folder), patterns).map((path) => ({ ...path, handle: GET.handle }))
    }),
  )
  return routes.flat()
}

/** Returns the route handlers of the check-in page by path. @param app the absolute path of `app/` */
export async function readDoorRoutes(app: string): Promise<ReadonlyMap<string, RouteHandlers>> {
  const folders = await findRoutes(join(app, 'door'))
  return new Map(
    await Promise.all(folders.map(async (folder) => [toPattern(app, folder), (await importRoute(folder)) as RouteHandlers] as const)),
  )
}

/** The build manifest that lists the paths Next serves. */
const MANIFEST = '.next/app-path-routes-manifest.json'

/**
 * Returns the paths of files outside `/_next`: those in `public/`, and those that Next serves, such as icons.
 *
 * @param root the project's folder, after a build
 */
export async function readFilePaths(root: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(join(root, 'public'), { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const served = Object.values(JSON.parse(await readFile(join(root, MANIFEST), 'utf8')) as Record<string, string>)
  return new Set([
    // next.config.mjs rewrites this path.
    '/favicon.ico',
    ...files.map((file) => file.slice(join(root, 'public').length).replaceAll('\\', '/')),
    ...served.filter((path) => path.includes('.')),
  ])
}

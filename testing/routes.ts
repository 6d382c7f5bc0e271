/** Lists the app's pages and route handlers, so that tests cover new ones automatically. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * `path` has parameters in brackets, as in `/[resource]/[id]`. `methods` is `['PAGE']` for pages, and empty for handlers that are exported
 * by destructuring, such as those of the API.
 */
export type Route = { file: string; path: string; methods: string[] }

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function listMethods(file: string): string[] {
  if (file.endsWith('/page.tsx')) return ['PAGE']
  const source = readFileSync(file, 'utf8')
  return METHODS.filter((method) => new RegExp(`export (async function|const) ${method}\\b`).test(source))
}

/** Lists the routes in a folder and its subfolders. */
export function listRoutes(folder = 'app'): Route[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name)
    if (entry.isDirectory()) return listRoutes(file)
    if (entry.name !== 'page.tsx' && entry.name !== 'route.ts') return []
    const parts = relative('app', folder)
      .split('/')
      .filter((part) => part !== '' && !part.startsWith('('))
    return [{ file, path: `/${parts.join('/')}`, methods: listMethods(file) }]
  })
}

/** Returns the paths of all pages, with all combinations of parameter values. @param values returns the values for a parameter of a path */
export function pagePaths(values: (parameter: string, path: string) => string[]): string[] {
  const fill = (path: string): string[] => {
    const parameter = /\[[^\]]+\]/.exec(path)?.[0]
    if (parameter === undefined) return [path]
    return values(parameter, path).flatMap((value) => fill(path.replace(parameter, value)))
  }
  return listRoutes()
    .filter(({ methods }) => methods[0] === 'PAGE')
    .flatMap(({ path }) => fill(path))
}

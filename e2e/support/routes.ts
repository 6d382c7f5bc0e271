/** The pages and handlers of the route tree, so that a new one is in every test of them by itself. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Its parameters stand in its path as in the tree: `/[resource]/[id]`. A page's one method is PAGE. */
export type Route = { file: string; path: string; methods: string[] }

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function methodsOf(file: string): string[] {
  if (file.endsWith('/page.tsx')) return ['PAGE']
  const source = readFileSync(file, 'utf8')
  return METHODS.filter((method) => new RegExp(`export (async function|const) ${method}\\b`).test(source))
}

export function routes(folder = 'app'): Route[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name)
    if (entry.isDirectory()) return routes(file)
    if (entry.name !== 'page.tsx' && entry.name !== 'route.ts') return []
    const parts = relative('app', folder)
      .split('/')
      .filter((part) => part !== '' && !part.startsWith('('))
    return [{ file, path: `/${parts.join('/')}`, methods: methodsOf(file) }]
  })
}

/** The paths of all pages, with each value that a parameter can stand for. @throws where a page has a parameter without values */
export function pagePaths(values: (parameter: string, path: string) => string[]): string[] {
  const filled = (path: string): string[] => {
    const parameter = /\[[^\]]+\]/.exec(path)?.[0]
    if (parameter === undefined) return [path]
    return values(parameter, path).flatMap((value) => filled(path.replace(parameter, value)))
  }
  return routes()
    .filter(({ methods }) => methods[0] === 'PAGE')
    .flatMap(({ path }) => filled(path))
}

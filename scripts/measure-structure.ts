/**
 * Measures the structural metrics in docs/architecture.md: imported files, production lines, import cycles and unidiomatic phrases. Run
 * with `npx tsx scripts/measure-structure.ts`.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LIST = 'app/api/v1/payments/route.ts'
const SCAN = 'app/api/v1/tickets/validate/[qrCode]/route.ts'
const PRODUCTION = ['app', 'lib', 'db', 'cli', 'server.ts', 'page-server.ts', 'proxy.ts']
/** Matches table definitions, which are not counted because every file that accesses a table imports them. */
const SCHEMA = /^db\/schema\//

/** Unidiomatic phrases to count in production code and its comments. */
const UNIDIOMATIC_PHRASES = [
  /\b(is|are|be|been|being|was|were) told\b/,
  /\btell(s|ing)? (of|from|what|whether|which|who|it|them)\b/,
  /\btold (of|from|what|apart|by|so)\b/,
  /\bstands? (for|in|there|behind|beside)\b/,
  /\bfor who\b/,
  /\bfor whoever\b/,
  /\bwhoever\b/,
  /\banew\b/,
  /\bnobody\b/,
  /\bnobody['’]s\b/,
  /\bwhere (there is|it has|it is|one is|that is|none|no|nothing) ?(none|no|one)?\b/,
  /\bwhat (comes|came) (on top|of it)\b/,
  /\bput (in|into) words\b/,
  /\bgoes? on\b/,
  /\bto be had\b/,
  /\bfor all the same\b/,
  /\bof (its|their|our) own\b/,
  /\bthat it also is\b/,
  /\bat a loss\b/,
  /\bbesides\b/,
]

const isTest = (file: string) => /\.(test|spec|fault|scale)\.tsx?$/.test(file)

/** Returns the path of a file, or the paths of all files in a folder and its subfolders; an empty list if the path does not exist. */
function listFiles(path: string): string[] {
  if (!existsSync(join(ROOT, path))) return []
  if (statSync(join(ROOT, path)).isFile()) return [path]
  return readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((entry) => listFiles(join(path, entry.name)))
}

/** Returns whether a file contains production code. */
const isSource = (file: string) => /\.tsx?$/.test(file) && !isTest(file)

/** Returns the file that an import resolves to, or undefined for a package. */
function resolveImport(from: string, name: string): string | undefined {
  const base = name.startsWith('@/') ? join(ROOT, name.slice(2)) : name.startsWith('.') ? resolve(ROOT, dirname(from), name) : undefined
  const found =
    base && [base, `${base}.ts`, `${base}.tsx`, join(base, 'index.ts')].find((path) => existsSync(path) && statSync(path).isFile())
  return found && relative(ROOT, found)
}

/** Matches a formatted import or re-export: the word `type`, the clause and the module. */
const IMPORT = /^(?:import|export) (type )?(?:([^'";]*?) from )?'([^']+)'/gm

/** Returns the static imports of a file. Omits type-only imports unless requested, because the compiler erases them. */
function listImports(file: string, withTypes = false): string[] {
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].flatMap(([, type, clause = '', name = '']) => {
    const named = /^\{(.*)\}$/s
      .exec(clause.trim())?.[1]
      ?.split(',')
      .filter((member) => member.trim() !== '')
    const isErased = type !== undefined || (named?.every((member) => member.trim().startsWith('type ')) ?? false)
    const target = isErased && !withTypes ? undefined : resolveImport(file, name)
    return target && /\.tsx?$/.test(target) ? [target] : []
  })
}

/** Returns a file and its direct and indirect imports, excluding table definitions. */
function listAllImports(entry: string): string[] {
  const seen = new Set([entry])
  for (const file of seen) for (const target of listImports(file)) if (!SCHEMA.test(target)) seen.add(target)
  return [...seen].sort()
}

/** Returns the import cycles between folders of `lib`, including type imports, as `a → b → a`. */
function findFolderCycles(): string[] {
  const getFolder = (file: string) => /^lib\/([^/]+)\//.exec(file)?.[1]
  const edges = new Map<string, Set<string>>()
  for (const file of listFiles('lib').filter(isSource)) {
    const from = getFolder(file)
    for (const target of listImports(file, true)) {
      const to = getFolder(target)
      if (from && to && from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to))
    }
  }
  const cycles = new Set<string>()
  const walk = (path: string[]) => {
    for (const next of edges.get(path.at(-1) ?? '') ?? []) {
      if (next === path[0] && path.every((folder) => folder >= next)) cycles.add([...path, next].join(' → '))
      else if (!path.includes(next)) walk([...path, next])
    }
  }
  for (const folder of edges.keys()) walk([folder])
  return [...cycles]
}

const sources = PRODUCTION.flatMap(listFiles).filter(isSource)
const readLines = (file: string) => readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n')
const lines = sources.flatMap(readLines)
const unidiomatic = sources.flatMap((file) =>
  readLines(file).flatMap((line, index) =>
    UNIDIOMATIC_PHRASES.some((phrase) => phrase.test(line)) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
  ),
)
const list = listAllImports(LIST)
const scan = listAllImports(SCAN)
const cycles = findFolderCycles()

const isVerbose = process.argv.includes('--verbose')
const show = (title: string, value: string | number, details: readonly string[]) => {
  console.log(`${title}: ${value}`)
  if (isVerbose) for (const detail of details) console.log(`  ${detail}`)
}
show(`files that ${LIST} imports`, list.length, list)
show(`files that ${SCAN} imports`, scan.length, scan)
show('production files', sources.length, [])
show('production lines', lines.length, [])
show('import cycles between folders of lib', cycles.length, cycles)
show('unidiomatic phrases per 1,000 production lines', ((unidiomatic.length / lines.length) * 1000).toFixed(1), unidiomatic)
if (!isVerbose) console.log('\nUse --verbose to list each file, cycle and phrase.')

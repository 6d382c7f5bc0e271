/** Removes each defense from a copy of the project, runs its test, and writes the results to docs/defenses.md. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startPostgres } from '@/testing/postgres'
import { ALL_DEFENSES } from './all-defenses'
import type { Defense } from './defenses'

const run = promisify(execFile)
const PAGE = 'docs/defenses.md'
/** The words in `npm run suite -- defenses WORD…`, which tries only defenses whose names contain one of them and keeps the other rows. */
const words = process.argv.slice(2)
/** The timeout for a test or hook and the timeout for a whole run, in milliseconds. */
const TEST_TIMEOUT_MS = 120_000
const RUN_TIMEOUT_MS = 15 * 60_000

/** Copies the project, including its build. @returns the path of the copy */
function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'desk-defenses-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' }).split('\n')
  for (const file of new Set(files)) if (file) cpSync(file, join(copy, file), { recursive: true, force: true })
  cpSync('.next', join(copy, '.next'), { recursive: true, verbatimSymlinks: true })
  // Copy instead of symlinking, because Next.js does not follow symlinks out of the project.
  execFileSync('cp', ['-a', ...(process.platform === 'linux' ? ['-l'] : []), resolve('node_modules'), join(copy, 'node_modules')])
  return copy
}

const escapePattern = (title: string) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Returns the Node.js arguments that run a defense's test. */
function toCommand({ test: { file, title } }: Defense): string[] {
  const patterns = title ? [escapePattern(title)] : []
  if (file.endsWith('.test.ts')) return ['node_modules/vitest/vitest.mjs', 'run', file, ...patterns.flatMap((pattern) => ['-t', pattern])]
  const where = file.endsWith('.fault.ts') ? ['-c', 'e2e/faults', file] : [file]
  return ['node_modules/playwright/cli.js', 'test', ...where, ...patterns.flatMap((pattern) => ['-g', pattern])]
}

/** Runs one of the project's programs in the copy. @returns its output and whether it failed */
async function runIn(copy: string, args: string[], env: Record<string, string> = {}): Promise<{ hasFailed: boolean; output: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, args, {
      cwd: copy,
      env: { ...process.env, ...env },
      maxBuffer: 1 << 28,
      timeout: RUN_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    return { hasFailed: false, output: stdout + stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { hasFailed: true, output: stdout + stderr }
  }
}

/** A PostgreSQL server shared by all unit test runs, because starting one takes longer than most tests. */
const postgres = await startPostgres()
const POSTGRES = JSON.stringify({ url: postgres.url, folder: postgres.folder })

/** Runs a defense's test with the defense removed. @returns the problem, or undefined if the test failed as expected */
async function tryWithout(copy: string, defense: Defense): Promise<string | undefined> {
  const before = new Map(defense.cuts.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]))
  try {
    for (const { file, from, to } of defense.cuts) {
      const text = readFileSync(join(copy, file), 'utf8')
      if (text.split(from).length !== 2) return `“${from}” does not occur exactly once in ${file}`
      writeFileSync(
        join(copy, file),
        text.replace(from, () => to),
      )
    }
    if (defense.built) {
      const { hasFailed, output } = await runIn(copy, ['node_modules/next/dist/bin/next', 'build'])
      if (hasFailed) return `the build fails without it: ${output.slice(-500)}`
    }
    const { hasFailed, output } = await runIn(copy, toCommand(defense), {
      TEST_TIMEOUT_MS: String(TEST_TIMEOUT_MS),
      ...(defense.cuts.some(({ file }) => file.startsWith('db/')) ? {} : { TEST_POSTGRES: POSTGRES }),
      FAULTS: defense.full ? '' : 'short',
      NO_COLOR: '1',
      FORCE_COLOR: '0',
    })
    if (!hasFailed) return 'the test passes without it'
    return defense.says.test(output) ? undefined : `the test fails for another reason: ${output.slice(-1_500)}`
  } finally {
    for (const [file, text] of before) writeFileSync(join(copy, file), text)
  }
}

const HEAD = `# Defenses, and the tests that fail without them

\`npm run suite -- defenses\` removes these defenses from a copy of the project, one at a time, and runs each one's test. A defense is listed only if
its test failed for the expected reason. The run takes about an hour and rewrites this page. \`npm run suite -- defenses WORD\` tries only the defenses whose names contain the word.

| defense | file | test that fails |
|---|---|---|
`

/** Returns the page's table rows by defense name. */
function readRows(): Map<string, string> {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| (.+?) \| .*\n/gm)
  return new Map([...rows].map(([row, name = '']) => [name, row]))
}

function formatRow({ name, cuts, test: { file, title } }: Defense): string {
  const files = [...new Set(cuts.map((cut) => `\`${cut.file}\``))].join(', ')
  return `| ${name} | ${files} | \`${file}\`${title && `: ${title}…`} |\n`
}

const isTried = ({ name }: Defense) => words.length === 0 || words.some((word) => name.includes(word))
const copy = makeCopy()
const rows = readRows()
let failedCount = 0
// Try defenses in pages last, because they change the copy's build.
for (const defense of ALL_DEFENSES.filter(isTried).sort((a, b) => Number(!!a.built) - Number(!!b.built))) {
  const startedAt = Date.now()
  const problem = await tryWithout(copy, defense)
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  process.stdout.write(`${problem ? 'NOT PROVEN' : 'proven'}: ${defense.name} (${seconds} s)${problem ? `\n  ${problem}` : ''}\n`)
  if (problem) {
    failedCount += 1
    rows.delete(defense.name)
  } else rows.set(defense.name, formatRow(defense))
  // Write the page after each defense so that an interrupted run does not lose its results.
  writeFileSync(PAGE, HEAD + ALL_DEFENSES.map(({ name }) => rows.get(name) ?? '').join(''))
}
rmSync(copy, { recursive: true, force: true })
await postgres.remove()
process.exit(failedCount === 0 ? 0 : 1)

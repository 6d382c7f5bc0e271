/** Follows the steps in CONTRIBUTING.md, “Add a resource”, in a copy of the project. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, newDatabaseName } from '@/testing/postgres'

const run = promisify(execFile)

/** Matches a step: a file, a position in it, and the block to insert. */
const STEP =
  /^`(?<file>[^`\n]+)`, (?:(?<fresh>new)|(?<end>at the end)|after `(?<after>.+)`|instead of `(?<before>.+)`):\n\n```\w+\n(?<block>[\s\S]*?)\n```$/gm

type Report = { numFailedTests: number; testResults: { assertionResults: { title: string; status: string }[] }[] }
type Step = { file: string; fresh?: string; end?: string; after?: string; before?: string; block: string }

/** The tests that run for every resource, and those for the generated files. */
const TESTS = [
  'app/api/v1/lists.test.ts',
  'app/docs',
  'db/migrations.test.ts',
  'lib/catalog',
  'lib/http/openapi/document.test.ts',
  'lib/listing/csv-export.test.ts',
  'lib/listing/record-counts.test.ts',
  'lib/sync/erase',
  'scripts/db-generate.test.ts',
]

/** Matches all titles except those of CPU-intensive tests that use only payments. */
const TITLES = '^(?!.*(eight writers|a recount|the version token|in linear time|starts no cell|ten exports)).*$'

/** The titles of tests that must have run and passed. */
const EXPECTED = [
  'imports, lists, searches, filters and exports refunds',
  "'refunds' have exactly one title column on phones",
  'refunds: exports every member of every record, except secrets, in a separate column',
  'of refunds are exact after an import, a repeated import, a change and the deletion of all records',
  "'refunds' are searchable by the members declared in the catalog and by gateway ID",
  'leaves none of the person’s data in any table, and keeps amounts, dates and IDs',
  'every table is listed either as covered by erasures or as free of personal data',
  'has an up-to-date example of every event type in the API reference',
]

/** Migrates the database, like `desk migrate`, but without loading the other commands. */
const MIGRATE = "import('./db/migrate.ts').then(({ migrateDatabase }) => migrateDatabase(process.env.DATABASE_URL))"

const steps = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(STEP)].map(({ groups }) => ({ ...groups }) as Step)

let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'desk-resource-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' }).split('\n')
  for (const file of new Set(files)) {
    if (!file || (file.startsWith('public/') && !file.startsWith('public/docs/'))) continue
    cpSync(file, join(copy, file), { recursive: true, force: true })
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, 'next-env.d.ts'), '/// <reference types="next" />\n/// <reference types="next/image-types/global" />\n')
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

function findFile({ file }: Step): string {
  if (!file.includes('*')) return join(copy, file)
  const [folder, ending = ''] = file.split('*')
  const [found, ...more] = readdirSync(join(copy, folder ?? '')).filter((name) => name.endsWith(ending))
  if (!found || more.length > 0) throw new Error(`${file} does not match exactly one file`)
  return join(copy, folder ?? '', found)
}

/** Applies a step: creates its file or inserts its block into an existing one. */
function apply(step: Step): void {
  const file = findFile(step)
  if (step.fresh) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${step.block}\n`)
    return
  }
  const text = readFileSync(file, 'utf8')
  if (step.end) {
    writeFileSync(file, `${text.trimEnd()}\n${step.block}\n`)
    return
  }
  const anchor = step.after ?? step.before ?? ''
  // The anchor must occur exactly once.
  expect(text.split(anchor).length - 1, `“${anchor}” in ${step.file}`).toBe(1)
  writeFileSync(
    file,
    text.replace(anchor, () => (step.after ? `${anchor}\n${step.block}` : step.block)),
  )
}

/** Runs a program in the copy. @throws with its output if it fails */
async function runInCopy(args: string[], env: Record<string, string> = {}): Promise<void> {
  try {
    await run(process.execPath, args, { cwd: copy, env: { ...process.env, CI: '1', ...env }, maxBuffer: 2 ** 26 })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${args.join(' ')}\n${stdout}${stderr}`)
  }
}

it('adding a resource takes at most six edits in four files', () => {
  expect(steps.length).toBeGreaterThan(0)
  expect(steps.length).toBeLessThanOrEqual(6)
  expect(new Set(steps.map(({ file }) => file)).size).toBeLessThanOrEqual(4)
})

it('the steps in CONTRIBUTING.md add a resource that passes the type check, the linter and the tests', { timeout: 900_000 }, async () => {
  for (const step of steps) apply(step)
  await runInCopy(['--import', 'tsx', 'scripts/db-generate.ts', '--name', 'refunds'])
  // Migrating a copy of a database takes less time than starting a new PostgreSQL.
  const [shared, template] = [String(process.env.TEST_DATABASE_URL), newDatabaseName()]
  const migrated = await createDatabase(shared, template)
  await runInCopy(['--import', 'tsx', '-e', MIGRATE], { DATABASE_URL: migrated.url })
  const { url, drop } = await createDatabase(shared, newDatabaseName(), template)
  const report = join(copy, 'report.json')
  // Use one worker, because each additional one would import the modules again.
  const options = ['--project', 'quick', '--maxWorkers', '1', '--reporter=dot', '--reporter=json', `--outputFile=${report}`]
  await runInCopy(['node_modules/vitest/vitest.mjs', 'run', ...options, '--testNamePattern', TITLES, ...TESTS], {
    EXAMPLES: 'write',
    TEST_TEMPLATE: template,
    TEST_POSTGRES: JSON.stringify({ url, folder: process.env.DATA_DIR }),
  })
  await drop()
  await migrated.drop()
  const { numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  expect(numFailedTests).toBe(0)
  const passed = testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === 'passed')
  expect(passed.map(({ title }) => title)).toEqual(expect.arrayContaining(EXPECTED))
  // Use a single checker, because others would check the shared types again. Collect garbage less often than by default.
  await runInCopy(['node_modules/typescript/bin/tsc', '--noEmit', '--incremental', 'false', '--checkers', '1'], { GOGC: '400' })
  // Checking the changed files is enough: a cycle, for example, is reported in each of its files.
  const changed = [...new Set(steps.map((step) => relative(copy, findFile(step)))), 'db', 'lib/http/openapi/event-examples.json']
  await runInCopy(['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', ...changed])
})

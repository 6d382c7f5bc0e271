/** Performs the steps of CONTRIBUTING.md, "Add a resource", on a copy of the project. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase } from '@/testing/postgres'

const run = promisify(execFile)

/** Matches a step: the file, the place in the file, and the block to insert there. */
const STEP =
  /^`(?<file>[^`\n]+)`, (?:(?<fresh>new)|(?<end>at the end)|after `(?<after>.+)`|instead of `(?<before>.+)`):\n\n```\w+\n(?<block>[\s\S]*?)\n```$/gm

type Report = { numFailedTests: number; testResults: { assertionResults: { title: string }[] }[] }
type Step = { file: string; fresh?: string; end?: string; after?: string; before?: string; block: string }

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
  if (!found || more.length > 0) throw new Error(`${file} is not one file`)
  return join(copy, folder ?? '', found)
}

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

it('the steps of CONTRIBUTING add a resource that passes the type check, the linter and the tests', { timeout: 900_000 }, async () => {
  for (const step of steps) apply(step)
  await runInCopy(['--import', 'tsx', 'scripts/db-generate.ts', '--name', 'refunds'])
  // Several checkers would check the types that they share several times.
  await runInCopy(['node_modules/typescript/bin/tsc', '--noEmit', '--incremental', 'false', '--checkers', '1'])
  // Checking the changed files is enough: a cycle, for example, is reported in each of its files.
  const changed = [...new Set(steps.map((step) => relative(copy, findFile(step)))), 'db']
  await runInCopy(['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', ...changed])
  // One more migration of a copied database takes less time than a new PostgreSQL.
  const { url, drop } = await createDatabase(String(process.env.TEST_DATABASE_URL))
  await runInCopy(['--import', 'tsx', 'cli/desk.ts', 'migrate'], { DATABASE_URL: url })
  const report = join(copy, 'report.json')
  const tests = ['lib/catalog', 'app/api/v1/lists.test.ts', 'lib/http/openapi/document.test.ts', 'db/migrations.test.ts']
  // Few workers, so that connections are left for the other tests.
  const options = ['--project', 'quick', '--maxWorkers', '2', '--reporter=json', `--outputFile=${report}`]
  await runInCopy(['node_modules/vitest/vitest.mjs', 'run', ...options, ...tests], {
    TEST_POSTGRES: JSON.stringify({ url, folder: process.env.DATA_DIR }),
  })
  await drop()
  const { numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  expect(numFailedTests).toBe(0)
  const titles = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ title }) => title))
  expect(titles).toContain('imports, lists, searches, filters and exports refunds')
})

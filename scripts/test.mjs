/**
 * npm test: installs missing dependencies, runs the linter, the type check, and the unit, HTTP, browser and short fault tests, and reports
 * counts, failures and the duration of each part.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, exitWithMessage, install, requireNode, root, run, step } from './bootstrap.mjs'
import { failuresOfPlaywright, failuresOfVitest } from './failures.mjs'

requireNode()
process.chdir(root)
const isWindows = process.platform === 'win32'
const bin = (name) => join(root, 'node_modules', '.bin', isWindows ? `${name}.cmd` : name)
const reports = await mkdtemp(join(tmpdir(), 'desk-reports-'))
const begun = performance.now()
let passed = 0
let failed = 0
const failures = []
/** @type {[string, number][]} each part with its duration in seconds, in order of completion */
const parts = []

/** Runs a part and records how long it takes. */
async function part(name, work) {
  const start = performance.now()
  const result = await step(name, work)
  parts.push([name, (performance.now() - start) / 1000])
  return result
}

/** Runs a check. If it fails, ends the whole run with exit code 1. */
async function runCheck(command, args) {
  const { code, output } = await run(command, args)
  if (code === 0) {
    passed += 1
    return
  }
  process.stdout.write(`${output}0 passed, 1 failed\n`)
  exitWithMessage(`${[command, ...args].join(' ')} failed.`)
}

/** Installs Playwright's or Debian's Chromium, unless a browser is already installed. */
async function ensureChromium() {
  const find = () => run(bin('tsx'), ['-e', "import('./e2e/support/chromium.ts').then(({ chromiumPath }) => console.log(chromiumPath()))"])
  if ((await find()).code === 0) return
  await part('Chromium', async () => {
    if ((await run(bin('playwright'), ['install', 'chromium'])).code !== 0 && existsSync('/usr/bin/apt-get')) {
      await run('apt-get', ['update'])
      for (const name of ['chromium-headless-shell', 'chromium'])
        if ((await run('apt-get', ['install', '-y', '--no-install-recommends', name])).code === 0) break
    }
    const { code, output } = await find()
    if (code !== 0) exitWithMessage(output.split('\n').find((line) => line.includes('No Chromium')) ?? output)
  })
}

/** Installs the programs that run the API reference's examples. If one is still missing, the test that needs it fails and names it. */
async function ensurePrograms() {
  const missing = []
  for (const program of ['curl', 'python3']) {
    if ((await run(program, ['--version']).catch(() => ({ code: 1 }))).code !== 0) missing.push(program)
  }
  if (missing.length === 0 || !existsSync('/usr/bin/apt-get')) return
  await part(missing.join(' and '), async () => {
    await run('apt-get', ['update'])
    await run('apt-get', ['install', '-y', '--no-install-recommends', ...missing])
  })
}

/** Returns the report of a test runner, or an empty report if the runner failed before it wrote one. */
const readReport = async (file) => JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))

/**
 * Adds the results of a test runner to the totals.
 *
 * @param runner the name of the runner, which is listed as failed if the runner failed without a failed test
 */
function addResults(runner, passedCount, reportedFailures, { code, output }) {
  passed += passedCount
  const error = `The test runner exited with code ${code}.\n${output.split('\n').slice(-30).join('\n')}`
  // The first attempt of a test that passed on a retry can leave an unhandled rejection, which makes the runner fail.
  const runFailures = reportedFailures.length === 0 && code !== 0 ? [{ name: runner, error }] : reportedFailures
  failed += runFailures.filter(({ isFlaky }) => !isFlaky).length
  failures.push(...runFailures)
}

/** How often a failed test is retried, so that a busy machine does not fail the whole run. The summary lists retried tests. */
const RETRIES = 1

/** Runs the unit tests. */
async function unit() {
  const file = join(reports, 'unit.json')
  const result = await run(bin('vitest'), ['run', `--retry=${RETRIES}`, '--reporter=default', '--reporter=json', `--outputFile=${file}`])
  const report = await readReport(file)
  addResults('Vitest', report.numPassedTests ?? 0, failuresOfVitest(report), result)
}

/** Runs tests with Playwright. @param name the name of the run, for its report and the list of failures */
async function e2e(name, args, { quiet = false, env = {} } = {}) {
  const file = join(reports, `${name}.json`)
  const result = await run(bin('playwright'), ['test', `--retries=${RETRIES}`, ...args], {
    quiet,
    env: { ...process.env, ...env, DESK_E2E_REPORT: file },
  })
  const report = await readReport(file)
  const passedCount = (report.stats?.expected ?? 0) + (report.stats?.flaky ?? 0)
  addResults(`Playwright (${name})`, passedCount, failuresOfPlaywright(report), result)
}

await part('Packages', install)
await ensureChromium()
await ensurePrograms()
// Run both checks in parallel, because the type check uses only one core.
await Promise.all([
  part('Format and lint', () => runCheck(bin('biome'), ['check', '--error-on-warnings', '.'])),
  part('Types', async () => {
    await runCheck(bin('next'), ['typegen'])
    // Use one checker: each additional one would check the shared types again, and the linter uses the other cores.
    await runCheck(bin('tsc'), ['--noEmit', '--checkers', '1'])
  }),
])
// Run two chains, one for each core of a small machine. The first one mostly computes, the second one mostly waits.
const built = part('Build', build)
await Promise.all([
  built.then(() => part('HTTP and browser tests', () => e2e('e2e', []))),
  // Run quietly, because their output would mix with that of the tests running in parallel. Failures are printed at the end.
  part('Unit tests', unit)
    .then(() => built)
    .then(() => part('Short fault tests', () => e2e('faults', ['-c', 'e2e/faults'], { quiet: true, env: { FAULTS: 'short' } }))),
])
await rm(reports, { recursive: true, force: true })

for (const { name, error, isFlaky } of failures)
  process.stdout.write(`\n${isFlaky ? 'PASSED ON RETRY' : 'FAILED'} ${name}\n${error.replace(/^/gm, '  ')}\n`)
const rows = [...parts, ['Total', (performance.now() - begun) / 1000]]
const width = Math.max(...rows.map(([name]) => name.length))
process.stdout.write(`\n${'part'.padEnd(width)}  seconds\n`)
for (const [name, seconds] of rows) process.stdout.write(`${name.padEnd(width)}  ${seconds.toFixed(1).padStart(7)}\n`)
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)

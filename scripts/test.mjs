/** npm test: installs what is missing, then every check there is, and counts. */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, give, install, requireNode, root, run, step } from './bootstrap.mjs'
import { failuresOfPlaywright, failuresOfVitest } from './failures.mjs'

requireNode()
process.chdir(root)
const windows = process.platform === 'win32'
const bin = (name) => join(root, 'node_modules', '.bin', windows ? `${name}.cmd` : name)
const reports = await mkdtemp(join(tmpdir(), 'desk-reports-'))
let passed = 0
let failed = 0
const failures = []

/** Runs a program that the rest depends on; its output is shown where it fails. */
async function must(what, command, args) {
  await step(what, async () => {
    const { code, output } = await run(command, args)
    if (code !== 0) {
      process.stdout.write(output)
      process.stdout.write('0 passed, 1 failed\n')
      give(`${what} failed.`)
    }
  })
}

/** A browser: what is there, else Playwright's own, else Debian's. */
async function ensureChromium() {
  const find = () => run(bin('tsx'), ['-e', "import('./e2e/support/chromium.ts').then(({ chromiumPath }) => console.log(chromiumPath()))"])
  if ((await find()).code === 0) return
  await step('Chromium', async () => {
    if ((await run(bin('playwright'), ['install', 'chromium'])).code !== 0 && existsSync('/usr/bin/apt-get')) {
      await run('apt-get', ['update'])
      for (const name of ['chromium-headless-shell', 'chromium'])
        if ((await run('apt-get', ['install', '-y', '--no-install-recommends', name])).code === 0) break
    }
    const { code, output } = await find()
    if (code !== 0) give(output.split('\n').find((line) => line.includes('No Chromium')) ?? output)
  })
}

/** The examples of the reference are run as they stand, and these are what a reader runs them with. A test says so where one is missing. */
async function ensurePrograms() {
  const missing = []
  for (const program of ['curl', 'python3']) {
    if ((await run(program, ['--version']).catch(() => ({ code: 1 }))).code !== 0) missing.push(program)
  }
  if (missing.length === 0 || !existsSync('/usr/bin/apt-get')) return
  await step(missing.join(' and '), async () => {
    await run('apt-get', ['update'])
    await run('apt-get', ['install', '-y', '--no-install-recommends', ...missing])
  })
}

/** What a runner wrote of itself; empty where it did not come to that. */
const reportOf = async (file) => JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))

function count(done, failuresFound, code, what) {
  passed += done
  const found = failuresFound.length === 0 && code !== 0 ? [{ name: what, why: `It ended with ${code}; see above.` }] : failuresFound
  failed += found.length
  failures.push(...found)
}

async function unit() {
  const file = join(reports, 'unit.json')
  const { code } = await run(bin('vitest'), ['run', '--reporter=default', '--reporter=json', `--outputFile=${file}`], { quiet: false })
  const report = await reportOf(file)
  count(report.numPassedTests ?? 0, failuresOfVitest(report), code, 'Vitest')
}

async function e2e(name, args, more = {}) {
  const file = join(reports, `${name}.json`)
  const { code } = await run(bin('playwright'), ['test', ...args], {
    quiet: false,
    env: { ...process.env, ...more, DESK_E2E_REPORT: file },
  })
  const report = await reportOf(file)
  count(report.stats?.expected ?? 0, failuresOfPlaywright(report), code, `Playwright (${name})`)
}

await install()
await ensureChromium()
await ensurePrograms()
await must('Format and lint', bin('biome'), ['check', '--error-on-warnings', '.'])
await must('Route types', bin('next'), ['typegen'])
await must('Types', bin('tsc'), ['--noEmit'])
passed += 3
await step('Tests of the rules and the rows', unit)
await build()
await step('Tests over HTTP and in the browser', () => e2e('e2e', []))
await step('Faults, in short', () => e2e('faults', ['-c', 'e2e/faults'], { FAULTS: 'short' }))
await rm(reports, { recursive: true, force: true })

for (const { name, why } of failures) process.stdout.write(`\nFAILED ${name}\n${why.replace(/^/gm, '  ')}\n`)
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)

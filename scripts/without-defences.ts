/** Takes each defence out of a copy of the project, runs the test that proves it, and writes down whether that failed: docs/defences.md. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { DEFENCES, type Defence } from './defences'

const run = promisify(execFile)
/** With `npm run suite -- defences WORD`, only those with the word in their names run, and docs/defences.md is not written. */
const word = process.argv[2]

function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'desk-defences-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' }).split('\n')
  for (const file of new Set(files)) if (file) cpSync(file, join(copy, file), { recursive: true, force: true })
  cpSync('.next', join(copy, '.next'), { recursive: true, verbatimSymlinks: true })
  // Not a link to the folder: Next follows none that leads out of the project.
  execFileSync('cp', ['-a', ...(process.platform === 'linux' ? ['-l'] : []), resolve('node_modules'), join(copy, 'node_modules')])
  return copy
}

const literally = (title: string) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function commandOf({ test: { file, title } }: Defence): string[] {
  const named = title ? [literally(title)] : []
  if (file.endsWith('.test.ts')) return ['node_modules/vitest/vitest.mjs', 'run', file, ...named.flatMap((name) => ['-t', name])]
  const where = file.endsWith('.fault.ts') ? ['-c', 'e2e/faults', file] : [file]
  return ['node_modules/playwright/cli.js', 'test', ...where, ...named.flatMap((name) => ['-g', name])]
}

/** What a program of the project says in the copy, and whether it failed. */
async function tell(copy: string, args: string[], env: Record<string, string> = {}): Promise<{ failed: boolean; output: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, args, { cwd: copy, env: { ...process.env, ...env }, maxBuffer: 1 << 28 })
    return { failed: false, output: stdout + stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { failed: true, output: stdout + stderr }
  }
}

/** @returns undefined where the test failed as it should without the defence, else why that is not shown */
async function tryWithout(copy: string, defence: Defence): Promise<string | undefined> {
  const before = new Map(defence.cuts.map(({ file }) => [file, readFileSync(file, 'utf8')]))
  try {
    for (const { file, from, to } of defence.cuts) {
      const text = readFileSync(join(copy, file), 'utf8')
      if (text.split(from).length !== 2) return `“${from}” does not stand once in ${file}`
      writeFileSync(
        join(copy, file),
        text.replace(from, () => to),
      )
    }
    if (defence.built) {
      const { failed, output } = await tell(copy, ['node_modules/next/dist/bin/next', 'build'])
      if (failed) return `it can't be built without: ${output.slice(-500)}`
    }
    const { failed, output } = await tell(copy, commandOf(defence), {
      FAULTS: defence.full ? '' : 'short',
      NO_COLOR: '1',
      FORCE_COLOR: '0',
    })
    if (!failed) return 'the test passes without it'
    return defence.says.test(output) ? undefined : `the test fails for another reason: ${output.slice(-1_500)}`
  } finally {
    for (const [file, text] of before) writeFileSync(join(copy, file), text)
  }
}

const HEAD = `# Defences, and what fails without them

\`npm run suite -- defences\` takes each of these out of a copy of the project, one at a time, and runs the one test that is to prove it. A line stands here
only where that test failed, and said what it was to say. It takes some minutes, and writes this page anew.

| defence | stands in | fails without it |
|---|---|---|
`

const copy = makeCopy()
const shown: Defence[] = []
let missing = 0
// Those of pages last, for the pages of the copy are not as they were from then on.
for (const defence of DEFENCES.filter(({ name }) => !word || name.includes(word)).sort((a, b) => Number(!!a.built) - Number(!!b.built))) {
  const begun = Date.now()
  const problem = await tryWithout(copy, defence)
  const seconds = Math.round((Date.now() - begun) / 1000)
  process.stdout.write(`${problem ? 'NOT SHOWN' : 'shown'}: ${defence.name} (${seconds} s)${problem ? `\n  ${problem}` : ''}\n`)
  if (problem) missing += 1
  else shown.push(defence)
}
rmSync(copy, { recursive: true, force: true })
const lines = shown.map(({ name, cuts, test: { file, title } }) => {
  const places = [...new Set(cuts.map((cut) => `\`${cut.file}\``))].join(', ')
  return `| ${name} | ${places} | \`${file}\`${title && `: ${title}…`} |\n`
})
if (!word) writeFileSync('docs/defences.md', HEAD + lines.join(''))
process.exit(missing === 0 ? 0 : 1)

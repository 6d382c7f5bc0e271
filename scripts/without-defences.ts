/** Removes each defense from a copy of the project, runs the test that covers it, and writes the results to docs/defences.md. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { DEFENCES, type Defence } from './defences'
import { DEVICE_DEFENCES } from './device-defences'
import { FRONT_DEFENCES } from './front-defences'
import { KEY_DEFENCES } from './key-defences'
import { SIGN_IN_DEFENCES } from './sign-in-defences'
import { WEBHOOK_DEFENCES } from './webhook-defences'
import { WRITE_DEFENCES } from './write-defences'

const run = promisify(execFile)
/** With `npm run suite -- defences WORD`, runs only those whose names contain the word, and does not write docs/defences.md. */
const word = process.argv[2]

function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'desk-defences-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' }).split('\n')
  for (const file of new Set(files)) if (file) cpSync(file, join(copy, file), { recursive: true, force: true })
  cpSync('.next', join(copy, '.next'), { recursive: true, verbatimSymlinks: true })
  // A copy instead of a symlink, because Next does not follow symlinks that lead out of the project.
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

/** Runs one of the project's programs in the copy. @returns its output, and whether it failed */
async function runIn(copy: string, args: string[], env: Record<string, string> = {}): Promise<{ failed: boolean; output: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, args, { cwd: copy, env: { ...process.env, ...env }, maxBuffer: 1 << 28 })
    return { failed: false, output: stdout + stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { failed: true, output: stdout + stderr }
  }
}

/** Runs a defense's test without the defense. @returns undefined if the test failed as expected, otherwise the problem */
async function tryWithout(copy: string, defence: Defence): Promise<string | undefined> {
  const before = new Map(defence.cuts.map(({ file }) => [file, readFileSync(file, 'utf8')]))
  try {
    for (const { file, from, to } of defence.cuts) {
      const text = readFileSync(join(copy, file), 'utf8')
      if (text.split(from).length !== 2) return `“${from}” does not occur exactly once in ${file}`
      writeFileSync(
        join(copy, file),
        text.replace(from, () => to),
      )
    }
    if (defence.built) {
      const { failed, output } = await runIn(copy, ['node_modules/next/dist/bin/next', 'build'])
      if (failed) return `the build fails without it: ${output.slice(-500)}`
    }
    const { failed, output } = await runIn(copy, commandOf(defence), {
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

const HEAD = `# Defenses, and the tests that fail without them

\`npm run suite -- defences\` removes these defenses from a copy of the project, one at a time, and runs the test that covers each. A defense is listed only if
that test failed for the expected reason. The run takes a few minutes and rewrites this page.

| defense | file | test that fails |
|---|---|---|
`

const copy = makeCopy()
const shown: Defence[] = []
let missing = 0
// Defenses in pages come last, because they change the copy's build.
const defences = [
  ...DEFENCES,
  ...KEY_DEFENCES,
  ...FRONT_DEFENCES,
  ...SIGN_IN_DEFENCES,
  ...WEBHOOK_DEFENCES,
  ...WRITE_DEFENCES,
  ...DEVICE_DEFENCES,
].filter(({ name }) => !word || name.includes(word))
for (const defence of defences.sort((a, b) => Number(!!a.built) - Number(!!b.built))) {
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

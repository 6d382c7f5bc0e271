/** CONTRIBUTING.md, done to the letter on a copy of the project: its steps compile, its migration applies, its tests pass. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const run = promisify(execFile)

/** `file`, where in it: and the block that goes there. */
const STEP =
  /^`(?<file>[^`\n]+)`, (?:(?<fresh>new)|(?<end>at the end)|after `(?<after>.+)`|instead of `(?<before>.+)`):\n\n```\w+\n(?<block>[\s\S]*?)\n```$/gm

type Step = { file: string; fresh?: string; end?: string; after?: string; before?: string; block: string }

const steps = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(STEP)].map(({ groups }) => ({ ...groups }) as Step)

let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'desk-fifth-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' }).split('\n')
  for (const file of new Set(files)) {
    if (!file || file.startsWith('public/')) continue
    cpSync(file, join(copy, file), { recursive: true, force: true })
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, 'next-env.d.ts'), '/// <reference types="next" />\n/// <reference types="next/image-types/global" />\n')
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

function fileOf({ file }: Step): string {
  if (!file.includes('*')) return join(copy, file)
  const [folder, ending = ''] = file.split('*')
  const [found, ...more] = readdirSync(join(copy, folder ?? '')).filter((name) => name.endsWith(ending))
  if (!found || more.length > 0) throw new Error(`${file} is not one file`)
  return join(copy, folder ?? '', found)
}

function apply(step: Step): void {
  const file = fileOf(step)
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
  // Said so that it can be found: in one place alone.
  expect(text.split(anchor).length - 1, `“${anchor}” in ${step.file}`).toBe(1)
  writeFileSync(
    file,
    text.replace(anchor, () => (step.after ? `${anchor}\n${step.block}` : step.block)),
  )
}

/** What a program of the project says in the copy; its output where it fails. */
async function told(args: string[]): Promise<string> {
  try {
    return (await run(process.execPath, args, { cwd: copy, env: { ...process.env, CI: '1' } })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${args.join(' ')}\n${stdout}${stderr}`)
  }
}

it('a fifth resource is added by the steps that are written down', { timeout: 600_000 }, async () => {
  expect(steps.length).toBeGreaterThan(25)
  for (const step of steps) apply(step)
  await told(['--import', 'tsx', 'scripts/db-generate.ts', '--name', 'refunds'])
  await told(['node_modules/typescript/bin/tsc', '--noEmit', '--incremental', 'false'])
  const tests = ['lib/catalog/refunds.test.ts', 'app/api/v1/table.test.ts', 'lib/http/openapi/document.test.ts']
  const report = join(copy, 'report.json')
  await told(['node_modules/vitest/vitest.mjs', 'run', ...tests, '--reporter=json', `--outputFile=${report}`])
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>
  expect(numFailedTests).toBe(0)
  expect(numPassedTests).toBeGreaterThan(11)
})

/** Tests the list of failures in the summary of `npm test`. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { failuresOfPlaywright, failuresOfVitest } from './failures.mjs'

const root = join(import.meta.dirname, '..')
const TESTS = `
it('passes', () => expect(1).toBe(1))
it('fails', () => expect('the door').toBe('the wall'))
it('passes on the second attempt', () => {
  const marker = 'second.attempt'
  const isSecond = existsSync(marker)
  writeFileSync(marker, '')
  expect(isSecond).toBe(true)
})
`
const IMPORTS = `import { existsSync, writeFileSync } from 'node:fs'\n`
let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-failures-'))
  // Both runners resolve their own packages here. On Windows, a junction requires no privileges.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs a test runner, ignoring its exit code, and reads its report. */
async function report(program: string, args: string[]) {
  const file = join(folder, `${program}.json`)
  await new Promise<void>((resolve) => {
    const child = execFile(join(root, 'node_modules', '.bin', program), args, { cwd: folder }, () => resolve())
    child.stdin?.end()
  })
  return JSON.parse(await readFile(file, 'utf8'))
}

it('lists failed tests, files that fail to load, and tests that passed on retry in a Vitest report', { tags: 'slow' }, async () => {
  await writeFile(join(folder, 'one.test.ts'), `import { expect, it } from 'vitest'\n${IMPORTS}${TESTS}`)
  await writeFile(join(folder, 'two.test.ts'), `throw new Error('no such thing')`)
  await writeFile(join(folder, 'vitest.config.ts'), `export default { test: { include: ['*.test.ts'] } }`)
  const found = failuresOfVitest(
    await report('vitest', ['run', '--root', folder, '--retry=1', '--reporter=json', `--outputFile=${join(folder, 'vitest.json')}`]),
  )
  expect(found.sort((a, b) => a.name.localeCompare(b.name))).toEqual([
    { name: expect.stringMatching(/one\.test\.ts › fails$/), error: expect.stringContaining("expected 'the door' to be 'the wall'") },
    {
      name: expect.stringMatching(/one\.test\.ts › passes on the second attempt$/),
      error: expect.stringContaining('expected false to be true'),
      isFlaky: true,
    },
    { name: expect.stringMatching(/two\.test\.ts$/), error: expect.stringContaining('no such thing') },
  ])
})

it('lists failed tests, files that fail to load, and tests that passed on retry in a Playwright report', {
  tags: 'slow',
}, async () => {
  const config = `export default { testDir: '.', reporter: [['json', { outputFile: ${JSON.stringify(join(folder, 'playwright.json'))} }]] }`
  await writeFile(join(folder, 'playwright.config.ts'), config)
  await writeFile(
    join(folder, 'three.spec.ts'),
    `import { expect, test as it } from 'playwright/test'\n${IMPORTS}it.describe('in a group', () => {${TESTS}})`,
  )
  expect(failuresOfPlaywright(await report('playwright', ['test', '-c', folder, '--retries=1']))).toEqual([
    { name: 'three.spec.ts:5 › fails', error: expect.stringMatching(/Expected: "the wall"\nReceived: "the door"/) },
    { name: 'three.spec.ts:6 › passes on the second attempt', error: expect.stringContaining('Expected: true'), isFlaky: true },
  ])
  await writeFile(join(folder, 'three.spec.ts'), `throw new Error('no such thing')`)
  expect(failuresOfPlaywright(await report('playwright', ['test', '-c', folder]))).toEqual([
    { name: 'Playwright', error: expect.stringContaining('no such thing') },
    { name: 'Playwright', error: expect.stringContaining('No tests found') },
  ])
})

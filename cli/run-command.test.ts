/** Tests where `desk` prints its help, and what it says about unknown commands. */
// @module-tag slow
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', 'cli/desk.ts', ...args]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  )

it.each([
  [['--help'], /^desk: runs and manages .* desk serve\n.* desk webhooks listen /s],
  [['help', 'import'], /^desk import RESOURCE FILE\|- --seller ID .*\n\nImports records: .*\n {2}--events +write an event/s],
  [['key', '--help'], /^desk key create --seller ID .*\n\ndesk key list .*\n\ndesk key resume /s],
])('prints requested help to standard output: desk %j', async (args, text) => {
  expect(await run(...args)).toEqual({ code: 0, stdout: expect.stringMatching(text), stderr: '' })
})

it.each([
  [[], /^desk: runs and manages /],
  [['key'], /^desk key create /],
  [['key', 'bogus'], /^desk: Unknown command: key bogus\. Run `desk --help` for a list of commands\.\n$/],
])('fails, and prints nothing to standard output, if there is no such command: desk %j', async (args, text) => {
  expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(text) })
})

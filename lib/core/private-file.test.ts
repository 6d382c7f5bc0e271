/** A private file never replaces a device, and its temporary file is deleted if the command is interrupted. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writePrivateFile } from './private-file'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-'))
})
afterAll(() => rm(folder, { recursive: true }))

it('rejects a device', async () => {
  const device = join(folder, 'device')
  await symlink('/dev/null', device)
  const content = (async function* () {})()
  await expect(writePrivateFile(device, content)).rejects.toThrow(/^Cannot write .*device: it is not a regular file\. Use another path\.$/)
  expect(await readlink(device)).toBe('/dev/null')
})

it.each(['SIGINT', 'SIGTERM'] as const)('deletes its temporary file on %s', { tags: 'slow' }, async (signal) => {
  const script = `import { writePrivateFile } from './lib/core/private-file.ts'
    await writePrivateFile(process.argv[1], (async function* () {
      yield 'a record'
      console.log('started')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })())`
  const file = join(folder, 'interrupted')
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  expect(await readdir(folder)).toContainEqual(expect.stringMatching(/^interrupted\..*\.draft$/))
  child.kill(signal)
  expect(await once(child, 'exit')).toEqual([null, signal])
  expect((await readdir(folder)).filter((name) => name.startsWith('interrupted'))).toEqual([])
})

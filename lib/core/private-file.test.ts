/** Writing a private file never replaces a device, a pipe or a stream, and an interrupted write leaves no temporary file. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lchown, lstat, mkdtemp, open, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { writePrivateFile } from './private-file'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function* yieldRecord() {
  yield 'a record'
}

it('replaces a link to an ordinary file, and leaves that file unchanged', async () => {
  const [file, link] = [join(folder, 'file'), join(folder, 'link')]
  await writeFile(file, 'before')
  await symlink(file, link)
  await writePrivateFile(link, yieldRecord())
  expect((await lstat(link)).isFile()).toBe(true)
  expect([await readFile(link, 'utf8'), await readFile(file, 'utf8')]).toEqual(['a record', 'before'])
})

it('writes to a device without replacing it', async () => {
  const device = join(folder, 'device')
  await symlink('/dev/null', device)
  await writePrivateFile(device, yieldRecord())
  expect(await readlink(device)).toBe('/dev/null')
})

it('writes to a named pipe without replacing it', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const [read] = await Promise.all([readFile(pipe, 'utf8'), writePrivateFile(pipe, yieldRecord())])
  expect([read, (await lstat(pipe)).isFIFO()]).toEqual(['a record', true])
})

it('rejects another user’s link to a device or a pipe, which could have been created to read the content', async () => {
  const link = join(folder, 'foreign-link')
  await symlink('/dev/null', link)
  await lchown(link, process.getuid?.() || 2, process.getgid?.() ?? 2)
  const spy = vi.spyOn(process, 'geteuid').mockReturnValue(1)
  const message = /^Cannot write .*: it is not a regular file, and it or a link to it belongs to another user\. Use another path\.$/
  await expect(writePrivateFile(link, yieldRecord()).finally(() => spy.mockRestore())).rejects.toThrow(message)
})

// Other systems have no /proc.
it.runIf(process.platform === 'linux')('appends to the file that a stream was redirected to, without replacing its link', async () => {
  const file = join(folder, 'redirected')
  const handle = await open(file, 'w')
  await handle.write('before, ')
  const stream = `/proc/self/fd/${handle.fd}`
  await symlink(stream, join(folder, 'stream'))
  await symlink('stream', join(folder, 'link-to-stream'))
  await writePrivateFile(join(folder, 'link-to-stream'), yieldRecord())
  await handle.close()
  expect(await readFile(file, 'utf8')).toBe('before, a record')
  const links = ['stream', 'link-to-stream'].map((name) => readlink(join(folder, name)))
  expect(await Promise.all(links)).toEqual([stream, 'stream'])
})

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('deletes its temporary file on %s', { tags: 'slow' }, async (signal) => {
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

/** Tests that commands fail if standard output cannot be written, because their output, such as a new API key, would be lost. */
// @module-tag slow
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { deskCommand } from '@/testing/programs'
import { importLines, makeSeller, minimal } from '@/testing/seller'

const { url } = withOwnDatabase()

it.skipIf(!existsSync('/dev/full'))('reports that standard output cannot be written', async () => {
  const seller = await makeSeller()
  await importLines('products', seller, [minimal('products')])
  const env = { ...process.env, MIGRATE_DATABASE_URL: '', DATABASE_URL: url }
  const commands = ['db url', `key create --seller ${seller} --name x`, `export products - --seller ${seller}`]
  for (const command of commands) {
    const run = promisify(execFile)('sh', ['-c', `${deskCommand()} ${command} > /dev/full`], { env })
    await expect(run, command).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^(.*\n)?desk: Cannot write standard output \(ENOSPC\)\. Check the path, its permissions and the free space\.\n$/,
      ),
    })
  }
})

it('reports that an export does not fit on the disk', async () => {
  const seller = await makeSeller()
  await importLines('payments', seller, [minimal('payments', { userAgent: 'x'.repeat(600_000) })])
  const env = { ...process.env, MIGRATE_DATABASE_URL: '', DATABASE_URL: url }
  const folder = await mkdtemp(join(tmpdir(), 'checkout-desk-full-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // A limit on the size of files, in KiB, has the same effect as a disk with that much free space.
  const command = `ulimit -f 500; trap '' XFSZ; ${deskCommand()} export payments - --seller ${seller} > "$1"`
  await expect(promisify(execFile)('bash', ['-c', command, 'sh', join(folder, 'payments')], { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('desk: Cannot write standard output (EFBIG).'),
  })
})

it('reports an error if the reader closes the pipe, except during an export', async () => {
  const seller = await makeSeller()
  await importLines('products', seller, [minimal('products')])
  const env = { ...process.env, MIGRATE_DATABASE_URL: '', DATABASE_URL: url }
  const run = (command: string) => promisify(execFile)('sh', ['-c', `{ ${deskCommand()} ${command}; echo $? >&2; } | true`], { env })
  expect((await run('db url')).stderr).toMatch(/^desk: Cannot write standard output \(EPIPE\)\..*\n1\n$/)
  expect((await run(`export products - --seller ${seller}`)).stderr).toMatch(/^Exported \d products\.\n0\n$/)
})

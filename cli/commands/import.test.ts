/** Tests where `desk import` writes rejected records. */
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { runDesk } from '@/testing/programs'
import { makeSeller, minimal } from '@/testing/seller'

const testDatabase = withOwnDatabase()

it('writes rejected records to the working directory, not next to the input, if the input is a stream', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-import-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const args = ['import', 'payments', pipe, '--seller', await makeSeller()]
  const running = runDesk(args, { DATABASE_URL: testDatabase.url, DATA_DIR: folder }, folder)
  await writeFile(pipe, JSON.stringify(minimal('payments', { surprise: 1 })))
  expect(await running).toMatchObject({ code: 2, stderr: expect.stringContaining('See payments.rejects.ndjson') })
  expect(await readdir(folder)).toEqual(['payments.rejects.ndjson', 'pipe'])
})

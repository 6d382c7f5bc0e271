/** `desk` with the embedded database: most commands do not create it. */
// @module-tag slow
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { makeTemporaryFolder } from '@/testing/postgres'

const makeEnv = (DATA_DIR: string) => ({ ...process.env, DATABASE_URL: '', MIGRATE_DATABASE_URL: '', DATA_DIR })

/** Runs `desk`. @returns the exit code, and standard output and error */
const runDesk = (dataDir: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', 'cli/desk.ts', ...args], { env: makeEnv(dataDir) }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  )

it('fails, and creates nothing, if there is no database in DATA_DIR, unless the command may create one', async () => {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [dataDir, backup] = [join(folder, 'data'), join(folder, 'desk.backup')]
  const failure = {
    code: 1,
    stdout: '',
    stderr: `desk: There is no database in ${dataDir}. Set DATA_DIR to the server’s data directory, or DATABASE_URL to use your own PostgreSQL.\n`,
  }
  expect(await runDesk(dataDir, 'backup', backup)).toEqual(failure)
  expect(await readdir(folder)).toEqual([])
  await mkdir(dataDir)
  expect(await runDesk(dataDir, 'backup', backup)).toEqual(failure)
  expect(await runDesk(dataDir, 'seller', 'list')).toEqual(failure)
  expect(await readdir(dataDir)).toEqual([])

  const seller = ['--name', 'x', '--email', 'x@example.com', '--password', 'correct horse']
  expect(await runDesk(dataDir, 'seller', 'create', ...seller)).toMatchObject({ code: 0 })
  expect(await runDesk(dataDir, 'backup', backup)).toMatchObject({ code: 0 })
  expect(existsSync(backup)).toBe(true)
})

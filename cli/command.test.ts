/** `desk` with the embedded database: most commands do not create it, and an interrupted command does not leave it running. */
// @module-tag slow
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { findEmbedded, joinEmbedded } from '@/db/embedded'
import { makeDataFolder, makeTemporaryFolder } from '@/testing/postgres'

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

const SELLER = 'a'.repeat(24)

/** Creates a data folder with a seller. @param auditEntries the number of its audit entries, of 1.5 kB each @returns its path */
async function makeShop(auditEntries: number): Promise<string> {
  const dataDir = await makeDataFolder()
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const embedded = await joinEmbedded(dataDir)
  const client = postgres(embedded.url, { max: 1 })
  await client`insert into sellers (id, name, number) overriding system value values (${SELLER}, 'x', 7)`
  // Random, because the backup is compressed.
  await client`
    insert into audit_log (seller_id, action, details)
    select ${SELLER}, 'test', json_build_object('text', (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 40) where row > 0))
    from generate_series(1, ${auditEntries}::int) as row`
  await client.end()
  await embedded.leave()
  return dataDir
}

/** Starts `desk`. @param stdin a stream that stays open */
function startDesk(dataDir: string, ...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'cli/desk.ts', ...args], {
    env: makeEnv(dataDir),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, ended: once(child, 'exit') }
}

it('stops the embedded database and deletes the temporary file if a signal interrupts the command', async () => {
  // The backup of these takes a second or more.
  const dataDir = await makeShop(40_000)
  const backup = startDesk(dataDir, 'backup', join(dataDir, 'desk.backup'))
  const listBackups = async () => (await readdir(dataDir)).filter((name) => name.startsWith('desk.backup'))
  await expect.poll(listBackups).toEqual([expect.stringMatching(/\.draft$/)])
  backup.child.kill('SIGINT')
  expect(await backup.ended).toEqual([130, null])
  expect(await listBackups()).toEqual([])
  expect(await findEmbedded(dataDir)).toBeUndefined()

  // Waits for the input.
  const importing = startDesk(dataDir, 'import', 'products', '-', '--seller', SELLER)
  await expect.poll(() => findEmbedded(dataDir)).toBeDefined()
  importing.child.kill('SIGTERM')
  // npm and the terminal can both send the signal.
  importing.child.kill('SIGTERM')
  expect(await importing.ended).toEqual([143, null])
  expect(await findEmbedded(dataDir)).toBeUndefined()
})

it('does not stop the embedded database of another process if a signal interrupts the command', async () => {
  const dataDir = await makeShop(0)
  const embedded = await joinEmbedded(dataDir)
  const client = postgres(embedded.url, { max: 1 })
  const importing = startDesk(dataDir, 'import', 'products', '-', '--seller', SELLER)
  const countImports = async () => (await client`select 1 from pg_stat_activity where application_name like 'checkout-desk%'`).length
  await expect.poll(countImports).toBeGreaterThan(0)
  importing.child.kill('SIGINT')
  expect(await importing.ended).toEqual([130, null])
  expect(await client`select name from sellers`).toEqual([{ name: 'x' }])
  await client.end()
  expect(await embedded.leave()).toBe(true)
})

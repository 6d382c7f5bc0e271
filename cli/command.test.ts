/** `desk` with the embedded database: most commands do not create it, and an interrupted command does not leave it running. */
// @module-tag slow
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { findEmbedded, joinEmbedded } from '@/db/embedded'
import { findHome } from '@/db/embedded-home'
import { withFileLock } from '@/db/file-lock'
import { makeDataFolder, makeTemporaryFolder } from '@/testing/postgres'
import { deskArgs, runDesk } from '@/testing/programs'

/** The settings of a process that uses the embedded database. */
const makeEnv = (DATA_DIR: string) => ({ DATABASE_URL: '', MIGRATE_DATABASE_URL: '', DATA_DIR, PORT: '0', TEST_PAGES: 'none' })

it('fails, and creates nothing, if there is no database in DATA_DIR, unless the command may create one', async () => {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [missing, backup] = [join(folder, 'data'), join(folder, 'desk.backup')]
  const run = (...args: string[]) => runDesk(args, makeEnv(missing))
  const failure = {
    code: 1,
    stdout: '',
    stderr: `desk: There is no database in ${missing}. Set DATA_DIR to the server’s data directory, or DATABASE_URL to use your own PostgreSQL.\n`,
  }
  expect(await run('backup', backup)).toEqual(failure)
  expect(await readdir(folder)).toEqual([])
  await mkdir(missing)
  expect(await run('backup', backup)).toEqual(failure)
  expect(await run('seller', 'list')).toEqual(failure)
  expect(await readdir(missing)).toEqual([])

  const seller = ['--name', 'x', '--email', 'x@example.com', '--password', 'correct horse']
  expect(await run('seller', 'create', ...seller)).toMatchObject({ code: 0 })
  expect(await run('backup', backup)).toMatchObject({ code: 0 })
  expect(existsSync(backup)).toBe(true)
})

const SELLER = 'a'.repeat(24)

/** A data folder with a seller whose audit log takes a second or more to back up. The tests share it, because each leaves it stopped. */
let dataDir: string
beforeAll(async () => {
  dataDir = await makeDataFolder()
  const embedded = await joinEmbedded(dataDir)
  const client = postgres(embedded.url, { max: 1 })
  await client`insert into sellers (id, name, number) overriding system value values (${SELLER}, 'x', 7)`
  // 60 MB of random text. It repeats every 150 kB, but gzip does not look back that far, so the backup is as slow as without repetition.
  await client`
    with texts as materialized (
      select array_agg(text) as texts from (
        select string_agg(gen_random_uuid()::text, '') as text from generate_series(0, 3999) as part group by part % 100
      ) as parts
    )
    insert into audit_log (seller_id, action, details)
    select ${SELLER}, 'test', json_build_object('text', texts[1 + row % 100]) from texts, generate_series(1, 40000) as row`
  await client.end()
  await embedded.leave()
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

/** A module that prints a line once the process handles SIGINT. */
const ANNOUNCE = 'data:text/javascript,process.on("newListener", (name) => name === "SIGINT" && setImmediate(console.log, name))'

/**
 * Starts `desk` in its own process group.
 *
 * @returns the process, whose standard input stays open, and promises that resolve once it handles SIGINT and once it has ended
 */
function startDesk(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, ['--import', ANNOUNCE, ...deskArgs(...args)], {
    env: { ...process.env, ...makeEnv(folder) },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, handlesSignals: once(child.stdout, 'data'), ended: once(child, 'exit') }
}

it('stops the embedded database and deletes the temporary file if a signal interrupts the command', async () => {
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
  // npm and the terminal may both send the signal.
  importing.child.kill('SIGTERM')
  expect(await importing.ended).toEqual([143, null])
  expect(await findEmbedded(dataDir)).toBeUndefined()
})

it('does not stop the embedded database of another process if a signal interrupts the command', async () => {
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

it('does not wait for a database that another process is starting or stopping if a signal interrupts the command', async () => {
  const whileLocked = <T>(work: () => Promise<T>) => withFileLock(join(dataDir, 'postgres.lock'), work)
  const args = ['import', 'products', '-', '--seller', SELLER]

  // Waits for the lock in order to start the database.
  await whileLocked(async () => {
    const waiting = startDesk(dataDir, ...args)
    await waiting.handlesSignals
    const startedAt = performance.now()
    waiting.child.kill('SIGINT')
    expect(await waiting.ended).toEqual([130, null])
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  // Waits for the lock in order to stop the database. Signals soon after the first one are ignored, because npm may have repeated it.
  const importing = startDesk(dataDir, ...args)
  await expect.poll(() => findEmbedded(dataDir)).toBeDefined()
  await whileLocked(async () => {
    const startedAt = performance.now()
    importing.child.kill('SIGINT')
    const repeating = setInterval(() => importing.child.kill('SIGTERM'), 100)
    expect(await importing.ended).toEqual([130, null])
    clearInterval(repeating)
    expect(performance.now() - startedAt).toBeGreaterThan(1_000)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
  expect(await (await joinEmbedded(dataDir)).leave()).toBe(true)
})

/** Returns whether there is a process whose command line contains the text. */
function isRunning(text: string): boolean {
  try {
    return execFileSync('pgrep', ['-f', text], { encoding: 'utf8' }) !== ''
  } catch (error) {
    if ((error as { status?: number }).status === 1) return false
    throw error
  }
}

/** Waits for a connection to the embedded database. @param name its application name @returns the connection string */
async function untilConnected(name: string): Promise<string> {
  await expect.poll(() => findEmbedded(dataDir), { interval: 5 }).toBeDefined()
  const url = String(await findEmbedded(dataDir))
  const client = postgres(url, { max: 1, connection: { application_name: 'checkout-desk test' } })
  const find = () => client`select 1 from pg_stat_activity where application_name = ${name}`.catch(() => [])
  await expect.poll(async () => (await find()).length, { interval: 5 }).toBeGreaterThan(0)
  await client.end()
  return url
}

it('stops the embedded database if a signal interrupts the command while a connection is being opened', async () => {
  const importing = startDesk(dataDir, 'import', 'products', '-', '--seller', SELLER)
  const url = await untilConnected('checkout-desk general')
  // PostgreSQL waits for the password, so the connection has no user and no name yet.
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  const startup = Buffer.from('\0\0\0\0\0\x03\0\0user\0desk\0database\0desk\0\0')
  startup.writeInt32BE(startup.length)
  socket.write(startup)
  await once(socket, 'data')
  importing.child.kill('SIGINT')
  expect(await importing.ended).toEqual([130, null])
  expect(await findEmbedded(dataDir)).toBeUndefined()
})

it.each(['migrate', 'serve'])(
  'completes the first start of the embedded database, and then stops it, if Ctrl-C interrupts `desk %s`',
  async (command) => {
    const folder = await makeTemporaryFolder()
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const { cluster } = await findHome(folder)
    const { child, ended } = startDesk(folder, command)
    // Until initdb has written this file, it sometimes ignores the signal.
    await expect.poll(() => existsSync(join(`${cluster}.draft`, 'global', 'pg_control')), { interval: 5 }).toBe(true)
    // A terminal sends the signal to the whole process group.
    process.kill(-Number(child.pid), 'SIGINT')
    expect(await ended).toEqual([command === 'serve' ? 0 : 130, null])
    await expect.poll(() => isRunning(cluster)).toBe(false)
    expect(existsSync(cluster)).toBe(true)

    const embedded = await joinEmbedded(folder)
    expect(await embedded.leave()).toBe(true)
  },
)

it.each([
  ['it has started', 'desk-lease', 'SIGTERM'],
  // As when the terminal is closed.
  ['the server connects to it', 'checkout-desk doors', 'SIGHUP'],
] as const)('stops the embedded database if a signal interrupts `desk serve` as soon as %s', async (_, name, signal) => {
  const { child, ended } = startDesk(dataDir, 'serve')
  await untilConnected(name)
  child.kill(signal)
  expect(await ended).toEqual([0, null])
  expect(await findEmbedded(dataDir)).toBeUndefined()
})

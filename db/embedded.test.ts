/**
 * Tests that the embedded PostgreSQL is stopped if the process that started it cannot use it, and that a database whose files are missing
 * is not replaced by an empty one.
 */
// @module-tag slow
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import { expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '@/testing/free-port'
import { makeDataFolder, makeTemporaryFolder } from '@/testing/postgres'
import { findEmbedded, joinEmbedded } from './embedded'
import { start, stop } from './embedded-cluster'
import { EmbeddedError, findHome } from './embedded-home'
import { withFileLock } from './file-lock'
import { ensureServerUser } from './server-user'

it('stops the server that it started if it cannot store the connection details', async () => {
  const folder = await makeDataFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  // A directory with the name of the temporary file makes writing postgres.json fail.
  const draft = join(folder, 'postgres.json.draft')
  await mkdir(draft)
  await expect(joinEmbedded(folder)).rejects.toThrow(EmbeddedError)
  expect(await findEmbedded(folder)).toBeUndefined()
  expect(existsSync(join((await findHome(folder)).cluster, 'server.log'))).toBe(true)

  await rm(draft, { recursive: true })
  const embedded = await joinEmbedded(folder)
  expect(embedded.wasRunning).toBe(false)
  expect(await embedded.leave()).toBe(true)
})

/** Starts and stops a server in a new data folder. @returns the paths of the folder and postgres.json */
async function makeStoppedServer(): Promise<{ folder: string; accessFile: string }> {
  const folder = await makeDataFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const embedded = await joinEmbedded(folder)
  expect(await embedded.leave()).toBe(true)
  return { folder, accessFile: join(folder, 'postgres.json') }
}

it('does not replace a database whose files are missing, and keeps its password', async () => {
  const { folder, accessFile } = await makeStoppedServer()
  const { cluster } = await findHome(folder)
  await rm(cluster, { recursive: true })
  const before = await readFile(accessFile, 'utf8')
  for (const attempt of [joinEmbedded, findEmbedded]) {
    const error = await attempt(folder).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(EmbeddedError)
    expect(String(error)).toContain(`There is no database in ${cluster}, although ${accessFile} contains its password.`)
  }
  expect(await readFile(accessFile, 'utf8')).toBe(before)
  expect(existsSync(cluster)).toBe(false)
})

// If this process runs as root, PostgreSQL runs as the user `postgres`. If that user cannot access the folder, the database is expected in a
// different one.
it.runIf(process.getuid?.() === 0)('does not create another database if PostgreSQL’s user cannot access the folder', async () => {
  const { folder, accessFile } = await makeStoppedServer()
  const before = await readFile(accessFile, 'utf8')
  await chmod(folder, 0o700)
  await expect(joinEmbedded(folder)).rejects.toThrow(/^There is no database in \/var\/lib\/checkout-desk\/\w{12}, although /)
  expect(await readFile(accessFile, 'utf8')).toBe(before)
  await chmod(folder, 0o755)
  const embedded = await joinEmbedded(folder)
  expect(await embedded.leave()).toBe(true)
})

it('creates the database if an earlier start failed before creating it', async () => {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'postgres.json'), JSON.stringify({ port: 0, password: 'secret' }))
  const embedded = await joinEmbedded(folder)
  expect(embedded.url).toMatch(/^postgres:\/\/desk:secret@127\.0\.0\.1:[1-9]/)
  expect(await embedded.leave()).toBe(true)
})

it('does not rewrite postgres.json if nothing has changed', async () => {
  const { folder, accessFile } = await makeStoppedServer()
  const before = await stat(accessFile)
  const first = await joinEmbedded(folder)
  const second = await joinEmbedded(folder)
  expect(await second.leave()).toBe(false)
  expect(await first.leave()).toBe(true)
  // Rewriting the file replaces it with another one.
  expect((await stat(accessFile)).ino).toBe(before.ino)
})

it.each(['', '{"port":', 'null', '{"port":5432}'])('says what to do if postgres.json is damaged: %j', async (text) => {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const accessFile = join(folder, 'postgres.json')
  await writeFile(accessFile, text)
  for (const attempt of [joinEmbedded, findEmbedded]) {
    const error = await attempt(folder).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(EmbeddedError)
    expect(String(error)).toContain(`${accessFile}, which stores the database’s password, is damaged. Restore the file from a copy.`)
  }
  expect(await readFile(accessFile, 'utf8')).toBe(text)
})

it('lets the server’s user connect after the owner’s password was changed and written to postgres.json', async () => {
  const { folder, accessFile } = await makeStoppedServer()
  const first = await joinEmbedded(folder)
  const before = await ensureServerUser(first.url)
  const owner = postgres(first.url, { max: 1 })
  await owner.unsafe("alter role desk password 'replaced'")
  await owner.end()
  expect(await first.leave()).toBe(true)
  await writeFile(accessFile, '{"port":0,"password":"replaced"}')
  const embedded = await joinEmbedded(folder)
  const url = await ensureServerUser(embedded.url)
  expect(new URL(url).password).not.toBe(new URL(before).password)
  const server = postgres(url, { max: 1 })
  expect(await server`select current_user as name`).toEqual([{ name: 'desk_app' }])
  await server.end()
  expect(await embedded.leave()).toBe(true)
})

// In a restarted container, the same process IDs are assigned again.
it.runIf(process.platform === 'linux')(
  'starts the server if another process now has the process ID of a server that was killed',
  async () => {
    const { folder } = await makeStoppedServer()
    const { cluster, user } = await findHome(folder)
    const other = spawn('sleep', ['600'], user ?? {})
    onTestFinished(() => void other.kill('SIGKILL'))
    const file = join(cluster, 'postmaster.pid')
    await writeFile(file, `${other.pid}\n${cluster}\n1700000000\n1\n\n127.0.0.1\n        1         1\nready   \n`)
    if (user) await chown(file, user.uid, user.gid)
    expect(await findEmbedded(folder)).toBeUndefined()
    const embedded = await joinEmbedded(folder)
    expect(embedded.wasRunning).toBe(false)
    expect(await embedded.leave()).toBe(true)
  },
)

// As in recovery after a crash of a busy server.
it('waits for a server that another process is starting', async () => {
  const { folder } = await makeStoppedServer()
  const home = await findHome(folder)
  const mayEnd = join(folder, 'may-end')
  const script = `while [ ! -e ${mayEnd} ]; do sleep 0.1; done; exit 1`
  await appendFile(join(home.cluster, 'postgresql.auto.conf'), `\nrestore_command = '${script}'\n`)
  await writeFile(join(home.cluster, 'recovery.signal'), '')
  const port = await freePort()
  const starting = start(home, port)
  await expect.poll(() => findEmbedded(folder)).toBeDefined()
  const joining = joinEmbedded(folder)
  const first = await Promise.race([joining.catch(String), starting, pause(1_000, 'waiting')])
  await writeFile(mayEnd, '')
  expect(first).toBe('waiting')
  const embedded = await joining
  await starting
  expect(embedded.wasRunning).toBe(true)
  expect(new URL(embedded.url).port).toBe(String(port))
  expect(await embedded.leave()).toBe(true)
})

it('waits for hours until the server has started', async () => {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  // Takes the place of pg_ctl, and fails unless it may wait for three hours.
  const script = '#!/bin/sh\nwhile [ "$1" != -t ]; do shift; done\n[ "$2" -ge 10800 ] || { echo did not start in time; exit 1; }\n'
  await writeFile(join(folder, 'pg_ctl'), script, { mode: 0o755 })
  await start({ bin: folder, cluster: folder }, 5432)
})

/** Kills the server without giving it a chance to shut down. @returns its process ID */
async function killServer(folder: string): Promise<number> {
  const { cluster } = await findHome(folder)
  const pid = Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10)
  process.kill(pid, 'SIGKILL')
  return pid
}

it('starts a server that was killed again, on the same port, for a process that asks for it', async () => {
  const { folder } = await makeStoppedServer()
  const onRestart = vi.fn()
  const embedded = await joinEmbedded(folder, { onRestart })
  const client = postgres(embedded.url, { max: 1, backoff: () => 0.1 })
  onTestFinished(() => client.end({ timeout: 1 }))
  const countLeases = () => client`select 1 from pg_stat_activity where application_name = 'desk-lease'`.then(({ length }) => length)
  expect(await countLeases()).toBe(1)
  const pid = await killServer(folder)
  await expect.poll(() => onRestart.mock.calls).toContainEqual([])
  expect(await countLeases()).toBe(1)
  // Another process does not stop it.
  const command = await joinEmbedded(folder)
  expect(command).toMatchObject({ url: embedded.url, wasRunning: true })
  expect(await command.leave()).toBe(false)
  await client.end()
  expect(await embedded.leave()).toBe(true)
  expect(existsSync(`/proc/${pid}`)).toBe(false)
})

it('reports once that it cannot start a server again, and does not start it after the process has released it', async () => {
  const { folder } = await makeStoppedServer()
  const home = await findHome(folder)
  const settings = join(home.cluster, 'postgresql.auto.conf')
  const before = await readFile(settings, 'utf8')
  const onRestart = vi.fn()
  const embedded = await joinEmbedded(folder, { onRestart })
  await writeFile(settings, 'unknown = on')
  await stop(home)
  const countAttempts = async () => (await readFile(join(home.cluster, 'server.log'), 'utf8')).split('contains errors').length - 1
  await expect.poll(countAttempts).toBeGreaterThan(1)
  expect(onRestart.mock.calls).toEqual([[expect.any(EmbeddedError)]])

  let leaving: Promise<boolean> | undefined
  await withFileLock(join(folder, 'postgres.lock'), async () => {
    await writeFile(settings, before)
    // Longer than the delay between attempts, so that one is waiting for the lock.
    await pause(6_000)
    leaving = embedded.leave()
  })
  expect(await leaving).toBe(false)
  await pause(1_000)
  expect(await findEmbedded(folder)).toBeUndefined()
  expect(onRestart).toHaveBeenCalledTimes(1)
})

/** Tests that a lock is respected while its owner is running and taken over once the owner has exited. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withFileLock } from './file-lock'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkout-desk-lock-'))
  path = join(folder, 'test.lock')
})
afterEach(() => rm(folder, { recursive: true }))

/** How long most tests wait for a lock: longer than they hold one, but shorter than `WRITING_MS` in file-lock.ts. */
const WAIT_MS = 1_000

const done = async () => 'done'

/** Returns the content of a lock file written by this process. */
async function readOwnClaim(): Promise<Record<string, unknown>> {
  let text = ''
  await withFileLock(path, async () => {
    text = await readFile(path, 'utf8')
  })
  return JSON.parse(text) as Record<string, unknown>
}

/** Starts a process that holds the lock until it is killed. */
async function spawnLockHolder(): Promise<ChildProcess> {
  const code = `import(${JSON.stringify(new URL('./file-lock.ts', import.meta.url).href)}).then(({ withFileLock }) =>
    withFileLock(${JSON.stringify(path)}, () => new Promise(() => setInterval(() => {}, 1000))))`
  const child = spawn(process.execPath, ['--import', 'tsx', '--eval', code], { stdio: 'inherit' })
  await expect.poll(() => existsSync(path), { timeout: 30_000 }).toBe(true)
  return child
}

const kill = (child: ChildProcess) =>
  new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill('SIGKILL')
  })

it('removes the lock file after the callback, even if it fails', async () => {
  expect(await withFileLock(path, async () => existsSync(path))).toBe(true)
  await expect(withFileLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(existsSync(path)).toBe(false)
})

it('serializes calls within one process', async () => {
  let running = 0
  const counts: number[] = []
  const work = async () => {
    running += 1
    counts.push(running)
    await new Promise((resolve) => setTimeout(resolve, 20))
    running -= 1
  }
  await Promise.all(Array.from({ length: 4 }, () => withFileLock(path, work)))
  expect(counts).toEqual([1, 1, 1, 1])
})

it('takes over the lock of an earlier process with the same process ID, as in a restarted container', async () => {
  await writeFile(path, JSON.stringify({ ...(await readOwnClaim()), startedAt: '1', token: 'of an earlier process' }))
  expect(await withFileLock(path, done, WAIT_MS)).toBe('done')
})

it('takes over the lock of a process whose ID has been reused', async () => {
  const claim = await readOwnClaim()
  const other = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'])
  try {
    await writeFile(path, JSON.stringify({ ...claim, pid: other.pid, startedAt: '1' }))
    expect(await withFileLock(path, done, WAIT_MS)).toBe('done')
  } finally {
    await kill(other)
  }
})

it('takes over a lock from before the last boot', async () => {
  const claim = await readOwnClaim()
  await writeFile(path, JSON.stringify({ ...claim, pid: process.ppid, boot: 'an earlier boot' }))
  expect(await withFileLock(path, done, WAIT_MS)).toBe('done')
})

it('gives up while the owner keeps running, and takes over the lock after the owner is killed', { tags: 'slow' }, async () => {
  const child = await spawnLockHolder()
  try {
    await expect(withFileLock(path, done, WAIT_MS)).rejects.toThrow(`Waited 1 s for the lock file ${path}.`)
  } finally {
    await kill(child)
  }
  expect(await withFileLock(path, done, WAIT_MS)).toBe('done')
})

it('waits before taking over a lock file that does not name its owner, because the file may still be incomplete', async () => {
  await writeFile(path, '')
  await expect(withFileLock(path, done, 200)).rejects.toThrow('Waited 0.2 s')
  await utimes(path, new Date(), new Date(Date.now() - 60_000))
  expect(await withFileLock(path, done, WAIT_MS)).toBe('done')
})

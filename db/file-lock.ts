/** A lock between processes that share no database yet: a file that identifies its owner. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** An empty or cut-off file is being written, or its writer was killed. */
const WRITING_MS = 5_000

/** A process id is reused, by a restarted container even at once; an id with the process's start time and the machine's boot is not. */
type Claim = { pid: number; startedAt: string; boot: string; token: string }

/** The lock files that this process holds and their tokens. A file with our process id and another token is an earlier process's. */
const held = new Map<string, string>()

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

const BOOT = bootId()

/** Returns when a process started, in a form that is only compared; undefined if there is no such process or the platform does not say. */
function startOf(pid: number): string | undefined {
  try {
    // Field 22 of stat, counted behind the name, which may hold spaces and parentheses (proc(5)).
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    if (process.platform === 'linux' || process.platform === 'win32') return undefined
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim() || undefined
  } catch {
    return undefined
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function parseClaim(text: string): Claim | undefined {
  try {
    const { pid, startedAt = '', boot = '', token } = JSON.parse(text) as Partial<Claim>
    if (typeof pid === 'number' && typeof token === 'string') return { pid, startedAt, boot, token }
  } catch {
    // Not written yet, or not by us.
  }
  return undefined
}

const readClaim = async (path: string) => parseClaim(await readFile(path, 'utf8').catch(() => ''))

/** True if the process that wrote a claim still runs. */
function isAlive(path: string, { pid, startedAt, boot, token }: Claim): boolean {
  if (pid === process.pid) return held.get(path) === token
  if (!exists(pid) || boot !== BOOT) return false
  const start = startOf(pid)
  return start === undefined || startedAt === '' || start === startedAt
}

async function claim(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function isStale(path: string): Promise<boolean> {
  const found = await readClaim(path)
  if (found) return !isAlive(path, found)
  const file = await stat(path).catch(() => undefined)
  return file !== undefined && Date.now() - file.mtimeMs > WRITING_MS
}

/** Removes a lock whose owner has ended. Of two processes that try at once, one moves the other's new lock, and puts it back. */
async function clearStale(path: string): Promise<void> {
  const aside = `${path}.${process.pid}`
  await rename(path, aside).catch(() => {})
  const text = await readFile(aside, 'utf8').catch(() => '')
  const moved = parseClaim(text)
  if (moved && isAlive(path, moved)) await claim(path, text)
  await rm(aside, { force: true })
}

/**
 * Runs `work` while no other process, and no other call of this one, holds the same lock. The lock of a process that was killed is taken over.
 *
 * @param path a file in an existing folder; it exists only while the lock is held
 * @param waitMs how long to wait for the lock before this throws, in milliseconds
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, waitMs = 90_000): Promise<T> {
  const token = randomUUID()
  const text = JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) ?? '', boot: BOOT, token } satisfies Claim)
  const until = Date.now() + waitMs
  for (;;) {
    const before = held.get(path)
    // Noted before the file exists, so that no other call of this process takes it for a stale one.
    if (before === undefined) {
      held.set(path, token)
      let isOurs = false
      try {
        isOurs = await claim(path, text)
      } finally {
        if (!isOurs) held.delete(path)
      }
      if (isOurs) break
    }
    if (Date.now() > until) {
      throw new Error(`Waited ${Math.round(waitMs / 1000)} s for ${path}, which another process holds. Stop that process and try again.`)
    }
    if (before === undefined && (await isStale(path))) await clearStale(path)
    else await pause(50)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
    held.delete(path)
  }
}

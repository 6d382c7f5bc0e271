/** A lock file that identifies its owner, for work that cannot use a database lock: starting the database, and using files. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** How long to respect a lock file that does not name its owner: it is still being written, or its writer was killed. */
const WRITING_MS = 5_000

/** Thrown if another process or call holds the lock. The message says what to do. */
export class FileLockedError extends Error {
  override name = 'FileLockedError'
}

/**
 * The content of a lock file, which identifies a process. A process ID is not enough, because IDs are reused: immediately, in a restarted
 * container.
 */
type Claim = { pid: number; startedAt: string; boot: string; token: string }

/**
 * The tokens of the lock files that this process holds or is creating, by path. A file with this process's ID and another token belongs to
 * an earlier process.
 */
const held = new Map<string, string>()

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

const BOOT = bootId()

/** Returns when a process started, as an opaque string, or undefined if the process does not exist or the platform does not provide it. */
function readStartTime(pid: number): string | undefined {
  try {
    // The start time is field 22 of stat (proc(5)). Fields are counted from the end of the name, which can contain spaces and parentheses.
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

/** Returns whether a process with this ID exists, even if it belongs to another user. */
function processExists(pid: number): boolean {
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
    // The file is not completely written yet, or was not written by this program.
  }
  return undefined
}

const readClaim = async (path: string) => parseClaim(await readFile(path, 'utf8').catch(() => ''))

/** Returns whether the process that wrote a claim is still running. */
function isAlive(path: string, { pid, startedAt, boot, token }: Claim): boolean {
  if (pid === process.pid) return held.get(path) === token
  if (!processExists(pid) || boot !== BOOT) return false
  const start = readStartTime(pid)
  return start === undefined || startedAt === '' || start === startedAt
}

/** Returns whether an error means that nothing can be written to a file system. */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EROFS'].includes(String((error as NodeJS.ErrnoException | undefined)?.code))

/** Creates the lock file. Returns false if it already exists. */
async function claim(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(text)
    } catch (error) {
      // If the disk is full, the file exists without its content.
      await rm(path, { force: true })
      throw error
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Returns whether the lock file's owner is no longer running, or the file has not named an owner for too long. */
async function isStale(path: string): Promise<boolean> {
  const found = await readClaim(path)
  if (found) return !isAlive(path, found)
  const file = await stat(path).catch(() => undefined)
  return file !== undefined && Date.now() - file.mtimeMs > WRITING_MS
}

/**
 * Removes a stale lock. If two processes do this at the same time, one can remove the lock that the other has just created. In that case,
 * it restores the lock, unless a third process has created its own in the meantime.
 */
async function clearStale(path: string): Promise<void> {
  const movedPath = `${path}.${process.pid}`
  await rename(path, movedPath).catch(() => {})
  const text = await readFile(movedPath, 'utf8').catch(() => '')
  const moved = parseClaim(text)
  if (moved && isAlive(path, moved)) await claim(path, text)
  await rm(movedPath, { force: true })
}

/**
 * Runs `work` while holding the lock, which excludes other processes and other calls. Takes over the lock of a killed process.
 *
 * @param path the lock file, which exists while the lock is held. Its folder must exist
 * @param waitMs how long to wait for the lock, in milliseconds
 * @param isOptional whether to run `work` without the file if the disk is full or read-only. Other processes are then not excluded
 * @throws {FileLockedError} if the lock is not free by then
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, waitMs = 90_000, isOptional = false): Promise<T> {
  const token = randomUUID()
  const text = JSON.stringify({ pid: process.pid, startedAt: readStartTime(process.pid) ?? '', boot: BOOT, token } satisfies Claim)
  const deadline = Date.now() + waitMs
  let hasFile = true
  for (;;) {
    const before = held.get(path)
    // Registered before the file exists, so that no other call in this process treats it as stale.
    if (before === undefined) {
      held.set(path, token)
      let isAcquired = false
      try {
        isAcquired = await claim(path, text)
      } catch (error) {
        if (!isOptional || !isDiskFull(error)) throw error
        hasFile = false
        isAcquired = true
      } finally {
        if (!isAcquired) held.delete(path)
      }
      if (isAcquired) break
    }
    if (Date.now() > deadline) {
      throw new FileLockedError(
        `Waited ${waitMs / 1000} s for the lock file ${path}. Another process probably holds it. Stop that process and try again.`,
      )
    }
    if (before === undefined && (await isStale(path))) await clearStale(path)
    else await pause(50)
  }
  try {
    return await work()
  } finally {
    if (hasFile) await rm(path, { force: true })
    held.delete(path)
  }
}

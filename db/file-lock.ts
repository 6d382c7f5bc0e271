/** A lock between processes that are not connected to any database yet: a file that names its holder. */
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** A file without a name in it is being written, or was when its writer was killed. */
const WRITING_MS = 5_000

const alive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

async function claim(path: string, holder = process.pid): Promise<boolean> {
  try {
    await writeFile(path, String(holder), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

const holderOf = async (path: string) => Number(await readFile(path, 'utf8').catch(() => ''))

async function isStale(path: string): Promise<boolean> {
  const holder = await holderOf(path)
  if (holder) return !alive(holder)
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > WRITING_MS
}

/** Takes away a lock whose holder has died. Two who try at once are told apart by what each finds in its hand. */
async function clearStale(path: string): Promise<void> {
  const aside = `${path}.${process.pid}`
  await rename(path, aside).catch(() => {})
  const holder = await holderOf(aside)
  if (holder && alive(holder)) await claim(path, holder)
  await rm(aside, { force: true })
}

/**
 * Runs `work` while no other process runs under the same lock. A holder that was killed loses it.
 *
 * @param path a file in a folder that exists; it is there only while the lock is held
 * @param waitMs how long to wait for it, in milliseconds, before this throws
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, waitMs = 90_000): Promise<T> {
  const until = Date.now() + waitMs
  while (!(await claim(path))) {
    if (Date.now() > until) {
      throw new Error(`Waited ${Math.round(waitMs / 1000)} s for ${path}, which another process holds. Stop that process and try again.`)
    }
    if (await isStale(path)) await clearStale(path)
    else await pause(50)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

/** A lock between processes that are not connected to any database yet: a file that names its holder. */
import { link, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const alive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const holderOf = async (path: string) => Number(await readFile(path, 'utf8').catch(() => ''))

/** Takes away a lock whose holder has died. Two who try at once are told apart by what each finds in its hand. */
async function clearStale(path: string): Promise<void> {
  const aside = `${path}.${process.pid}`
  await rename(path, aside).catch(() => {})
  const holder = await holderOf(aside)
  if (holder && alive(holder)) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}

/**
 * Runs `work` while no other process runs under the same lock. A holder that was killed loses it.
 *
 * @param path a file in a folder that exists; it is there only while the lock is held
 * @param waitMs how long to wait for it, in milliseconds, before this throws
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, waitMs = 90_000): Promise<T> {
  const claim = `${path}.claim.${process.pid}`
  await writeFile(claim, String(process.pid), { mode: 0o600 })
  const until = Date.now() + waitMs
  try {
    while (
      !(await link(claim, path).then(
        () => true,
        () => false,
      ))
    ) {
      if (Date.now() > until)
        throw new Error(`Waited ${Math.round(waitMs / 1000)} s for ${path}, which another process holds. Stop that process and try again.`)
      const holder = await holderOf(path)
      if (holder && !alive(holder)) await clearStale(path)
      else await pause(50)
    }
  } finally {
    await rm(claim, { force: true })
  }
  try {
    return await work()
  } finally {
    await unlink(path).catch(() => {})
  }
}

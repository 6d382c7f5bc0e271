/** Writes the records that an import or a pull rejects to a file, created at the first rejection. Deletes the file of an earlier run. */
import { type FileHandle, open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SECRET_MEMBERS } from '@/lib/catalog'
import { env } from '@/lib/core/env'
import { toFileError } from '@/lib/core/private-file'
import type { Reject } from '@/lib/sync/import/import'
import { CommandError } from './command'

export type Rejects = {
  write(reject: Reject): Promise<void>
  /** Returns the path of the file, or undefined if nothing was rejected. Call it after `close`. */
  path(): Promise<string | undefined>
  close(): Promise<void>
}

/** Returns where to create a file: in the working directory, or in `DATA_DIR` if the working directory is read-only, as in a container. */
export const rejectsPaths = (name: string): string[] => [name, join(env().DATA_DIR, name)]

type OpenFile = { path: string; handle: FileHandle }

const EXTENSION = '.rejects.ndjson'

/** Creates a file. If it exists, perhaps because another command is writing it, creates one with the next free number instead. */
async function createFile(base: string, number = 1): Promise<OpenFile> {
  const path = `${base}${number === 1 ? '' : `.${number}`}${EXTENSION}`
  try {
    // `wx+` does not follow symlinks or open existing files, which might have other permissions.
    return { path, handle: await open(path, 'wx+', 0o600) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return createFile(base, number + 1)
    throw error
  }
}

/** Creates a file at the first path where that is possible. */
async function createFirst(bases: string[]): Promise<OpenFile> {
  const failures: string[] = []
  for (const base of bases) {
    try {
      return await createFile(base)
    } catch (error) {
      failures.push(`${base}${EXTENSION} (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  throw new CommandError(
    `A record was rejected, but no file can be created for it: ${failures.join(', ')}. Run the command in a writable directory.`,
  )
}

/**
 * Returns the file, or a copy of it if another command has deleted it. When a command starts, it deletes the file of an earlier run, even
 * if that run is still writing it: two pulls of a list in one directory use the same path.
 */
async function keepFile({ path, handle }: OpenFile, bases: string[]): Promise<OpenFile> {
  try {
    const [own, found] = [await handle.stat(), await stat(path).catch(() => undefined)]
    if (found?.ino === own.ino) return { path, handle }
    const copy = await createFirst(bases)
    await writeFile(copy.handle, handle.createReadStream({ start: 0 }))
    return copy
  } catch (error) {
    throw toFileError(error, 'write', path)
  }
}

/** Replaces client secrets with an ellipsis, because they must not be stored in this file. */
const withoutSecrets = (text: string) => text.replace(SECRET, '$1"…"')
/** Also matches other services' names for such members, and a value that is cut off at the end of the text. */
const SECRET = new RegExp(`("(?:${SECRET_MEMBERS.join('|')}|[^"\\\\]*[sS]ecret)"\\s*:\\s*)"[^"\\\\]*(?:\\\\[^][^"\\\\]*)*(?:"|\\\\?$)`, 'g')

/**
 * Deletes the file of an earlier run, and returns a writer that creates a new one on the first rejection.
 *
 * @param own the paths, without `.rejects.ndjson`, that only this input uses. Files there are from earlier runs, and are deleted
 * @param shared the paths to use if those cannot be written, or if there are none. Existing files are kept
 */
export async function startRejects({ own = [], shared = [] }: { own?: string[]; shared?: string[] }): Promise<Rejects> {
  for (const base of own) await rm(`${base}${EXTENSION}`, { force: true }).catch(() => {})
  const bases = [...own, ...shared]
  // A promise, because two workers can reject records at the same time.
  let opened: Promise<OpenFile | undefined> = Promise.resolve(undefined)
  return {
    async write(reject) {
      opened = opened.then(async (file) => {
        const kept = file ? await keepFile(file, bases) : await createFirst(bases)
        try {
          await kept.handle.write(`${JSON.stringify({ ...reject, text: withoutSecrets(reject.text) })}\n`)
        } catch (error) {
          throw toFileError(error, 'write', kept.path)
        }
        return kept
      })
      await opened
    },
    path: async () => (await opened)?.path,
    async close() {
      opened = opened.then((file) => file && keepFile(file, bases))
      await (await opened)?.handle.close()
    },
  }
}

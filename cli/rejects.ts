/** Writes the records that an import or a pull rejects to a file, created at the first rejection. Deletes the file of an earlier run. */
import { access, constants, type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SECRET_MEMBERS } from '@/lib/catalog'
import { env } from '@/lib/core/env'
import type { Reject } from '@/lib/sync/import/import'
import { CommandError } from './command'

export type Rejects = {
  write(reject: Reject): Promise<void>
  close(): Promise<void>
}

/**
 * Returns the path of a file for rejects: in the working directory, or in `DATA_DIR` if the working directory is read-only, as in a container.
 *
 * @param folder the working directory
 */
export async function rejectsPath(name: string, folder = '.'): Promise<string> {
  try {
    await access(folder, constants.W_OK)
    return join(folder, name)
  } catch {
    return join(env().DATA_DIR, name)
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    // `wx` does not follow symlinks or open existing files, which might have other permissions.
    return await open(file, 'wx', 0o600)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    throw new CommandError(`A record was rejected, but ${file} cannot be written (${reason}). Run the command in a writable directory.`)
  }
}

/** Replaces client secrets with an ellipsis, because they must not be stored in this file. */
const withoutSecrets = (text: string) => text.replace(SECRET, '$1"…"')
/** Also matches other services' names of such members, and a value at which the text is cut off. */
const SECRET = new RegExp(`("(?:${SECRET_MEMBERS.join('|')}|[^"\\\\]*[sS]ecret)"\\s*:\\s*)"[^"\\\\]*(?:\\\\[^][^"\\\\]*)*(?:"|\\\\?$)`, 'g')

/** Deletes the file of an earlier run, and returns a writer that creates a new one on the first rejection. */
export async function startRejects(file: string): Promise<Rejects> {
  await rm(file, { force: true }).catch(() => {})
  let handle: FileHandle | undefined
  return {
    async write(reject) {
      handle ??= await openFile(file)
      await handle.write(`${JSON.stringify({ ...reject, text: withoutSecrets(reject.text) })}\n`)
    },
    close: async () => handle?.close(),
  }
}

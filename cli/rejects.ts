/** Writes rejected records of an import or pull to a file, which the first rejection creates. Each run deletes an earlier file first. */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { SECRET_MEMBERS } from '@/lib/catalog'
import type { Reject } from '@/lib/sync/import/import'
import { CommandError } from './command'

export type Rejects = {
  write(reject: Reject): Promise<void>
  close(): Promise<void>
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

/** Replaces client secrets with an ellipsis, because they must not be written to files. */
const withoutSecrets = (text: string) => text.replace(SECRET, '$1"…"')
const SECRET = new RegExp(`("(?:${SECRET_MEMBERS.join('|')})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'g')

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

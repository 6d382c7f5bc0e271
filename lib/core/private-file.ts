/** Writes files that only their owner can read, such as backups and exports. */
import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isUnavailable } from '@/db/unavailable'

/** A file cannot be read or written. The message names it and says what to do. */
export class FileError extends Error {
  override name = 'FileError'
}

/** Returns a FileError for an error of the file system, and every other error as it is. */
export function toFileError(error: unknown, verb: 'read' | 'write', path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined || isUnavailable(error)) return error
  return new FileError(`Cannot ${verb} ${path} (${code}). Check the path, its permissions and the free space.`)
}

/**
 * Writes a file with mode 0600, which appears under its name once it is complete and on disk. A file or link that has the name is replaced.
 *
 * @param transforms what the content passes through, such as compression
 * @throws {FileError} if it cannot be written; no draft is left
 */
export async function writePrivateFile(path: string, content: AsyncIterable<Buffer | string>, ...transforms: Transform[]): Promise<void> {
  // `wx` fails if the name exists, even as a link, so nobody else's file gets the content or decides its mode.
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await pipeline([Readable.from(content), ...transforms, file.createWriteStream({ flush: true })])
      await rename(draft, path)
    } finally {
      await rm(draft, { force: true })
    }
  } catch (error) {
    throw toFileError(error, 'write', path)
  }
}

/**
 * Writes the rejected records of an import or a pull to a file, which is created at the first rejection. Deletes the file of an earlier
 * run, or appends to it.
 */
import { createHash } from 'node:crypto'
import { constants as flags } from 'node:fs'
import { type FileHandle, open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SECRET_MEMBERS } from '@/lib/catalog'
import { env } from '@/lib/core/env'
import { toFileError } from '@/lib/core/private-file'
import type { Reject } from '@/lib/sync/import/import'
import { CommandError } from './command'

export type RejectWriter = {
  /**
   * Appends a record to the file, unless an earlier run has already done so.
   *
   * @throws {CommandError | FileError} if the file cannot be created, read or written
   */
  write(reject: Reject): Promise<void>
  /** Returns the path of the file, or undefined if nothing was rejected. Call this after `close`. */
  path(): Promise<string | undefined>
  close(): Promise<void>
}

/**
 * Returns the paths to try for a new file, without the extension: in the working directory, and in `DATA_DIR`, because the
 * working directory is read-only in a container.
 */
export const rejectsPaths = (name: string): string[] => [name, join(env().DATA_DIR, name)]

type OpenFile = { path: string; handle: FileHandle }

const EXTENSION = '.rejects.ndjson'

/** Opens a file of an earlier run to append to it. Returns undefined for a link, and for a file that others own or can read. */
async function openExisting(path: string): Promise<OpenFile | undefined> {
  const handle = await open(path, flags.O_RDWR | flags.O_APPEND | (flags.O_NOFOLLOW ?? 0)).catch(() => undefined)
  if (!handle) return undefined
  const found = await handle.stat()
  const isPrivate = process.platform === 'win32' || (found.uid === process.geteuid?.() && (found.mode & 0o077) === 0)
  if (found.isFile() && isPrivate) return { path, handle }
  await handle.close()
  return undefined
}

/**
 * Creates a file. If the path is taken, perhaps by a file that another command is writing, adds the next free number to it, or appends to
 * the file if `append` is set.
 */
async function createFile(base: string, append: boolean, number = 1): Promise<OpenFile> {
  const path = `${base}${number === 1 ? '' : `.${number}`}${EXTENSION}`
  try {
    // `ax+` does not follow symlinks or open existing files, which might have other permissions. Another command can append to the file.
    return { path, handle: await open(path, 'ax+', 0o600) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return (append && (await openExisting(path))) || createFile(base, append, number + 1)
  }
}

/** Creates a file at the first path that can be written. @throws {CommandError} if none can be written */
async function createFirst(bases: string[], append = false): Promise<OpenFile> {
  const failures: string[] = []
  for (const base of bases) {
    try {
      return await createFile(base, append)
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
 * if that run is still writing it: two imports of one file use the same path.
 */
async function ensureFile({ path, handle }: OpenFile, bases: string[]): Promise<OpenFile> {
  try {
    const [opened, found] = [await handle.stat(), await stat(path).catch(() => undefined)]
    if (found?.ino === opened.ino) return { path, handle }
    const copy = await createFirst(bases)
    await writeFile(copy.handle, handle.createReadStream({ start: 0 }))
    return copy
  } catch (error) {
    throw toFileError(error, 'write', path)
  }
}

/**
 * Replaces client secrets with an ellipsis, because they must not be stored in this file. Returns an empty text if it may contain a secret
 * in another notation, such as a line with single quotes.
 */
const withoutSecrets = (text: string) => (OTHER_SECRET.test(text.replace(SECRET, '')) ? '' : text.replace(SECRET, '$1"…"'))
/** Matches the names and values of client secrets in other notations than JSON. A value of null contains no secret. */
const OTHER_SECRET = /secret\w*\\*["'`]?\s*[:=](?!\s*null\b)|_secret_/i
/** Matches client secrets, including those with other services' names, and those whose value is cut off at the end of the text. */
const SECRET = new RegExp(`("(?:${SECRET_MEMBERS.join('|')}|[^"\\\\]*[sS]ecret)"\\s*:\\s*)"[^"\\\\]*(?:\\\\[^][^"\\\\]*)*(?:"|\\\\?$)`, 'g')

/** Returns a digest of a line in the file, without the record's line number, which differs between runs. */
const digest = (line: string): string =>
  createHash('sha256')
    .update(line.replace(/^\{"line":\d+,/, ''))
    .digest('base64')

/** Returns the digests of a file's lines. @throws {FileError} if the file cannot be read */
async function readDigests({ handle, path }: OpenFile): Promise<Set<string>> {
  const digests = new Set<string>()
  let rest = ''
  try {
    // Not with `readline`: since Node.js 24, its lines also end at U+2028.
    for await (const chunk of handle.createReadStream({ start: 0, autoClose: false, encoding: 'utf8' })) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) digests.add(digest(line))
    }
  } catch (error) {
    throw toFileError(error, 'read', path)
  }
  return digests
}

/**
 * Deletes the file of an earlier run, and returns a writer that creates a new one on the first rejection.
 *
 * @param ownPaths the paths, without `.rejects.ndjson`, that only this input uses. Files there are from earlier runs, and are deleted
 * @param sharedPaths the paths to use if no file can be created at one of `ownPaths`. Existing files there are kept
 * @param append whether to keep the file of an earlier run and append to it, because its records are not read again
 */
export async function createRejectWriter({
  ownPaths = [],
  sharedPaths = [],
  append = false,
}: {
  ownPaths?: string[]
  sharedPaths?: string[]
  append?: boolean
}): Promise<RejectWriter> {
  if (!append) for (const base of ownPaths) await rm(`${base}${EXTENSION}`, { force: true }).catch(() => {})
  const bases = [...ownPaths, ...sharedPaths]
  // A promise, because two workers can reject records at the same time.
  let opened: Promise<OpenFile | undefined> = Promise.resolve(undefined)
  let earlier = new Set<string>()
  return {
    async write(reject) {
      opened = opened.then(async (file) => {
        const current = file ? await ensureFile(file, bases) : await createFirst(bases, append)
        if (!file) earlier = await readDigests(current)
        const line = JSON.stringify({ ...reject, text: withoutSecrets(reject.text) })
        if (earlier.has(digest(line))) return current
        try {
          await current.handle.write(`${line}\n`)
        } catch (error) {
          throw toFileError(error, 'write', current.path)
        }
        return current
      })
      await opened
    },
    path: async () => (await opened)?.path,
    async close() {
      opened = opened.then((file) => file && ensureFile(file, bases))
      await (await opened)?.handle.close()
    },
  }
}

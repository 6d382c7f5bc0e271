/** Writes backups and exports to files that only their owner can read, or to pipes and devices. Reports errors with the file's path. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { constants as flags, rmSync } from 'node:fs'
import { lstat, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { constants } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable, type Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isUnavailable } from '@/db/unavailable'

/** Thrown if a file cannot be read or written. The message contains its path and says what to do. */
export class FileError extends Error {
  override name = 'FileError'
}

type Verb = 'read' | 'write'

const createFileError = (cause: unknown, verb: Verb, path: string) =>
  new FileError(
    `Cannot ${verb} ${path} (${(cause as NodeJS.ErrnoException).code}). Check ${verb === 'read' ? 'the path and its permissions' : 'the path, its permissions and the free space'}.`,
    { cause },
  )

/** Converts a file system error to a FileError. Returns other errors unchanged. */
export function toFileError(error: unknown, verb: Verb, path: string): unknown {
  const { syscall } = error as NodeJS.ErrnoException
  return syscall === undefined || isUnavailable(error) ? error : createFileError(error, verb, path)
}

/** Converts an error from writing to a pipe, device or stream. There, EPIPE means that the reader exited, not that the database is down. */
export const toPipeError = (error: unknown, path: string): unknown =>
  (error as NodeJS.ErrnoException).code === 'EPIPE' ? createFileError(error, 'write', path) : toFileError(error, 'write', path)

/**
 * Calls `onSignal` when SIGINT, SIGTERM or SIGHUP arrives, and then ends the process, or leaves that to other listeners for the signal, if
 * any.
 *
 * @returns a function that removes the listeners
 */
function onTermination(onSignal: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const listener = (signal: NodeJS.Signals) => {
    onSignal()
    // For example, `desk` first stops the embedded database.
    if (process.listenerCount(signal) > 0) return
    process.kill(process.pid, signal)
    // The first process of a container ignores signals that have no listener.
    process.exit(128 + constants.signals[signal])
  }
  // After `once`, the signal that the listener sends has its default effect again.
  for (const signal of signals) process.once(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
  }
}

export type Content = AsyncIterable<Buffer | string>

/**
 * Writes content to a stream, and ends the stream, unless it is standard output. Settles after the content has released its resources, such
 * as a connection that is running a COPY.
 */
export async function writeContent(content: Content, transforms: Transform[], target: Writable): Promise<void> {
  const source = Readable.from(content)
  try {
    await pipeline([source, ...transforms, target], { end: target !== process.stdout })
  } finally {
    if (!source.closed) await once(source, 'close')
  }
}

/**
 * Returns whether an existing path is a pipe or a device, is in /dev or /proc, or is a symbolic link to such a path. A regular file in
 * /dev or /proc is the target of a redirected stream, except in `/dev/shm`. Elsewhere, a link or pipe that belongs to another user does not
 * count, unless that user is root.
 */
export async function isSpecialFile(path: string): Promise<boolean> {
  const resolved = join(await realpath(dirname(path)), basename(path))
  if (/^\/(?:dev|proc)\/(?!shm\/)/.test(resolved)) return true
  const found = await lstat(resolved)
  // Another user may have created the link or the pipe to read what is written to it.
  if (found.uid !== 0 && found.uid !== process.geteuid?.()) return false
  if (found.isSymbolicLink()) return isSpecialFile(resolve(dirname(resolved), await readlink(resolved)))
  return !found.isFile() && !found.isDirectory()
}

/** Appends to an existing pipe, device or redirected stream. A shell that redirects a stream with `>` has already emptied the file. */
async function appendTo(path: string, content: Content, transforms: Transform[]): Promise<void> {
  try {
    const file = await open(path, flags.O_WRONLY | flags.O_APPEND)
    await writeContent(content, transforms, file.createWriteStream())
  } catch (error) {
    throw toPipeError(error, path)
  }
}

/**
 * Writes a file with mode 0600. It appears under its name only when it is complete and on disk, and replaces any existing file or link. If
 * the path leads to a pipe, a device or a redirected stream, such as /dev/stdout, writes to that instead.
 *
 * @param transforms streams that transform the content, such as compression
 * @throws {FileError} if the file cannot be written; no temporary file remains
 */
export async function writePrivateFile(path: string, content: Content, ...transforms: Transform[]): Promise<void> {
  const existing = await stat(path).catch(() => undefined)
  if (existing?.isBlockDevice()) throw new FileError(`Cannot write ${path}: it is a disk. Use another path.`)
  if (existing && (await isSpecialFile(path))) return appendTo(path, content, transforms)
  // The rename below would replace it. For a directory, the rename fails.
  if (existing && !existing.isFile() && !existing.isDirectory())
    throw new FileError(`Cannot write ${path}: it is not a regular file, and it or a link to it belongs to another user. Use another path.`)
  // `wx` fails if the name exists, even as a link, so that the content is never written to someone else's file or stored with that file's
  // mode.
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`
  const removeListeners = onTermination(() => rmSync(draft, { force: true }))
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await writeContent(content, transforms, file.createWriteStream({ flush: true }))
      await rename(draft, path)
    } finally {
      await rm(draft, { force: true })
    }
  } catch (error) {
    throw toFileError(error, 'write', path)
  } finally {
    removeListeners()
  }
}

/** Recognizes paths that must be written to instead of being replaced, such as /dev/stdout. */
import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

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

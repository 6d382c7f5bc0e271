/** Recognizes paths that must be written to instead of being replaced, such as /dev/stdout. */
import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/**
 * Returns whether an existing path is a pipe or a device, or in /dev or /proc, or a symbolic link to such a path. In /dev and /proc, even an
 * ordinary file is one that a stream was redirected to. `/dev/shm` contains only ordinary files.
 */
export async function isSpecialFile(path: string): Promise<boolean> {
  const place = join(await realpath(dirname(path)), basename(path))
  if (/^\/(?:dev|proc)\/(?!shm\/)/.test(place)) return true
  const found = await lstat(place)
  // Another user may have created the link or the pipe to read what is written to it.
  if (found.uid !== 0 && found.uid !== process.geteuid?.()) return false
  if (found.isSymbolicLink()) return isSpecialFile(resolve(dirname(place), await readlink(place)))
  return !found.isFile() && !found.isDirectory()
}

/** Recognizes paths that lead to standard output, such as /dev/stdout. */
import { fstatSync } from 'node:fs'
import { stat } from 'node:fs/promises'

/** Returns whether a path leads to the same file, pipe or terminal as standard output. */
export async function isStandardOutput(path: string): Promise<boolean> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  const own = fstatSync(process.stdout.fd, { bigint: true })
  return found !== undefined && found.ino === own.ino && found.dev === own.dev
}

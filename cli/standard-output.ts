/** Writes to standard output, and recognizes paths that lead to it, such as /dev/stdout. */
import { fstatSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { toPipeError } from '@/lib/core/private-file'

/** Returns whether a path leads to the same file, pipe or terminal as standard output. */
export async function isStandardOutput(path: string): Promise<boolean> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  const output = fstatSync(process.stdout.fd, { bigint: true })
  return found !== undefined && found.ino === output.ino && found.dev === output.dev
}

/** Writes text to standard output. @throws {FileError} if it cannot be written */
export async function writeStandardOutput(text: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      // Without a listener, an error would also end the process.
      process.stdout.once('error', reject)
      process.stdout.write(text, (error) => {
        if (error) return reject(error)
        process.stdout.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    throw toPipeError(error, 'standard output')
  }
}

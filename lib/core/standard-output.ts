/** Writes to standard output, and recognizes paths that lead to it: `-`, and others such as /dev/stdout. */
import { createWriteStream, fstatSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Transform } from 'node:stream'
import { type Content, toPipeError, writeContent, writePrivateFile } from './private-file'

/** Returns whether a path is `-`, or leads to the same file, pipe or terminal as standard output. */
export async function isStandardOutput(path: string): Promise<boolean> {
  if (path === '-') return true
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

/**
 * Writes a file like `writePrivateFile`, or standard output if the path leads to it. Resolves after everything is flushed, because the
 * process exits immediately afterward.
 *
 * @throws {FileError} if it cannot be written
 */
export async function writeOutput(path: string, content: Content, ...transforms: Transform[]): Promise<void> {
  // Standard output is not opened by its path, because it can be a socket, which cannot be opened.
  if (!(await isStandardOutput(path))) return writePrivateFile(path, content, ...transforms)
  try {
    const { fd } = process.stdout
    // If standard output is a file, Node.js would not notice that the disk is too full for the last bytes.
    const isFile = fstatSync(fd).isFile()
    await writeContent(content, transforms, isFile ? createWriteStream('', { fd, autoClose: false }) : process.stdout)
  } catch (error) {
    throw toPipeError(error, 'standard output')
  }
  await writeStandardOutput('')
}

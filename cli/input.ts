/** Reads the input of an import: a file, or standard input if the file is `-`. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { toFileError } from '@/lib/core/private-file'
import { CommandError } from './command'

/**
 * Returns the size of the input in bytes, or 0 for standard input.
 *
 * @throws {CommandError | FileError} if the file does not exist, is a directory, or cannot be accessed
 */
export async function getInputSize(file: string): Promise<number> {
  if (file === '-') return 0
  const found = await stat(file).catch((error) => {
    if (error.code === 'ENOENT') throw new CommandError(`No such file: ${file}. Check the path.`)
    throw toFileError(error, 'read', file)
  })
  if (found.isDirectory()) throw new CommandError(`${file} is a directory. Use a file, or - for standard input.`)
  return found.size
}

/**
 * Yields the input in chunks, and calls `onBytes` with the length of each.
 *
 * @throws {FileError} if the input cannot be read
 */
export async function* readInput(file: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  const input: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 256 * 1024 })
  try {
    for await (const chunk of input) {
      onBytes(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw toFileError(error, 'read', file === '-' ? 'standard input' : file)
  }
}

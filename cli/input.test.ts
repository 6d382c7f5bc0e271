/** Tests the errors for an import's file that cannot be read. */
import { expect, it } from 'vitest'
import { getInputSize, readInput } from './input'

it.each([
  ['does not exist', 'missing.ndjson', /^No such file: missing\.ndjson\./],
  ['is a directory', 'cli', /^cli is a directory\./],
  ['is in a directory that cannot be read', 'package.json/x', /^Cannot read package\.json\/x \(ENOTDIR\)\. Check the path/],
])('reports that the file %s', async (_, file, message) => {
  await expect(getInputSize(file)).rejects.toThrow(message)
})

it('reports that reading fails', async () => {
  await expect(readInput('cli', () => {}).next()).rejects.toThrow(/^Cannot read cli \(EISDIR\)\. Check the path/)
})

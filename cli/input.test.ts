/** Tests the errors for files that an import cannot read. */
import { expect, it } from 'vitest'
import { getInputSize, readInput } from './input'

it.each([
  ['does not exist', 'missing.ndjson', /^No such file: missing\.ndjson\./],
  ['is a directory', 'cli', /^cli is a directory\./],
  ['has a path that leads through a file', 'package.json/x', /^Cannot read package\.json\/x \(ENOTDIR\)\. Check the path/],
])('reports that the file %s', async (_, file, message) => {
  await expect(getInputSize(file)).rejects.toThrow(message)
})

it('reports that the file cannot be read', async () => {
  await expect(readInput('cli', () => {}).next()).rejects.toThrow(/^Cannot read cli \(EISDIR\)\. Check the path/)
})

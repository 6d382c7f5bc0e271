/** The generated secret stays the same across restarts, and a stored secret that is too short is rejected. */
import { link, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { EnvError } from './env'
import { FileError } from './private-file'
import { readSecret } from './session-secret'

vi.mock(import('node:fs/promises'), async (original) => {
  const actual = await original()
  return { ...actual, link: vi.fn(actual.link), writeFile: vi.fn(actual.writeFile) }
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-secret-'))
})
afterAll(() => rm(folder, { recursive: true }))

const readFrom = (name: string) => readSecret({ DATA_DIR: join(folder, name), NEXTAUTH_SECRET: undefined })

it('generates the secret once, in a file that only its owner can read', async () => {
  const secret = await readFrom('new')
  expect(secret.length).toBeGreaterThanOrEqual(32)
  expect(await readFrom('new')).toBe(secret)
  const file = join(folder, 'new', 'nextauth-secret')
  expect(await readFile(file, 'utf8')).toBe(secret)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

it('generates one secret if servers start at the same time on a slow disk', async () => {
  vi.mocked(writeFile).mockImplementation(async (path, content) => {
    const file = await open(String(path), 'wx')
    await setTimeout(50)
    await file.writeFile(String(content))
    await file.close()
  })
  onTestFinished(() => void vi.mocked(writeFile).mockReset())
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => readFrom('concurrent')))
  expect(others).toEqual(Array(7).fill(first))
  expect(await readdir(join(folder, 'concurrent'))).toEqual(['nextauth-secret'])
})

it('generates the secret once on a file system without hard links', async () => {
  vi.mocked(link).mockRejectedValueOnce(Object.assign(new Error('not supported'), { code: 'ENOTSUP' }))
  const secret = await readFrom('no-links')
  expect(await readFile(join(folder, 'no-links', 'nextauth-secret'), 'utf8')).toBe(secret)
})

it.each(['', 'short-s3cret'])('rejects the stored secret %j, which could be guessed', async (damaged) => {
  const file = join(folder, 'nextauth-secret')
  await writeFile(file, damaged)
  const error = await readFrom('').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(EnvError)
  expect(String(error)).toMatch(/\/nextauth-secret must be at least 32 characters\. Restore the file\./)
  expect(String(error)).not.toContain('s3cret')
  expect(await readFile(file, 'utf8')).toBe(damaged)
})

it('throws an error with the path if the file cannot be created or read', async () => {
  await writeFile(join(folder, 'file'), '')
  const error = await readFrom('file').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(FileError)
  expect(String(error)).toContain(`Cannot read ${join(folder, 'file', 'nextauth-secret')} (ENOTDIR). Check the path and its permissions.`)
})

/** The embedded PostgreSQL does not keep running if the process that has started it cannot use it, and is not replaced if it is missing. */
// @module-tag slow
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeDataFolder, makeTemporaryFolder } from '@/testing/postgres'
import { findEmbedded, joinEmbedded } from './embedded'
import { EmbeddedError, findHome } from './embedded-home'

it('stops the server that it has started if it cannot store how to connect to it', async () => {
  const folder = await makeDataFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  // Takes the name of the file that is written before it replaces postgres.json.
  const draft = join(folder, 'postgres.json.draft')
  await mkdir(draft)
  await expect(joinEmbedded(folder)).rejects.toThrow(EmbeddedError)
  expect(await findEmbedded(folder)).toBeUndefined()
  expect(existsSync(join((await findHome(folder)).cluster, 'server.log'))).toBe(true)

  await rm(draft, { recursive: true })
  const embedded = await joinEmbedded(folder)
  expect(embedded.wasRunning).toBe(false)
  expect(await embedded.leave()).toBe(true)
})

/** Creates the folder of a stopped server. */
async function makeStopped(): Promise<{ folder: string; accessFile: string }> {
  const folder = await makeDataFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const embedded = await joinEmbedded(folder)
  expect(await embedded.leave()).toBe(true)
  return { folder, accessFile: join(folder, 'postgres.json') }
}

it('does not replace a database whose files are missing, and keeps its password', async () => {
  const { folder, accessFile } = await makeStopped()
  const { cluster } = await findHome(folder)
  await rm(cluster, { recursive: true })
  const before = await readFile(accessFile, 'utf8')
  for (const attempt of [joinEmbedded, findEmbedded]) {
    const error = await attempt(folder).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(EmbeddedError)
    expect(String(error)).toContain(`There is no database in ${cluster}, although ${accessFile} contains its password.`)
  }
  expect(await readFile(accessFile, 'utf8')).toBe(before)
  expect(existsSync(cluster)).toBe(false)
})

// PostgreSQL then runs as the user `postgres`, who cannot access the folder, so that its files would be in another one.
it.runIf(process.getuid?.() === 0)('does not replace the database of another user if the command runs as root', async () => {
  const { folder, accessFile } = await makeStopped()
  const before = await readFile(accessFile, 'utf8')
  await chmod(folder, 0o700)
  await expect(joinEmbedded(folder)).rejects.toThrow(/^There is no database in \/var\/lib\/checkout-desk\/\w{12}, although /)
  expect(await readFile(accessFile, 'utf8')).toBe(before)
  await chmod(folder, 0o755)
  const embedded = await joinEmbedded(folder)
  expect(await embedded.leave()).toBe(true)
})

it('creates the database if an earlier start failed before it was created', async () => {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'postgres.json'), JSON.stringify({ port: 0, password: 'secret' }))
  const embedded = await joinEmbedded(folder)
  expect(embedded.url).toMatch(/^postgres:\/\/desk:secret@127\.0\.0\.1:[1-9]/)
  expect(await embedded.leave()).toBe(true)
})

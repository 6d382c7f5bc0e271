/** The embedded PostgreSQL does not keep running if the process that has started it cannot use it. */
// @module-tag slow
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeDataFolder } from '@/testing/postgres'
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

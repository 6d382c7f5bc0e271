/** Connecting fails, instead of using the embedded database, if only the migrations have a connection string. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { connect } from './connect'
import { EnvError, env, readEnv } from './env'

vi.mock(import('./env'), { spy: true })

it('throws an EnvError, and does not create an embedded database, if only MIGRATE_DATABASE_URL is set', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-connect-'))
  vi.mocked(env).mockReturnValueOnce(readEnv({ MIGRATE_DATABASE_URL: 'postgres://owner@127.0.0.1:1/desk', DATA_DIR: folder }))
  const error = await connect().then(
    ({ close }) => close(),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EnvError)
  expect(String(error)).toMatch(/DATABASE_URL is not set, although MIGRATE_DATABASE_URL is\. Set it/)
  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

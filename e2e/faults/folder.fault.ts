/** Tests copying the embedded database's directory while the server is stopped, as described in docs/operations.md. */
import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import { makeTemporaryFolder } from '@/testing/postgres'
import { fillShop } from '../support/backup'
import { serve, stop } from '../support/processes'

test('on a copied data directory, the server returns the same lists, replays an earlier response and admits unused tickets', async () => {
  const folder = await makeTemporaryFolder()
  const copy = join(await makeTemporaryFolder(), 'copy')
  const env = { DATABASE_URL: '', DATA_DIR: folder }
  const shop = await fillShop(env)
  const first = await serve(env)
  const admitted = await shop.scan(first.url, shop.codes[0], 'one')
  const before = await shop.lists(first.url)
  expect(JSON.parse(before[2] ?? '').data.length).toBe(100)
  await stop(first)
  execFileSync('cp', ['-a', folder, copy])
  await rm(folder, { recursive: true })
  const second = await serve({ ...env, DATA_DIR: copy })
  expect(await shop.lists(second.url)).toEqual(before)
  expect(await shop.scan(second.url, shop.codes[0], 'one'), 'a replay still returns the first response').toBe(admitted)
  expect(JSON.parse(await shop.scan(second.url, shop.codes[1], 'two'))).toMatchObject({ success: true })
  await stop(second)
  await rm(join(copy, '..'), { recursive: true })
})

/** Tests pg_dump while the server is running and pg_restore into an empty database, as described in docs/operations.md. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import postgres from 'postgres'
import { makeTemporaryFolder } from '@/testing/postgres'
import { expectDeskSuccess, fillShop } from '../support/backup'
import { serve, stop } from '../support/processes'
import { startSystemPostgres } from './system-postgres'

test('after restoring a dump, the server returns the same lists, replays an earlier response and admits unused tickets', async () => {
  const folder = await makeTemporaryFolder()
  const server = await startSystemPostgres(folder)
  try {
    const admin = postgres(server.toUrl('postgres'), { max: 1 })
    await admin`create database desk`
    await admin`create database restored`
    await admin.end()
    const env = (database: string) => ({ DATABASE_URL: server.toUrl(database), DATA_DIR: folder })
    await expectDeskSuccess(['migrate'], env('desk'))
    const shop = await fillShop(env('desk'))
    const first = await serve(env('desk'))
    const admitted = await shop.scan(first.url, shop.codes[0], 'one')
    const before = await shop.lists(first.url)
    expect(JSON.parse(before[2] ?? '').data.length).toBe(100)
    const file = join(folder, 'desk.dump')
    server.run('pg_dump', '--format=custom', `--file=${file}`, server.toUrl('desk'))
    await stop(first)
    server.run('pg_restore', '--exit-on-error', `--dbname=${server.toUrl('restored')}`, file)
    const second = await serve(env('restored'))
    expect(await shop.lists(second.url)).toEqual(before)
    expect(await shop.scan(second.url, shop.codes[0], 'one'), 'a replay still returns the first response').toBe(admitted)
    expect(JSON.parse(await shop.scan(second.url, shop.codes[1], 'two'))).toMatchObject({ success: true })
    expect(await expectDeskSuccess(['recount', '--check'], env('restored')), 'the stored sums are correct').toMatchObject({
      differences: [],
    })
    await stop(second)
  } finally {
    server.stop()
    await rm(folder, { recursive: true })
  }
})

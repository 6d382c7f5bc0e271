/** Tests `desk backup` with a running server, and `desk restore`, which requires an empty database. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { writeBackup } from '@/lib/backup/backup'
import { createDatabase, makeTemporaryFolder } from '@/testing/postgres'
import { expect, test } from './support/api'
import { expectDeskSuccess, fillShop } from './support/backup'
import { desk, serveApi, stop } from './support/processes'

test('a server on a restored database returns the same lists, replays earlier responses and admits unused tickets', async () => {
  const source = await createDatabase(String(process.env.TEST_OWNER_URL))
  const from = { DATABASE_URL: source.url, DATA_DIR: await makeTemporaryFolder() }
  // Use an embedded database, which `desk restore` starts.
  const to = { DATABASE_URL: '', DATA_DIR: await makeTemporaryFolder() }
  const shop = await fillShop(from)
  const [usedCode, unusedCode] = shop.codes

  const first = await serveApi(from)
  const admitted = await shop.scan(first.url, usedCode, 'one')
  const before = await shop.lists(first.url)
  expect(JSON.parse(before[2] ?? '').data.length, 'customers').toBe(100)
  const file = join(from.DATA_DIR, 'desk.backup')
  const { rows } = await expectDeskSuccess(['backup', file], from)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await stop(first)

  expect(await expectDeskSuccess(['restore', file], to)).toMatchObject({ rows })
  const second = await serveApi(to)
  expect(await shop.lists(second.url)).toEqual(before)
  expect(await shop.scan(second.url, usedCode, 'one'), 'a retry gets the first response').toBe(admitted)
  expect(JSON.parse(await shop.scan(second.url, unusedCode, 'two')).ticket.id).toBeDefined()
  await stop(second)

  const again = desk(['restore', file], to)
  expect(await again.ended).toBe(1)
  expect(again.output()).toContain('The database is not empty')
  await source.drop()
  for (const { DATA_DIR } of [from, to]) await rm(DATA_DIR, { recursive: true, force: true })
})

test('truncated backups and files that are not backups are rejected, and nothing is restored', async () => {
  const folder = await makeTemporaryFolder()
  const [from, into] = await Promise.all([1, 2].map(() => createDatabase(String(process.env.TEST_OWNER_URL))))
  if (!from || !into) throw new Error('This test needs two databases.')
  const [source, target] = [postgres(from.url, { max: 1 }), postgres(into.url, { max: 1 })]
  await source`insert into sellers (id, name, time_zone) values (${'a'.repeat(24)}, 'x', 'UTC')`
  const file = join(folder, 'desk.backup')
  await writeBackup(from.url, file)
  const complete = await readFile(file)
  for (const bytes of [complete.subarray(0, complete.length >> 1), Buffer.from('no backup'), Buffer.alloc(0)]) {
    await writeFile(file, bytes)
    const restore = desk(['restore', file], { DATABASE_URL: into.url, DATA_DIR: folder })
    expect(await restore.ended, restore.output()).toBe(1)
    expect(restore.output()).toMatch(/not a Checkout Desk backup|The backup is incomplete/)
  }
  expect([...(await target`select * from sellers`)]).toEqual([])
  for (const client of [source, target]) await client.end()
  for (const { drop } of [from, into]) await drop()
  await rm(folder, { recursive: true, force: true })
})

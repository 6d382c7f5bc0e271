/** `desk backup` while the server runs, and `desk restore` into an empty database. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder } from '@/testing/postgres'
import { expect, test } from './support/api'
import { fillShop, succeed } from './support/backup'
import { desk, serve, stop } from './support/processes'

// Each command starts and stops its own PostgreSQL.

test('a restored database lists, admits and replays as before', async () => {
  const from = { DATABASE_URL: '', DATA_DIR: await makeTemporaryFolder() }
  const to = { DATABASE_URL: '', DATA_DIR: await makeTemporaryFolder() }
  const shop = await fillShop(from)
  const [ticket, other] = shop.codes

  const first = await serve(from)
  const admitted = await shop.scan(first.url, ticket, 'one')
  const before = await shop.lists(first.url)
  expect(JSON.parse(before[2] ?? '').data.length).toBe(100)
  const file = join(from.DATA_DIR, 'desk.backup')
  const { rows } = await succeed(['backup', file], from)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await stop(first)

  expect(await succeed(['restore', file], to)).toMatchObject({ rows })
  const second = await serve(to)
  expect(await shop.lists(second.url)).toEqual(before)
  expect(await shop.scan(second.url, ticket, 'one'), 'a replay is still the first answer').toBe(admitted)
  expect(JSON.parse(await shop.scan(second.url, other, 'two')).ticket.id).toBeDefined()
  await stop(second)

  const again = desk(['restore', file], to)
  expect(await again.ended).toBe(1)
  expect(again.output()).toContain('The database is not empty')
  for (const { DATA_DIR } of [from, to]) await rm(DATA_DIR, { recursive: true, force: true })
})

test('a truncated or foreign file is rejected, and nothing is written', async () => {
  const folder = await makeTemporaryFolder()
  const env = { DATABASE_URL: '', DATA_DIR: folder }
  await succeed(['seller', 'create', '--name', 'x', '--email', 'y@example.com', '--password', 'correct horse'], env)
  const file = join(folder, 'desk.backup')
  await succeed(['backup', file], env)
  const whole = await readFile(file)
  const target = await makeTemporaryFolder()
  const into = { DATABASE_URL: '', DATA_DIR: target }
  for (const bytes of [whole.subarray(0, whole.length >> 1), Buffer.from('no backup'), Buffer.alloc(0)]) {
    await writeFile(file, bytes)
    const refused = desk(['restore', file], into)
    expect(await refused.ended, refused.output()).toBe(1)
    expect(refused.output()).toMatch(/not a Checkout Desk backup|The backup is incomplete/)
  }
  expect(await succeed(['seller', 'list'], into)).toEqual({ data: [] })
  await rm(folder, { recursive: true, force: true })
  await rm(target, { recursive: true, force: true })
})

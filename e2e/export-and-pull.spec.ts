/** Tests `desk export`, `desk import` and `desk pull`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { open, readdir, readlink, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder } from '@/testing/postgres'
import { deskArgs } from '@/testing/programs'
import { type Line, minimal, readFixture } from '@/testing/seller'
import { type Api, expect, test } from './support/api'
import { desk, runDeskInProcess as run } from './support/processes'

const RESOURCES = ['pages', 'coupons', 'customers', 'payments', 'bookings', 'subscriptions', 'tickets'] as const

let folder: string
test.beforeEach(async () => {
  folder = await makeTemporaryFolder()
})
test.afterEach(() => rm(folder, { recursive: true }))

// lib/sync/export/export.test.ts tests the other resources, without the command.
test('tickets that are exported, imported for another seller and exported again are byte-for-byte identical', async ({ api, another }) => {
  const other = await another('Asia/Tokyo')
  const resource = 'tickets'
  await api.load(resource, readFixture(resource))
  await api.validate(String(readFixture('tickets')[0]?.qrCode), { metadata: [{ key: 'gate', value: '2' }] })
  const file = join(folder, `${resource}.ndjson`)
  const exported = await run(['export', resource, file, '--seller', api.seller])
  expect([exported.code, JSON.parse(exported.stdout)]).toEqual([0, { resource, written: readFixture(resource).length }])
  expect(statSync(file).mode & 0o077).toBe(0)
  expect((await run(['import', resource, file, '--seller', other.seller])).code).toBe(0)
  const again = await run(['export', resource, '-', '--seller', other.seller])
  expect(again.code).toBe(0)
  expect(again.stdout).toBe(readFileSync(file, 'utf8'))
  expect(again.stdout).not.toContain('CANARY')
  expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('an export to a symbolic link to standard output, such as /dev/stdout, writes only the records and keeps the link', async ({
  api,
}) => {
  await api.load('coupons', readFixture('coupons'))
  const [file, link] = [join(folder, 'coupons.ndjson'), join(folder, 'stdout')]
  await symlink('/proc/self/fd/1', link)
  const args = ['export', 'coupons', link, '--seller', api.seller]
  const redirected = await open(file, 'w')
  const child = spawn(process.execPath, deskArgs(...args), { stdio: ['ignore', redirected.fd, 'ignore'] })
  expect(await once(child, 'exit')).toEqual([0, null])
  await redirected.close()
  const expected = (await run(['export', 'coupons', '-', '--seller', api.seller])).stdout
  expect(readFileSync(file, 'utf8')).toBe(expected)
  expect(await readlink(link)).toBe('/proc/self/fd/1')
})

/** Returns all records of a list, without their seller IDs. */
const listAll = async (api: Api, resource: string) => {
  const records: Line[] = []
  for (let query = 'limit=100'; ; query = `limit=100&starting_after=${records.at(-1)?.id}`) {
    const { json } = await api.call(`/v1/${resource}?${query}`)
    records.push(...json.data)
    if (!json.has_more) return records.map(({ sellerId, ...record }) => record)
  }
}

test('a pull copies a server’s lists, including the secrets that the key may read, and a second pull reads at most one page per list', async ({
  api,
  another,
}) => {
  const other = await another()
  for (const resource of RESOURCES) await api.load(resource, readFixture(resource))
  const args = ['pull', '--from', `${api.url}/`, '--key', api.key, '--seller', other.seller]
  const first = await run(args)
  expect(first.code, first.stderr).toBe(0)
  const { data } = JSON.parse(first.stdout) as { data: Line[] }
  for (const name of ['coupons', 'customers', 'payments', 'bookings', 'subscriptions'] as const) {
    const stored = await listAll(api, name)
    const pulled = data.find(({ resource }) => resource === name)
    // Some customers already exist, because pulling the orders created them.
    const changes = name === 'customers' ? {} : { written: readFixture(name).length, unchanged: 0 }
    expect(pulled).toMatchObject({ resource: name, read: stored.length, rejected: 0, ...changes })
    expect(await listAll(other, name)).toEqual(stored)
  }
  const again = JSON.parse((await run(args)).stdout) as { data: Line[] }
  for (const { read, written } of again.data) {
    expect(written).toBe(0)
    expect(Number(read)).toBeLessThanOrEqual(100)
  }
  const full = JSON.parse((await run([...args, '--full', '--only', 'payments'])).stdout) as { data: Line[] }
  expect(full.data).toEqual([
    { resource: 'payments', read: readFixture('payments').length, written: 0, unchanged: readFixture('payments').length, rejected: 0 },
  ])
})

test('after being killed, a pull resumes where it left off', async ({ api, another }) => {
  const other = await another()
  await api.load(
    'coupons',
    Array.from({ length: 3000 }, (_, i) => minimal('coupons', { createdAt: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString() })),
  )
  const args = ['pull', '--from', api.url, '--key', api.key, '--seller', other.seller, '--only', 'coupons']
  const pull = desk(args)
  await expect
    .poll(async () => (await other.call('/v1/coupons?limit=1')).json.total, { intervals: [10], timeout: 120_000 })
    .toBeGreaterThan(1000)
  pull.child.kill('SIGKILL')
  await pull.ended
  // PostgreSQL may still commit the batch that the pull was writing.
  const pulled = (await other.call('/v1/coupons?limit=1')).json.total
  expect(pulled).toBeLessThan(3000)
  const rest = JSON.parse((await run(args)).stdout) as { data: { read: number; written: number }[] }
  expect(rest.data[0]?.written).toBeLessThanOrEqual(3000 - pulled)
  expect(rest.data[0]?.read).toBeLessThan(3000 - pulled + 300)
  expect(await listAll(other, 'coupons')).toEqual(await listAll(api, 'coupons'))
})

test('failed pulls and exports exit with code 1 and explain the error without a stack trace', async ({ api }) => {
  const nobody = ['--seller', '000000000000000000000000']
  const mine = ['--seller', api.seller]
  const cases: [string[], RegExp][] = [
    [
      ['export', 'orders', '-', ...mine],
      /Use one of (pages|products|coupons|customers|payments|bookings|subscriptions|tickets)(, \w+){7}\./,
    ],
    [['export', 'payments', '-', ...nobody], /No such seller/],
    [['export', 'payments', join(folder, 'nowhere', 'x'), ...mine], /Cannot write .* \(ENOENT\)/],
    [['pull', '--from', 'desk.example.com', '--key', 'x', ...mine], /--from must be a URL such as https:/],
    [['pull', '--from', 'https://a:b@desk.example.com', '--key', 'x', ...mine], /Pass the key with --key/],
    [['pull', '--from', 'http://localhost.example.com', '--key', 'x', ...nobody], /^Warning: --from is not https.*No such seller/s],
    [['pull', '--from', api.url, ...mine], /Missing option --key/],
    [['pull', '--from', api.url, '--key', 'desk_x', ...mine], /rejected the key for \w+ \(401\): This API key is not valid/],
    [['pull', '--from', `${api.url}/healthz`, '--key', api.key, ...mine], /404\)/],
    [['pull', '--from', api.url, '--key', api.key, '--only', 'tickets', ...mine], /Unknown resource tickets/],
    [['pull', '--from', api.url, '--key', api.key, ...nobody], /No such seller/],
  ]
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout], stderr).toEqual([1, ''])
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/\n\s+at /)
  }
  expect(existsSync(join(folder, 'nowhere'))).toBe(false)
})

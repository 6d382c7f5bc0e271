/** Tests `desk import`, the commands for sellers, users, keys and customers, and that the API returns imported records unchanged. */
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { newObjectId } from '@/lib/core/object-id'
import { runDesk } from '@/testing/programs'
import { type Line, minimal, readFixture, toServedRecord } from '@/testing/seller'
import { expect, test, untilRevoked } from './support/api'
import { runDeskInProcess as run } from './support/processes'

// Each exit code is tested at least once in a separate process. Most commands run in the test process, which is faster.

test('all fixtures are imported without rejections, and the API returns exactly those records in order', async ({ api }) => {
  for (const resource of ['pages', 'customers', 'coupons', 'payments', 'bookings', 'subscriptions', 'tickets'] as const) {
    const file = `e2e/fixtures/${resource}.ndjson`
    const lines = readFixture(resource)
    const { code, stdout } = await (resource === 'payments' ? runDesk : run)(['import', resource, file, '--seller', api.seller])
    const counts = { resource, read: lines.length, written: lines.length, unchanged: 0, rejected: 0 }
    expect([code, stdout]).toEqual([0, `${JSON.stringify(counts)}\n`])
    if (resource === 'pages' || resource === 'tickets') continue
    const records: Line[] = []
    for (let query = 'limit=100'; ; query = `limit=100&starting_after=${records.at(-1)?.id}`) {
      const { json } = await api.call(`/v1/${resource}?${query}`)
      expect(json.total).toBe(lines.length)
      records.push(...json.data)
      if (!json.has_more) break
    }
    const order = lines
      .map((line) => toServedRecord(line, api.seller))
      .sort((a, b) => (`${a.createdAt}${a.id}` < `${b.createdAt}${b.id}` ? 1 : -1))
    expect(records).toEqual(order)
  }
  for (const line of readFixture('tickets')) {
    const { json } = await api.validate(String(line.qrCode), { checkIn: false })
    expect(json.ticket).toMatchObject({ id: line.id, customerName: line.customerName })
  }
  const again = await run(['import', 'payments', 'e2e/fixtures/payments.ndjson', '--seller', api.seller])
  expect(JSON.parse(again.stdout)).toMatchObject({ written: 0, unchanged: readFixture('payments').length })
})

test('a list response from the API can be imported unchanged', async ({ api, another }) => {
  const other = await another()
  await api.load('coupons', [minimal('coupons'), minimal('coupons')])
  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const file = join(folder, 'coupons.json')
  await writeFile(file, (await api.call('/v1/coupons')).text)
  expect(JSON.parse((await run(['import', 'coupons', file, '--seller', other.seller])).stdout)).toMatchObject({ written: 2, rejected: 0 })
  const strip = ({ json }: { json: { data: Line[] } }) => json.data.map(({ sellerId, ...record }) => record)
  expect(strip(await other.call('/v1/coupons'))).toEqual(strip(await api.call('/v1/coupons')))
  await rm(folder, { recursive: true })
})

test('rejected lines are written to a file next to the input without client secrets, and the exit code is 2', async ({ api }) => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const file = join(folder, 'payments.ndjson')
  const [good, bad] = [minimal('payments'), minimal('payments', { amount: 'ten' })]
  await writeFile(file, `${JSON.stringify(good)}\n{"cut\n${JSON.stringify(bad)}\n`)
  const { code, stdout } = await runDesk(['import', 'payments', file, '--seller', api.seller])
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toEqual({ resource: 'payments', read: 3, written: 1, unchanged: 0, rejected: 2 })
  const rejects = (await readFile(`${file}.rejects.ndjson`, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  expect(rejects).toMatchObject([
    { line: 2, path: '', text: '{"cut' },
    { line: 3, path: 'amount', text: JSON.stringify(bad) },
  ])
  const secret = minimal('payments', { gatewayPaymentIntentClientSecret: 'pi_\\"CANARY', surprise: 1 })
  await writeFile(file, JSON.stringify(secret))
  expect((await run(['import', 'payments', file, '--seller', api.seller])).code).toBe(2)
  expect(readFileSync(`${file}.rejects.ndjson`, 'utf8')).toMatch(/surprise(?!.*CANARY)/)
  await writeFile(file, JSON.stringify(good))
  expect((await run(['import', 'payments', file, '--seller', api.seller])).code).toBe(0)
  expect(() => readFileSync(`${file}.rejects.ndjson`)).toThrow('ENOENT')
  await rm(folder, { recursive: true })
})

test('importing a paid booking generates its tickets, and importing its refund cancels them', async ({ api }) => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const file = join(folder, 'bookings.ndjson')
  const booking = minimal('bookings', { orderId: 'BK-1', tickets: [{ name: 'Hall', ticketTypeId: 'hall', quantity: 2 }] })
  const load = async (changes: Line) => {
    await writeFile(file, JSON.stringify({ ...booking, ...changes }))
    expect((await run(['import', 'bookings', file, '--seller', api.seller])).code).toBe(0)
  }
  await load({})
  const tickets = (await run(['export', 'tickets', '-', '--seller', api.seller])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  expect(tickets).toMatchObject(Array(2).fill({ chargeId: booking.id, ticketTypeId: 'hall', status: 'PAID' }))
  const [scanned, unused] = tickets.map(({ qrCode }) => String(qrCode))
  expect((await api.validate(String(scanned))).json).toMatchObject({ success: true })
  expect((await api.validate(String(scanned))).json).toMatchObject({ success: false, reason: 'already_checked_in' })
  await load({ status: 'refunded', updatedAt: '2026-04-05T06:07:08.009Z' })
  for (const code of [scanned, unused]) {
    expect((await api.validate(String(code))).json).toMatchObject({ success: false, reason: 'canceled', ticket: { status: 'CANCELED' } })
  }
  expect((await api.validate(String(scanned))).json.ticket).toMatchObject({ checkInStatus: 'CHECKEDIN', checkIns: [{ method: 'QRSCAN' }] })
  await rm(folder, { recursive: true })
})

test('`desk` creates sellers, rejects a duplicate user, and creates, lists, rotates, resumes and revokes API keys', async ({ api }) => {
  const email = `owner-${api.seller}@example.com`
  const created = await run([
    'seller',
    'create',
    '--name',
    'New shop',
    '--email',
    email,
    '--password',
    'correct horse',
    '--time-zone',
    'Asia/Tokyo',
  ])
  expect(created.code).toBe(0)
  const { sellerId, userId } = JSON.parse(created.stdout) as Record<string, string>
  expect(userId).toMatch(/^[0-9a-f]{24}$/)
  const key = JSON.parse(
    (
      await run([
        'key',
        'create',
        '--seller',
        String(sellerId),
        '--name',
        'Shop',
        '--scope',
        'coupons:read',
        '--expires',
        '2099-01-01T00:00:00Z',
      ])
    ).stdout,
  ) as { id: string; key: string }
  expect((await api.call('/v1/coupons', { key: key.key })).status).toBe(200)
  expect((await api.call('/v1/payments', { key: key.key })).status).toBe(403)
  const listed = JSON.parse((await run(['key', 'list', '--seller', String(sellerId)])).stdout)
  expect(listed.data).toMatchObject([
    { id: key.id, name: 'Shop', scopes: ['coupons:read'], expiresAt: '2099-01-01T00:00:00.000Z', revokedAt: null },
  ])
  expect(JSON.stringify(listed)).not.toContain(key.key)
  const rotated = JSON.parse((await run(['key', 'rotate', key.id, '--seller', String(sellerId), '--overlap', '1h'])).stdout) as {
    key: string
    oldExpiresAt: string
  }
  for (const validKey of [key.key, rotated.key]) expect((await api.call('/v1/coupons', { key: validKey })).status).toBe(200)
  expect(Date.parse(rotated.oldExpiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000)
  const resume = ['key', 'resume', key.id, '--seller', String(sellerId)]
  expect((await run(resume)).stderr).toContain('No paused API key with ID')
  await database().use(({ rows }) => rows(sql`update api_keys set paused_until = now() + interval '1 hour' where id = ${key.id}`))
  await expect.poll(async () => (await api.call('/v1/coupons', { key: key.key })).json.code).toBe('key_paused')
  expect(JSON.parse((await run(resume)).stdout)).toEqual({ id: key.id, resumed: true })
  await expect.poll(async () => (await api.call('/v1/coupons', { key: key.key })).status).toBe(200)
  expect((await run(['key', 'revoke', key.id, '--seller', String(sellerId)])).code).toBe(0)
  await untilRevoked()
  expect((await api.call('/v1/coupons', { key: key.key })).status).toBe(401)
  expect((await api.call('/v1/coupons', { key: rotated.key })).status).toBe(200)
  const user = ['--email', email.toUpperCase(), '--password', 'correct horse']
  const duplicate = await run(['user', 'add', '--seller', String(sellerId), '--role', 'staff', ...user])
  expect([duplicate.code, duplicate.stdout]).toEqual([1, ''])
  expect(duplicate.stderr).toContain('already has a user')
  expect((await run(['seller', 'create', '--name', 'x', ...user])).code).toBe(0)
})

test('`desk` derives customers from stored orders and erases a customer, and an import writes events only with --events', async ({
  api,
}) => {
  const customerId = newObjectId()
  const order = minimal('payments', { customerId, customerEmail: 'ada@example.com', billing: { name: 'Ada Lovelace' } })
  await api.load('payments', [order])
  await database().use(({ rows }) => rows(sql`delete from customers where seller_id = ${api.seller}`))
  const sellerArgs = ['--seller', api.seller]
  expect(JSON.parse((await run(['customers', 'derive', ...sellerArgs])).stdout)).toEqual({ read: 1, written: 1 })
  const readCustomer = async () => (await api.call(`/v1/customers/${customerId}`)).json.data as unknown as Line
  expect(await readCustomer()).toMatchObject({ email: 'ada@example.com', name: 'Ada Lovelace' })

  const erase = ['customers', 'erase', customerId.toUpperCase(), ...sellerArgs]
  expect((await run(erase)).stderr).toContain('Add --yes to confirm.')
  expect(await readCustomer()).toMatchObject({ name: 'Ada Lovelace' })
  expect(JSON.parse((await run([...erase, '--yes'])).stdout)).toMatchObject({ id: customerId })
  expect(await readCustomer()).toMatchObject({ name: 'Erased' })
  expect((await api.call(`/v1/payments/${order.id}`)).text).not.toMatch(/ada@|Lovelace/)
  expect((await run(['customers', 'erase', newObjectId(), ...sellerArgs, '--yes'])).stderr).toContain('has no customer')

  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const file = join(folder, 'coupons.ndjson')
  const coupons = [minimal('coupons'), minimal('coupons')]
  for (const [i, flags] of [[], ['--events']].entries()) {
    await writeFile(file, JSON.stringify(coupons[i]))
    expect((await run(['import', 'coupons', file, ...sellerArgs, ...flags])).code).toBe(0)
  }
  const listCreated = async () => (await api.call('/v1/events?type=coupon.created')).json.data.map(({ data }) => (data as Line).id)
  await expect.poll(listCreated).toEqual([coupons[1]?.id])
  await rm(folder, { recursive: true })
})

test('failed commands exit with code 1 and explain the error without a stack trace, and --help exits with code 0', async ({ api }) => {
  const cases: [string[], RegExp, Record<string, string>?][] = [
    [['import', 'payments', 'nowhere.ndjson', '--seller', api.seller], /No such file: nowhere\.ndjson/],
    [
      ['import', 'orders', '-', '--seller', api.seller],
      /Use one of pages(, (products|payments|bookings|subscriptions|coupons|customers|tickets)){7}\./,
    ],
    [['import', 'payments'], /desk import RESOURCE FILE\|- --seller ID/],
    [['import', 'payments', 'e2e', '--seller', api.seller], /is a directory/],
    [['import', 'pages', 'e2e/fixtures/pages.ndjson', '--seller', '000000000000000000000000'], /No such seller/],
    [['key', 'create', '--seller', api.seller, '--name', 'x', '--scope', 'all'], /Use one of full, /],
    [['key', 'create', '--seller', api.seller, '--name', 'x', '--expires', 'tomorrow'], /--expires must be a time/],
    [['key', 'rotate', 'x', '--seller', api.seller, '--overlap', 'soon'], /--overlap must be a duration/],
    [['key', 'revoke', '000000000000000000000000', '--seller', api.seller], /No API key with ID/],
    [['seller', 'create', '--name', 'x', '--email', 'x', '--password', 'correct horse'], /--email must be an email address/],
    [['seller', 'create', '--name', 'x', '--email', 'x@example.com', '--password', 'short'], /--password must have at least 10/],
    [
      ['seller', 'create', '--name', 'x', '--email', 'x@example.com', '--password', 'correct horse', '--time-zone', 'Mars'],
      /--time-zone must be UTC, or a region and a city/,
    ],
    [['nonsense'], /Unknown command: nonsense\./],
    [['key', 'list', '--sellr', 'x'], /Unknown option '--sellr'/],
    [['key', 'list', '--seller', api.seller], /PORT must be a whole number/, { PORT: 'x' }],
    [['key', 'list', '--seller', api.seller], /Cannot reach the database/, { DATABASE_URL: 'postgres://x@127.0.0.1:9/x' }],
  ]
  for (const [args, message, extra] of cases) {
    const { code, stdout, stderr } = await (extra ? runDesk(args, extra) : run(args))
    expect([code, stdout], stderr).toEqual([1, ''])
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/\n\s+at /)
  }
  for (const args of [['--help'], ['import', '--help'], ['key', '--help'], ['key', 'create', '--help'], ['serve', '--help']]) {
    expect(await run(args)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^desk.+/) })
  }
})

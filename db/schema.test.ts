/** Tests the derived columns, the migrations on every installed PostgreSQL version, and sharing of the embedded PostgreSQL. */
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { freePort } from '@/testing/free-port'
import { makeDataFolder, makeTemporaryFolder } from '@/testing/postgres'
import { importLines, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import { database, openDatabase } from './client'
import { findEmbedded, joinEmbedded } from './embedded'
import { EmbeddedError } from './embedded-home'
import { isMigrated } from './is-migrated'
import { migrateDatabase } from './migrate'

beforeAll(openTestDatabase)
const rows = <Row>(query: ReturnType<typeof sql>) => database().use((connection) => connection.rows<Row>(query))

describe('the derived columns', () => {
  it('are set from the record, even if a statement sets other values', async () => {
    const seller = await makeSeller()
    const record = minimal('payments', {
      createdAt: '2026-02-03T04:05:06.789Z',
      status: 'refunded',
      pageId: 'abcdefabcdefabcdefabcdef',
      amount: 1250,
      currency: 'eur',
      livemode: false,
      customerEmail: 'ÅSA@Example.com',
      orderId: 'OR-ΟΔΟΣ',
      gatewayPaymentIntentId: 'pi_1',
    })
    await importLines('payments', seller, [record])
    const read = () =>
      rows<Record<string, unknown>>(sql`
        select id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, status, page_id, amount::float8 as amount, currency, livemode, search, gateway_id
        from payments where seller_id = ${seller}`)
    const derived = {
      id: record.id,
      at: '2026-02-03T04:05:06.789Z',
      status: 'refunded',
      page_id: 'abcdefabcdefabcdefabcdef',
      amount: 1250,
      currency: 'eur',
      livemode: false,
      search: 'åsa@example.com\u0001or-οδοσ',
      gateway_id: 'pi_1',
    }
    expect(await read()).toEqual([derived])
    await rows(
      sql`update payments set status = 'paid', amount = 1, search = 'x', gateway_id = 'x', created_at = now() where seller_id = ${seller}`,
    )
    expect(await read()).toEqual([derived])
  })

  it('include the part of an order’s amount that counts as revenue', async () => {
    const seller = await makeSeller()
    const order = (status: string, amountPaid?: number) =>
      minimal('payments', { status, amount: 1000, ...(amountPaid === undefined ? {} : { amountPaid }) })
    const orders = [
      order('paid', 400),
      order('partial_refund'),
      order('partially_paid', 300),
      order('partially_paid'),
      order('refunded'),
      order('pending', 500),
    ]
    await importLines('payments', seller, orders)
    const found = await rows<{ id: string; revenue: number }>(
      sql`select id, revenue::int as revenue from payments where seller_id = ${seller}`,
    )
    const revenue = new Map(found.map((row) => [row.id, row.revenue]))
    expect(orders.map(({ id }) => revenue.get(String(id)))).toEqual([1000, 1000, 300, 0, 0, 0])
  })

  it.each([
    ['payments', 'gatewayPaymentIntentId'],
    ['bookings', 'gatewayPaymentIntentId'],
    ['subscriptions', 'gatewaySubscriptionId'],
    ['coupons', 'gatewayCouponId'],
  ] as const)('of %s include the gateway’s ID, unless it is too long for an index', async (name, member) => {
    const seller = await makeSeller()
    await importLines(name, seller, [minimal(name, { [member]: 'x_1' }), minimal(name, { [member]: 'x'.repeat(5000) }), minimal(name)])
    const found = await rows<{ id: string | null }>(
      sql`select gateway_id as id from ${sql.identifier(name)} where seller_id = ${seller} order by 1`,
    )
    expect(found).toEqual([{ id: 'x_1' }, { id: null }, { id: null }])
  })

  it('reject a record whose sellerId differs from its row’s', async () => {
    const [mine, theirs] = [await makeSeller(), await makeSeller()]
    const record = JSON.stringify({ ...minimal('coupons'), sellerId: theirs })
    await expect(rows(sql`insert into coupons (seller_id, record) values (${mine}, ${record}::text::json)`)).rejects.toThrow(
      'another seller',
    )
  })
})

test('every sequence is owned by a column, so that a restore can find and set it', async () => {
  const stray = await rows(sql`
    select relname from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = pg_class.oid and classid = 'pg_class'::regclass and deptype in ('a', 'i'))`)
  expect(stray).toEqual([])
})

describe('migrations', () => {
  it('are applied only once if four processes start at the same time', { tags: 'slow' }, async () => {
    const admin = postgres(String(process.env.TEST_DATABASE_URL), { max: 1 })
    const name = `four_${Date.now()}`
    await admin.unsafe(`create database ${name}`)
    const url = String(process.env.TEST_DATABASE_URL).replace(/\/desk$/, `/${name}`)
    const target = openDatabase({ url })
    try {
      expect(await isMigrated(target)).toBe(false)
      await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(url)))
      expect(await isMigrated(target)).toBe(true)
    } finally {
      await target.close()
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    }
  })

  const installed = existsSync('/usr/lib/postgresql')
    ? readdirSync('/usr/lib/postgresql').filter(
        (version) => Number(version) >= 15 && existsSync(`/usr/lib/postgresql/${version}/bin/initdb`),
      )
    : []
  // One test per PostgreSQL version installed on this machine.
  for (const version of installed) {
    it(`run on the installed PostgreSQL ${version}, with Unicode case folding`, { tags: 'slow' }, async () => {
      const folder = await makeTemporaryFolder()
      const bin = `/usr/lib/postgresql/${version}/bin`
      const asUser = (program: string, ...args: string[]) => {
        const command = [join(bin, program), ...args]
        const [file = '', ...rest] =
          process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command] : command
        execFileSync(file, rest, { stdio: 'ignore', env: { ...process.env, LC_ALL: 'C' } })
      }
      if (process.getuid?.() === 0) execFileSync('chown', ['postgres', folder])
      const data = join(folder, 'data')
      asUser('initdb', '--no-sync', '-D', data, '--auth=trust', '--encoding=UTF8', '--locale=C', '--username=desk')
      const port = await freePort()
      asUser(
        'pg_ctl',
        'start',
        '-w',
        '-D',
        data,
        '-l',
        join(folder, 'log'),
        '-o',
        `-p ${port} -c fsync=off -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`,
      )
      const url = `postgres://desk@127.0.0.1:${port}/postgres`
      try {
        await migrateDatabase(url)
        const target = openDatabase({ url })
        expect(await isMigrated(target)).toBe(true)
        const [row] = await target.use((connection) => connection.rows<{ folded: string }>(sql`select desk_fold('ÅSA ΟΔΟΣ') as folded`))
        expect(row?.folded).toBe('åsa οδοσ')
        await target.close()
      } finally {
        asUser('pg_ctl', 'stop', '-m', 'immediate', '-D', data)
        await rm(folder, { recursive: true, force: true })
      }
    })
  }
})

describe('the embedded PostgreSQL', () => {
  // The tests start one server after another in this folder.
  let folder: string
  beforeAll(async () => {
    folder = await makeDataFolder()
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is shared by two callers and stopped by the last one to leave', async () => {
    const first = await joinEmbedded(folder)
    const second = await joinEmbedded(folder)
    expect(first.wasRunning).toBe(false)
    expect(second.wasRunning).toBe(true)
    expect(second.url).toBe(first.url)
    expect(await first.leave()).toBe(false)
    const check = postgres(second.url, { max: 1 })
    expect(await check`select 1 as one`).toEqual([{ one: 1 }])
    await check.end()
    expect(await second.leave()).toBe(true)
    const after = postgres(second.url, { max: 1, connect_timeout: 2 })
    await expect(after`select 1`).rejects.toThrow()
    await after.end()
  })

  it('keeps running while a caller uses it, even if all callers’ connections are lost', async () => {
    const server = await joinEmbedded(folder)
    const command = await joinEmbedded(folder)
    const admin = postgres(server.url, { max: 1 })
    const leases = () => admin`select pid from pg_stat_activity where application_name = 'desk-lease'`
    const before = (await leases()).map(({ pid }) => Number(pid))
    expect(before).toHaveLength(2)
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'desk-lease'`
    // Both callers have reconnected.
    const renewed = async () => (await leases()).filter(({ pid }) => !before.includes(Number(pid))).length
    await expect.poll(renewed).toBe(2)
    await admin.end()
    expect(await command.leave()).toBe(false)
    expect(await server.leave()).toBe(true)
  })

  it('writes no values to its log', async () => {
    const server = await joinEmbedded(folder)
    const client = postgres(server.url, { max: 1 })
    await client`create table logged (email text primary key)`
    const insert = () => client`insert into logged values (${'jane.doe@example.com'})`
    await insert()
    await expect(insert()).rejects.toThrow('duplicate key')
    await client.end()
    await server.leave()
    const text = await readFile(join(folder, 'postgres', 'server.log'), 'utf8')
    expect(text).toContain('duplicate key value violates unique constraint "logged_pkey"')
    expect(text).not.toContain('jane.doe')
  })

  it('rejects a folder that it cannot use or that lacks the password, and says what to do', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const unusable = join(file, 'data')
    const advice = /Cannot use DATA_DIR, which is .*file\/data: .*\. Set it to the server’s data directory/
    for (const attempt of [() => joinEmbedded(unusable), () => findEmbedded(unusable)]) {
      const error = await attempt().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(EmbeddedError)
      expect(String(error)).toMatch(advice)
    }
    expect(await findEmbedded(join(folder, 'missing'))).toBeUndefined()
    const other = join(folder, 'other')
    await mkdir(join(other, 'postgres'), { recursive: true })
    await writeFile(join(other, 'postgres', 'PG_VERSION'), '18')
    await expect(joinEmbedded(other)).rejects.toThrow(EmbeddedError)
    await expect(joinEmbedded(other)).rejects.toThrow(/postgres\.json, which stores its password, is missing\. Restore that file/)
  })
})

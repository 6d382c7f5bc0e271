/** Tests the server process: startup, startup errors, graceful shutdown, and recovery after faults and SIGKILL. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import { makeTemporaryFolder, startPostgres } from '@/testing/postgres'
import { importLines, makeKey, makeSeller, minimal } from '@/testing/seller'
import { expect, test } from './support/api'
import { desk, serve, serveApi, stop, untilReady } from './support/processes'

const databaseEnv = () => ({ DATABASE_URL: String(process.env.TEST_DATABASE_URL), DATA_DIR: String(process.env.TEST_DATA_DIR) })

test('five concurrent requests with one key succeed as soon as the server has started', async () => {
  const { key } = await makeKey(await makeSeller())
  const admin = postgres(databaseEnv().DATABASE_URL, { max: 1 })
  const [start] = await admin<{ at: string }[]>`select clock_timestamp()::text as at`
  const server = await serveApi(databaseEnv())
  const countConnections = async () => {
    const [opened] = await admin<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where application_name like 'checkout-desk %' and backend_start > ${String(start?.at)}::timestamptz`
    return opened?.count
  }
  if (process.env.SCALE === 'bouncer') {
    // PostgreSQL only sees PgBouncer's connections.
    await untilReady(server)
  } else {
    // The main process opens at least two connections in each of its five pools. On a busy machine, the rest may not be open yet.
    await expect.poll(countConnections).toBeGreaterThanOrEqual(10)
  }
  await admin.end()
  const requests = Array.from({ length: 5 }, () => fetch(`${server.url}/v1/payments`, { headers: { Authorization: `Bearer ${key}` } }))
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  await stop(server)
})

test('on SIGTERM, the server completes the requests in flight, aborts a hanging upload, and exits within 25 s', async () => {
  const seller = await makeSeller()
  const { key } = await makeKey(seller)
  const server = await serveApi(databaseEnv())
  // Few enough for all requests to reach the database before the first one exceeds the lock timeout of one second.
  const codes = Array.from({ length: 3 }, (_, i) => `c${i}`)
  await importLines(
    'tickets',
    seller,
    codes.map((qrCode) => minimal('tickets', { qrCode })),
  )
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const hanging = fetch(`${server.url}/v1/tickets/validate/hang`, {
    method: 'POST',
    headers,
    // An upload that never ends.
    body: new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{')) }),
    duplex: 'half',
  } as RequestInit).then(
    ({ status }) => status,
    () => 'aborted',
  )
  // Lock the tickets until the signal has been sent, so that the requests are still in flight at that time.
  const holder = postgres(databaseEnv().DATABASE_URL, { max: 1 })
  const [locked, release] = await new Promise<[Promise<unknown>, () => void]>((resolve) => {
    const held = holder.begin(async (transaction) => {
      await transaction`select 1 from tickets where seller_id = ${seller} for update`
      await new Promise<void>((unlock) => resolve([held, unlock]))
    })
  })
  const responses = codes.map((code) => fetch(`${server.url}/v1/tickets/validate/${code}`, { method: 'POST', headers, body: '{}' }))
  const watcher = postgres(databaseEnv().DATABASE_URL, { max: 1 })
  const countWaiting = async () => (await watcher`select 1 from pg_stat_activity where wait_event_type = 'Lock'`).length
  await expect.poll(countWaiting, { intervals: [20] }).toBeGreaterThanOrEqual(codes.length)
  await watcher.end()
  const signaledAt = Date.now()
  const ended = stop(server)
  release()
  await locked
  for (const response of await Promise.all(responses)) expect(((await response.json()) as { success: boolean }).success).toBe(true)
  expect(await ended).toBe(0)
  expect(Date.now() - signaledAt).toBeLessThan(25_000)
  expect(await hanging).not.toBe(200)
  await holder.end()
})

for (const fault of ['exception', 'rejection']) {
  test(`an uncaught ${fault} is logged with its stack trace, and the server drains and exits with code 1`, async () => {
    const env = { ...databaseEnv(), PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', TEST_PAGES: 'none', TEST_FAULT: fault }
    const server = desk(['serve'], env, ['--import', './e2e/support/throw-on-signal.mjs'])
    await server.waitForOutput(/is running at http:\/\/localhost:(\d+)/)
    expect(await stop(server, 'SIGUSR2')).toBe(1)
    expect(server.output()).toMatch(/"msg":"uncaught"/)
    expect(server.output()).toContain('throw-on-signal.mjs')
  })
}

test('after an exception from a known bug in the database driver, the server replaces its connections and keeps running', async () => {
  const cluster = await startPostgres()
  const admin = postgres(cluster.url, { max: 1 })
  // Unlike the others, this pool keeps idle connections open.
  const listPids = async () => {
    const rows = await admin<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and application_name = 'checkout-desk auth'`
    return rows.map(({ pid }) => pid)
  }
  const env = {
    DATABASE_URL: cluster.url,
    DATA_DIR: cluster.folder,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    TEST_PAGES: 'none',
    TEST_FAULT: 'driver',
  }
  const server = desk(['serve'], env, ['--import', './e2e/support/throw-on-signal.mjs'])
  const [, port] = await server.waitForOutput(/is running at http:\/\/localhost:(\d+)/)
  await expect.poll(async () => (await listPids()).length).toBeGreaterThan(0)
  const before = await listPids()
  server.child.kill('SIGUSR2')
  await server.waitForOutput(/"msg":"uncaught"/)
  await expect.poll(async () => (await listPids()).filter((pid) => before.includes(pid))).toEqual([])
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
  expect(await stop(server)).toBe(0)
  await admin.end()
  await cluster.remove()
})

test('if the process that renders pages is killed, it is restarted, and the API and cached pages keep working', async () => {
  const seller = await makeSeller()
  const { key } = await makeKey(seller)
  const server = await serve(databaseEnv())
  const fetchStatus = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(server.url + path, { headers, redirect: 'manual' })).status
  expect(await fetchStatus('/api/auth/csrf')).toBe(200)
  process.kill(Number(execFileSync('pgrep', ['-P', String(server.child.pid), '-f', 'page-server'], { encoding: 'utf8' })), 'SIGKILL')
  await expect.poll(() => fetchStatus('/api/auth/csrf')).toBe(503)
  expect(await fetchStatus('/sign-in')).toBe(200)
  expect(await fetchStatus('/v1/payments', { Authorization: `Bearer ${key}` })).toBe(200)
  await expect.poll(() => fetchStatus('/api/auth/csrf')).toBe(200)
  expect(server.output()).toContain('"signal":"SIGKILL","msg":"the process that renders pages ended"')
  expect(await stop(server)).toBe(0)
})

test('if the port is in use, the server exits with a one-line error', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as { port: number }
  const server = desk(['serve'], { ...databaseEnv(), HOST: '127.0.0.1', PORT: String(port) })
  expect(await server.ended).toBe(1)
  expect(server.output().trim()).toBe(`desk: Port ${port} is in use. Stop the program that uses it, or set another port: PORT=${port + 1}.`)
  other.close()
})

for (const [host, reason] of [
  ['fe80::1', 'is a link-local address, and needs the name of a network interface of this machine, as in fe80::1%eth0'],
  ['192.0.2.1', 'is not an address of this machine'],
]) {
  test(`if the server cannot listen on HOST ${host}, it exits with a one-line error`, async () => {
    const server = desk(['serve'], { ...databaseEnv(), HOST: host, PORT: '0' })
    expect(await server.ended).toBe(1)
    expect(server.output().trim()).toBe(`desk: HOST ${host} ${reason}. Use 0.0.0.0 for all addresses, or 127.0.0.1 for this machine only.`)
  })
}

test('on a database without tables, the server is not ready until `desk migrate` has run', async () => {
  const owner = String(process.env.TEST_OWNER_URL)
  const admin = postgres(owner, { max: 1 })
  const name = `empty_${process.pid}_${Date.now()}`
  await admin.unsafe(`create database ${name}`)
  const url = owner.replace(/\/desk$/, `/${name}`)
  const server = await serveApi({ ...databaseEnv(), DATABASE_URL: url })
  const readReadiness = async () => {
    const response = await fetch(`${server.url}/readyz`)
    return [response.status, ((await response.json()) as { message?: string }).message]
  }
  expect(await readReadiness()).toEqual([503, 'The database is missing migrations for this version: run `npm run desk -- migrate`.'])
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  const migrate = desk(['migrate'], { ...databaseEnv(), DATABASE_URL: url })
  const code = await migrate.ended
  expect(code, migrate.output()).toBe(0)
  expect(await readReadiness()).toEqual([200, undefined])
  await stop(server)
  await admin.unsafe(`drop database ${name} with (force)`)
  await admin.end()
})

test('without configuration, the server starts an embedded database, which outlives a killed server and is taken over by the next one', async () => {
  const folder = await makeTemporaryFolder()
  // Empty variables count as unset.
  const env = { DATABASE_URL: '', DATA_DIR: folder, NEXTAUTH_SECRET: '', NEXTAUTH_URL: '' }
  const first = await serveApi(env)
  await untilReady(first)
  const created = desk(['seller', 'create', '--name', 'x', '--email', 'x@example.com', '--password', 'correct horse'], env)
  expect(await created.ended).toBe(0)
  const [, sellerId] = await created.waitForOutput(/"sellerId":"(\w+)"/)
  const keyCommand = desk(['key', 'create', '--seller', String(sellerId), '--name', 'x'], env)
  await keyCommand.ended
  const [, key] = await keyCommand.waitForOutput(/"key":"(\w+)"/)
  const secret = await readFile(join(folder, 'nextauth-secret'), 'utf8')
  const url = desk(['db', 'url'], env)
  await url.ended
  expect(url.output()).toMatch(/^postgres:\/\/desk:\S+@127\.0\.0\.1:\d+\/desk\n$/)
  // The server connects as a user who does not own the tables.
  const owner = postgres(url.output().trim(), { max: 1 })
  const [users] =
    await owner`select string_agg(distinct usename, ' ') as names from pg_stat_activity where application_name like 'checkout-desk %'`
  expect(users?.names).toBe('desk_app')
  await owner.end()

  // PostgreSQL keeps running after the server is killed, and the next server takes it over.
  await stop(first, 'SIGKILL')
  expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(true)
  const second = await serveApi(env)
  expect((await fetch(`${second.url}/v1/coupons`, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(200)
  expect(await readFile(join(folder, 'nextauth-secret'), 'utf8')).toBe(secret)
  expect(await stop(second, 'SIGINT')).toBe(0)
  expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false)
  await rm(folder, { recursive: true, force: true })
})

test('npm start stops the server when npm receives a SIGTERM, although npm’s shell does not forward signals', async () => {
  const npm = spawn('npm', ['start'], {
    env: { ...process.env, ...databaseEnv(), PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  // On a busy machine, npm, tsx and the server may take minutes to start.
  await expect.poll(() => /localhost:(\d+)/.exec(output)?.[1], { timeout: 600_000 }).toBeDefined()
  const url = `http://127.0.0.1:${/localhost:(\d+)/.exec(output)?.[1]}/healthz`
  expect((await fetch(url)).status).toBe(200)
  npm.kill('SIGTERM')
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status,
        () => 'gone',
      ),
    )
    .toBe('gone')
})

/** Tests overload: exhausted connection pools, a locked row, slow clients, and lists at ten times the machine's capacity. */
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { programArgs } from '@/testing/programs'
import { report } from '@/testing/report'
import { launch } from '../support/processes'
import { scanOnPageWhile, scanWhile, signInAs } from './doors'
import { checkAdmitted, percentileMs, RECOVERY_MS } from './history'
import { keepAlive, sendRequest, type TimedResponse } from './send-request'
import { expect, fullOrShort, isShort, PAGES, type Server, type Shop, sendScan, test } from './world'

/** The limit for the 99th percentile of check-in in milliseconds. It is higher in the short version, which runs alongside other tests. */
const MAX_CHECK_IN_MS = fullOrShort(500, 5_000)
/**
 * The time in milliseconds within which a request that cannot be served must be rejected. A request waits up to 750 ms for a connection. A
 * list request also waits for one of its seller's slots and one of the server's slots (docs/operations.md).
 */
const MAX_REJECTION_MS = { scan: fullOrShort(1_500, 5_000), list: fullOrShort(3_000, 5_000), ready: fullOrShort(1_500, 5_000) }
/** How long a rejected client waits before retrying, in milliseconds. Without the pause, rejections would consume all CPU time. */
const RETRY_MS = fullOrShort(250, 500)
/** How long a door waits between scans, in milliseconds. */
const PAUSE_BETWEEN_SCANS_MS = fullOrShort(20, 200)

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

/** Returns a predicate that is true until this many milliseconds have passed. */
const makeTimer = (ms: number) => {
  const end = performance.now() + ms
  return () => performance.now() < end
}

const expectUnavailable = ({ status, headers, text, startedAt, endedAt }: TimedResponse, maxMs: number) => {
  expect([status, Number(headers['retry-after']) > 0], text).toEqual([503, true])
  expect(endedAt - startedAt, 'rejected in time').toBeLessThan(maxMs)
}

/**
 * Expects every scan to have succeeded. The short version tolerates a 503 for up to a fifth of the scans, because it shares the machine
 * with other tests: after a second without CPU time, the server rejects requests that have waited too long for a connection.
 */
function expectServed(scans: TimedResponse[]): void {
  const failed = scans.filter(({ status }) => status !== 200)
  const isTolerable = isShort && failed.length <= scans.length / 5 && failed.every(({ status }) => status === 503)
  if (!isTolerable) expect(failed).toEqual([])
}

/** Makes every query of coupons hold its connection until it times out, even if there are no coupons. */
const STALL_COUPONS = `
  alter table coupons rename to stalled_coupons;
  create view coupons as select stalled.* from stalled_coupons stalled where (select pg_sleep(30)) is not null`
const RESTORE_COUPONS = 'drop view coupons; alter table stalled_coupons rename to coupons'

let server: Server
test.beforeAll(async ({ world }) => {
  server = await world.serveShared()
})
test.afterAll(({ world }) => world.stopServers(true))

test('when every connection is busy, requests get a 503 in time, and requests with an unknown key get a 401', async ({ world }) => {
  // Create enough tickets that some of their scans are always queued ahead of the requests below, which therefore rarely get a connection.
  const shop = await world.shop(200)
  const scans = [await sendScan(server.url, shop.key, { code: 'guest-0', key: 'before', note: 'n' })]
  await world.sql.unsafe(`
    ${STALL_COUPONS};
    create function stall() returns trigger language plpgsql as $$ begin perform pg_sleep(30); return new; end $$;
    create trigger stall_attempts before insert on validation_attempts for each row when (new.device = 'stalled') execute function stall()`)
  let shouldContinue = true
  const loop = async (work: () => Promise<TimedResponse>) => {
    while (shouldContinue) {
      await work()
      // With equal pauses, all clients would retry at once when the statements time out, and the queue would be empty until then.
      await pause(2 * RETRY_MS * Math.random())
    }
  }
  const headers = { ...bearer(shop.key), Device: 'stalled' }
  const stalledRequests = [
    ...Array.from({ length: 40 }, () => loop(() => sendRequest(server.url, '/v1/coupons', { headers }))),
    ...shop.codes.slice(1).map((code) => loop(() => sendRequest(server.url, `/v1/tickets/validate/${code}`, { method: 'POST', headers }))),
  ]
  /** Returns the number of check-in connections that have just stalled, or 0 if fewer than two list queries are stalled. */
  const countStalled = async () => {
    const [row] = await world.sql<{ doors: number }[]>`
      select count(*) filter (where application_name = 'checkout-desk doors' and query_start > clock_timestamp() - interval '200 ms')::int as doors
        from pg_stat_activity where wait_event = 'PgSleep'
        having count(*) filter (where application_name <> 'checkout-desk doors') >= 2`
    return row?.doors ?? 0
  }
  const unknownKey = `desk_${'0'.repeat(30)}${await computeChecksum('0'.repeat(30))}`
  const rounds = fullOrShort(20, 3)
  const refused: Record<string, number> = {}
  for (let round = 0; round < rounds; round += 1) {
    // Check-in statements time out after 2.5 seconds, so a request is certain to be rejected only if nearly all 14 connections stalled just
    // before it. On a busy machine, they do not stall at the same time.
    const isWaiting = isShort ? makeTimer(3_000) : () => true
    while ((await countStalled()) < 12 && isWaiting()) await pause(20)
    const [scan, list, wrongScan, wrongList, ready] = await Promise.all([
      sendScan(server.url, shop.key, { code: 'guest-0', key: `during-${round}`, note: 'n' }),
      sendRequest(server.url, '/v1/payments', { headers: bearer(shop.key) }),
      sendRequest(server.url, '/v1/tickets/validate/guest-0', { method: 'POST', headers: bearer(unknownKey) }),
      sendRequest(server.url, '/v1/payments', { headers: bearer(unknownKey) }),
      sendRequest(server.url, '/readyz'),
    ])
    expect([wrongScan.status, wrongList.status]).toEqual([401, 401])
    scans.push(scan)
    // Occasionally, a stalled statement times out, and the next request in the queue gets its connection.
    for (const [kind, reply] of Object.entries({ scan, list, ready })) {
      if (reply.status !== 200) expectUnavailable(reply, MAX_REJECTION_MS[kind as keyof typeof MAX_REJECTION_MS])
      refused[kind] = (refused[kind] ?? 0) + (reply.status === 503 ? 1 : 0)
    }
  }
  shouldContinue = false
  // In the short version, which shares the machine with other tests, /readyz may get the connection of a statement that timed out.
  for (const kind of isShort ? ['scan', 'list'] : ['scan', 'list', 'ready'])
    expect(refused[kind], `${kind} of ${rounds}`).toBeGreaterThanOrEqual(rounds / 2)
  await world.sql.unsafe(`
    drop trigger stall_attempts on validation_attempts; drop function stall(); ${RESTORE_COUPONS}`)
  const ended = performance.now()
  await Promise.all(stalledRequests)
  await expect
    .poll(async () => (await sendScan(server.url, shop.key, { code: 'guest-0', key: 'after', note: 'n' })).status, { timeout: RECOVERY_MS })
    .toBe(200)
  const admitted = await checkAdmitted(scans, shop.seller, world.sql)
  const measured = `recovered after ${Math.round(performance.now() - ended)} ms`
  await report('every database connection in use', { faults: rounds, requests: rounds * 5, admitted, lost: 0, measured }, refused)
})

/** Returns the checksum for the random part of a key. */
async function computeChecksum(random: string): Promise<string> {
  const { isWellFormedKey } = await import('@/lib/accounts/verify-key')
  const { crc32 } = await import('node:zlib')
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  let text = ''
  for (let rest = crc32(random); text.length < 6; rest = Math.floor(rest / 62)) text = digits.charAt(rest % 62) + text
  expect(isWellFormedKey(`desk_${random}${text}`)).toBe(true)
  return text
}

test('scans of a locked ticket get 503s in time while other tickets are admitted', async ({ world }) => {
  const shop = await world.shop(fullOrShort(2_000, 200))
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let holding: Promise<unknown> = held
  await new Promise<void>((locked, fail) => {
    holding = world.sql.begin(async (transaction) => {
      await transaction`select 1 from tickets where seller_id = ${shop.seller} and qr_code = 'guest-0' for update`
      locked()
      await held
    })
    holding.catch(fail)
  })
  const others = { ...shop, codes: shop.codes.slice(1) }
  const shouldContinue = makeTimer(fullOrShort(10_000, 2_000))
  const [lockedScans, otherScans] = await Promise.all([
    scanWhile(server, { ...shop, codes: ['guest-0'] }, 20, shouldContinue),
    scanWhile(server, others, 10, shouldContinue, PAUSE_BETWEEN_SCANS_MS),
  ])
  for (const reply of lockedScans.slice(0, 50)) expectUnavailable(reply, RECOVERY_MS)
  expect(lockedScans.filter(({ status }) => status !== 503)).toEqual([])
  expectServed(otherScans)
  expect(percentileMs(otherScans, 0.99), 'other tickets, p99').toBeLessThan(MAX_CHECK_IN_MS)
  release()
  await holding
  const ended = performance.now()
  await expect
    .poll(async () => (await sendScan(server.url, shop.key, { code: 'guest-0', key: 'after', note: 'n' })).status, { timeout: RECOVERY_MS })
    .toBe(200)
  const recoveryMs = Math.round(performance.now() - ended)
  await report(
    'one ticket’s row locked',
    {
      faults: lockedScans.length,
      requests: lockedScans.length + otherScans.length,
      admitted: await checkAdmitted(otherScans, shop.seller, world.sql),
      lost: 0,
      measured: `other tickets’ p99 ${percentileMs(otherScans, 0.99)} ms`,
    },
    { recoveryMs },
  )
})

/**
 * Sends a request slowly until the server closes the connection or `shouldContinue` returns false.
 *
 * @param first the text to send immediately
 * @param rest the text to send at one character per second, followed by spaces
 * @returns the milliseconds until the server closed the connection, or undefined if it did not
 */
function sendSlowly(url: string, first: string, rest: string, shouldContinue: () => boolean): Promise<number | undefined> {
  const { port } = new URL(url)
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const socket: Socket = connect(Number(port), '127.0.0.1', () => socket.write(first))
    let i = 0
    const timer = setInterval(() => (shouldContinue() ? socket.write(rest.charAt(i++) || ' ') : socket.destroy()), 1_000)
    socket.on('error', () => {})
    socket.on('data', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(shouldContinue() ? Math.round(performance.now() - startedAt) : undefined)
    })
  })
}

test('200 clients that send one byte per second are disconnected, and do not slow down check-in', { tag: '@waits' }, async ({ world }) => {
  const shop = await world.shop(fullOrShort(2_000, 200))
  const isInTime = makeTimer(fullOrShort(22_000, 60_000))
  const head = `POST /v1/tickets/validate/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.key}\r\n`
  const body = `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`
  const clients = Array.from({ length: 200 }, (_, i) =>
    i % 2 === 0 ? sendSlowly(server.url, '', head, isInTime) : sendSlowly(server.url, body, '', isInTime),
  )
  let areOpen = true
  const disconnections = Promise.all(clients).finally(() => {
    areOpen = false
  })
  const scans = await scanWhile(server, shop, fullOrShort(10, 3), () => areOpen, PAUSE_BETWEEN_SCANS_MS)
  const closed = await disconnections
  expect(closed.filter((ms) => ms === undefined).length, 'still open').toBe(0)
  expectServed(scans)
  expect(percentileMs(scans, 0.99), 'check-in, p99').toBeLessThan(MAX_CHECK_IN_MS)
  await report(
    'clients sending one byte per second',
    {
      faults: closed.length,
      requests: scans.length,
      admitted: await checkAdmitted(scans, shop.seller, world.sql),
      lost: 0,
      measured: `check-in p99 ${percentileMs(scans, 0.99)} ms`,
    },
    { closedAfterMs: Math.max(...closed.map((ms) => ms ?? 0)) },
  )
})

const MIN_LISTS_PER_SECOND = 300

/** The output of load.ts. `offered` is the number of requests that were due. */
type Load = { offered: number; perSecond: number; counts: Record<string, number> }

test('lists at ten times the machine’s capacity are shed, and check-in is unaffected', async ({ world }) => {
  const shop = await world.shop(fullOrShort(4_000, 150), fullOrShort(20_000, 150))
  const cookie = await signInAs(shop, 'door')
  const path = '/v1/payments?limit=100&search=e'
  const capacity = await measureCapacity(server, shop, path, fullOrShort(5_000, 1_000))
  const seconds = fullOrShort(20, 2)
  const generators = 2
  // While other tests run, the measured capacity may be close to zero. The minimum rate is more than two CPUs can serve.
  const perSecond = Math.max(capacity * 10, MIN_LISTS_PER_SECOND)
  const args = [server.url, shop.key, path, String(perSecond / generators), String(seconds)]
  const loads = Array.from({ length: generators }, () => launch([...programArgs('e2e/faults/load.ts'), ...args]))
  let isDone = false
  const done = Promise.all(loads.map(({ ended }) => ended)).then(() => {
    isDone = true
  })
  const shouldContinue = () => !isDone
  const half = shop.codes.length / 2
  const [scans, pageScans] = await Promise.all([
    scanWhile(server, { ...shop, codes: shop.codes.slice(half) }, 5, shouldContinue, 50),
    scanOnPageWhile(server, { ...shop, codes: shop.codes.slice(0, half) }, cookie, 2, shouldContinue, 100),
  ])
  await done
  const results = loads.map(({ output }) => JSON.parse(output().match(/\{"offered.*\}/)?.[0] ?? '{}') as Load)
  const sum = (name: string) => results.reduce((total, { counts }) => total + (counts[name] ?? 0), 0)
  const unexpected = results.flatMap(({ counts }) => Object.keys(counts)).filter((name) => !['200', '503', 'skipped'].includes(name))
  expect(unexpected, 'lists are served or shed').toEqual([])
  expect(sum('503'), 'lists are shed').toBeGreaterThan(0)
  // Rejections are delayed; otherwise, there would be thousands per second.
  if (!isShort) expect(sum('503') / seconds, 'rejections per second').toBeLessThan(1_000)
  expect(sum('200'), 'lists are still served').toBeGreaterThan(0)
  expectServed([...scans, ...pageScans])
  expect(percentileMs(scans, 0.99), 'check-in, p99').toBeLessThan(MAX_CHECK_IN_MS)
  expect(percentileMs(pageScans, 0.99), 'check-in page, p99').toBeLessThan(MAX_CHECK_IN_MS)
  const doors = [...scans, ...pageScans]
  await report(
    'lists at ten times the machine’s capacity',
    {
      faults: results.reduce((total, { offered }) => total + offered, 0),
      requests: doors.length,
      admitted: await checkAdmitted(doors, shop.seller, world.sql),
      lost: 0,
      measured: `check-in p99 ${percentileMs(scans, 0.99)} ms, in a browser ${percentileMs(pageScans, 0.99)} ms`,
    },
    { capacityPerSecond: capacity, succeeded: sum('200'), shed: sum('503'), p50Ms: percentileMs(scans, 0.5) },
  )
})

test('the check-in page works while every dashboard connection is busy', async ({ world }) => {
  const shop = await world.shop(fullOrShort(1_000, 200))
  // Stop the shared server, because two servers could open more connections than PostgreSQL allows.
  await world.stopServers(true)
  const server = await world.serve(PAGES)
  const [owner, door] = [await signInAs(shop, 'owner'), await signInAs(shop, 'door')]
  await world.sql.unsafe(STALL_COUPONS)
  let isDone = false
  const headers = { Cookie: owner }
  // Use more clients than the five connections for pages, so that the connection of a canceled statement is immediately reused.
  const stalledRequests = Array.from({ length: 16 }, async () => {
    while (!isDone) {
      await sendRequest(server.url, '/coupons', { headers })
      await pause(RETRY_MS)
    }
  })
  const countStalled = async () => (await world.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep'`).length
  await expect.poll(countStalled, { intervals: [50] }).toBe(5)
  const scans = await scanOnPageWhile(server, shop, door, 2, makeTimer(fullOrShort(10_000, 2_000)), PAUSE_BETWEEN_SCANS_MS)
  isDone = true
  await world.sql.unsafe(RESTORE_COUPONS)
  await Promise.all(stalledRequests)
  expectServed(scans)
  expect(percentileMs(scans, 0.99), 'check-in page, p99').toBeLessThan(MAX_CHECK_IN_MS)
  const admitted = await checkAdmitted(scans, shop.seller, world.sql)
  const measured = `check-in p99 in a browser ${percentileMs(scans, 0.99)} ms`
  await report('every dashboard connection in use', { faults: 1, requests: scans.length, admitted, lost: 0, measured })
})

/** Measures how many lists per second the server returns to eight clients, each with one request in flight. */
async function measureCapacity({ url }: Server, { key }: Shop, path: string, ms: number): Promise<number> {
  const shouldContinue = makeTimer(ms)
  let succeeded = 0
  const client = async () => {
    const agent = keepAlive()
    while (shouldContinue()) {
      const { status, text } = await sendRequest(url, path, { headers: bearer(key), agent })
      if (status !== 200) throw new Error(text)
      succeeded += 1
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return Math.round((succeeded / ms) * 1000)
}

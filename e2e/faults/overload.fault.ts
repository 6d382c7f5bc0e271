/** Tests overload: every connection in use, a locked row, slow clients, and lists at ten times the machine's capacity. */
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { programArgs } from '@/testing/programs'
import { report } from '@/testing/report'
import { launch } from '../support/processes'
import { scanOnPageWhile, scanWhile, signInAs } from './doors'
import { BACK_MS, checkAdmitted, percentileMs } from './history'
import { keepAlive, sendRequest, type TimedResponse } from './send-request'
import { expect, fullOrShort, isShort, PAGES, type Server, type Shop, sendScan, test } from './world'

/** The limit for the 99th percentile of check-in, in milliseconds. It is high in the short version, which runs alongside other tests. */
const DOOR_MS = fullOrShort(500, 5_000)
/**
 * The time within which a request that cannot be served must be rejected, in milliseconds. A request waits up to 750 ms for a connection.
 * A list request also waits for one of its seller's slots and one of the server's slots (docs/operations.md).
 */
const REFUSED_MS = { scan: fullOrShort(1_500, 5_000), list: fullOrShort(3_000, 5_000), ready: fullOrShort(1_500, 5_000) }
/** How long a rejected client waits before it retries, in milliseconds. Without the pause, rejections would take all CPU time. */
const RETRY_MS = 250
/** How long a door waits between two scans, in milliseconds. */
const REST_MS = fullOrShort(20, 200)

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

/** Returns a function that returns true until this many milliseconds have passed. */
const untilElapsed = (ms: number) => {
  const end = performance.now() + ms
  return () => performance.now() < end
}

const expectUnavailable = ({ status, headers, text, begun, ended }: TimedResponse, maxMs: number) => {
  expect([status, Number(headers['retry-after']) > 0], text).toEqual([503, true])
  expect(ended - begun, 'rejected in time').toBeLessThan(maxMs)
}

/**
 * Expects that every scan succeeds. The short version allows 503s for up to a fifth of the scans, because it shares the machine with other
 * tests: after a second without CPU time, the server rejects requests that have waited too long for a connection.
 */
function expectServed(scans: TimedResponse[]): void {
  const refused = scans.filter(({ status }) => status !== 200)
  const isTolerable = isShort && refused.length <= scans.length / 5 && refused.every(({ status }) => status === 503)
  if (!isTolerable) expect(refused).toEqual([])
}

/** Makes every query on coupons hold its connection until it times out, even if there are no coupons. */
const STALL_COUPONS = `
  alter table coupons rename to coupons_behind;
  create view coupons as select kept.* from coupons_behind kept where (select pg_sleep(30)) is not null`
const RESTORE_COUPONS = 'drop view coupons; alter table coupons_behind rename to coupons'

let server: Server
test.beforeAll(async ({ world }) => {
  server = await world.serveShared()
})
test.afterAll(({ world }) => world.stopServers(true))

test('when every connection is busy, requests get a 503 in time, and requests with an unknown key get a 401', async ({ world }) => {
  // So many tickets that some of their scans are always queued ahead of the requests below, which therefore rarely get a connection.
  const shop = await world.shop(200)
  const scans = [await sendScan(server.url, shop.key, { code: 'guest-0', key: 'before', note: 'n' })]
  await world.sql.unsafe(`
    ${STALL_COUPONS};
    create function fall_asleep() returns trigger language plpgsql as $$ begin perform pg_sleep(30); return new; end $$;
    create trigger asleep before insert on validation_attempts for each row when (new.device = 'asleep') execute function fall_asleep()`)
  let isGoing = true
  const loop = async (work: () => Promise<TimedResponse>) => {
    while (isGoing) {
      await work()
      // If all pauses were equal, all clients would retry at once when the statements time out, and the queue would be empty until then.
      await pause(2 * RETRY_MS * Math.random())
    }
  }
  const headers = { ...bearer(shop.key), Device: 'asleep' }
  const sleepers = [
    ...Array.from({ length: 40 }, () => loop(() => sendRequest(server.url, '/v1/coupons', { headers }))),
    ...shop.codes.slice(1).map((code) => loop(() => sendRequest(server.url, `/v1/tickets/validate/${code}`, { method: 'POST', headers }))),
  ]
  /** Returns the number of check-in connections that have just fallen asleep, or 0 if fewer than two lists are asleep. */
  const countAsleep = async () => {
    const [row] = await world.sql<{ doors: number }[]>`
      select count(*) filter (where application_name = 'checkout-desk doors' and query_start > clock_timestamp() - interval '200 ms')::int as doors
        from pg_stat_activity where wait_event = 'PgSleep'
        having count(*) filter (where application_name <> 'checkout-desk doors') >= 2`
    return row?.doors ?? 0
  }
  const unknownKey = `desk_${'0'.repeat(30)}${await computeChecksum('0'.repeat(30))}`
  const rounds = fullOrShort(20, 5)
  const refused: Record<string, number> = {}
  for (let round = 0; round < rounds; round += 1) {
    // Statements at check-in time out after 2.5 seconds, so a request is certain to be rejected only if nearly all 14 connections fell
    // asleep just before it. On a busy machine, they do not fall asleep at the same time.
    const isWaiting = isShort ? untilElapsed(3_000) : () => true
    while ((await countAsleep()) < 12 && isWaiting()) await pause(20)
    const [scan, list, wrongScan, wrongList, ready] = await Promise.all([
      sendScan(server.url, shop.key, { code: 'guest-0', key: `during-${round}`, note: 'n' }),
      sendRequest(server.url, '/v1/payments', { headers: bearer(shop.key) }),
      sendRequest(server.url, '/v1/tickets/validate/guest-0', { method: 'POST', headers: bearer(unknownKey) }),
      sendRequest(server.url, '/v1/payments', { headers: bearer(unknownKey) }),
      sendRequest(server.url, '/readyz'),
    ])
    expect([wrongScan.status, wrongList.status]).toEqual([401, 401])
    scans.push(scan)
    // A stalled statement times out occasionally, and the next request in the queue gets its connection.
    for (const [kind, reply] of Object.entries({ scan, list, ready })) {
      if (reply.status !== 200) expectUnavailable(reply, REFUSED_MS[kind as keyof typeof REFUSED_MS])
      refused[kind] = (refused[kind] ?? 0) + (reply.status === 503 ? 1 : 0)
    }
  }
  isGoing = false
  // The short version shares the machine with other tests, so /readyz may get the connection of a statement that timed out.
  for (const kind of isShort ? ['scan', 'list'] : ['scan', 'list', 'ready'])
    expect(refused[kind], `${kind} of ${rounds}`).toBeGreaterThanOrEqual(rounds / 2)
  await world.sql.unsafe(`
    drop trigger asleep on validation_attempts; drop function fall_asleep(); ${RESTORE_COUPONS}`)
  const ended = performance.now()
  await Promise.all(sleepers)
  await expect
    .poll(async () => (await sendScan(server.url, shop.key, { code: 'guest-0', key: 'after', note: 'n' })).status, { timeout: BACK_MS })
    .toBe(200)
  const admitted = await checkAdmitted(scans, shop.seller, world.sql)
  const measured = `back after ${Math.round(performance.now() - ended)} ms`
  await report('every database connection in use', { faults: rounds, requests: rounds * 5, admitted, lost: 0, measured }, refused)
})

/** Returns the checksum that follows the random part of a well-formed key. */
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
  const isGoing = untilElapsed(fullOrShort(10_000, 2_000))
  const [stuck, free] = await Promise.all([
    scanWhile(server, { ...shop, codes: ['guest-0'] }, 20, isGoing),
    scanWhile(server, others, 10, isGoing, REST_MS),
  ])
  for (const reply of stuck.slice(0, 50)) expectUnavailable(reply, BACK_MS)
  expect(stuck.filter(({ status }) => status !== 503)).toEqual([])
  expectServed(free)
  expect(percentileMs(free, 0.99), 'other tickets, p99').toBeLessThan(DOOR_MS)
  release()
  await holding
  const ended = performance.now()
  await expect
    .poll(async () => (await sendScan(server.url, shop.key, { code: 'guest-0', key: 'after', note: 'n' })).status, { timeout: BACK_MS })
    .toBe(200)
  const backMs = Math.round(performance.now() - ended)
  await report(
    'one ticket’s row locked',
    {
      faults: stuck.length,
      requests: stuck.length + free.length,
      admitted: await checkAdmitted(free, shop.seller, world.sql),
      lost: 0,
      measured: `other tickets’ p99 ${percentileMs(free, 0.99)} ms`,
    },
    { backMs },
  )
})

/**
 * Sends a request slowly, until the server closes the connection or `isGoing` returns false.
 *
 * @param first sent immediately; the characters of `rest` follow at one per second, and then spaces
 * @returns milliseconds until the server closed the connection, or undefined if it did not
 */
function sendSlowly(url: string, first: string, rest: string, isGoing: () => boolean): Promise<number | undefined> {
  const { port } = new URL(url)
  return new Promise((resolve) => {
    const begun = performance.now()
    const socket: Socket = connect(Number(port), '127.0.0.1', () => socket.write(first))
    let i = 0
    const timer = setInterval(() => (isGoing() ? socket.write(rest.charAt(i++) || ' ') : socket.destroy()), 1_000)
    socket.on('error', () => {})
    socket.on('data', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(isGoing() ? Math.round(performance.now() - begun) : undefined)
    })
  })
}

test('200 clients that send one byte per second are disconnected and do not slow down check-in', { tag: '@waits' }, async ({ world }) => {
  const shop = await world.shop(fullOrShort(2_000, 200))
  const isInTime = untilElapsed(fullOrShort(22_000, 60_000))
  const head = `POST /v1/tickets/validate/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.key}\r\n`
  const body = `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`
  const clients = Array.from({ length: 200 }, (_, i) =>
    i % 2 === 0 ? sendSlowly(server.url, '', head, isInTime) : sendSlowly(server.url, body, '', isInTime),
  )
  let areOpen = true
  const closing = Promise.all(clients).finally(() => {
    areOpen = false
  })
  const scans = await scanWhile(server, shop, fullOrShort(10, 3), () => areOpen, REST_MS)
  const closed = await closing
  expect(closed.filter((ms) => ms === undefined).length, 'still open').toBe(0)
  expectServed(scans)
  expect(percentileMs(scans, 0.99), 'check-in, p99').toBeLessThan(DOOR_MS)
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

/** The output of load.ts. */
type Load = { offered: number; perSecond: number; counts: Record<string, number> }

test('lists at ten times the machine’s capacity are shed, and check-in is unaffected', async ({ world }) => {
  const shop = await world.shop(fullOrShort(4_000, 150), fullOrShort(20_000, 150))
  const cookie = await signInAs(shop, 'door')
  const path = '/v1/payments?limit=100&search=e'
  const capacity = await measureCapacity(server, shop, path, fullOrShort(5_000, 1_000))
  const seconds = fullOrShort(20, 5)
  const generators = 2
  // While other tests run, the measured capacity may be close to zero. The minimum is more than two CPUs can serve.
  const perSecond = Math.max(capacity * 10, MIN_LISTS_PER_SECOND)
  const args = [server.url, shop.key, path, String(perSecond / generators), String(seconds)]
  const loads = Array.from({ length: generators }, () => launch([...programArgs('e2e/faults/load.ts'), ...args]))
  let isOver = false
  const done = Promise.all(loads.map(({ ended }) => ended)).then(() => {
    isOver = true
  })
  const isGoing = () => !isOver
  const half = shop.codes.length / 2
  const [scans, pageScans] = await Promise.all([
    scanWhile(server, { ...shop, codes: shop.codes.slice(half) }, 5, isGoing, 50),
    scanOnPageWhile(server, { ...shop, codes: shop.codes.slice(0, half) }, cookie, 2, isGoing, 100),
  ])
  await done
  const results = loads.map(({ output }) => JSON.parse(output().match(/\{"offered.*\}/)?.[0] ?? '{}') as Load)
  const sum = (name: string) => results.reduce((total, { counts }) => total + (counts[name] ?? 0), 0)
  const unexpected = results.flatMap(({ counts }) => Object.keys(counts)).filter((name) => !['200', '503', 'skipped'].includes(name))
  expect(unexpected, 'lists are served or shed').toEqual([])
  expect(sum('503'), 'lists are shed').toBeGreaterThan(0)
  // Rejections are delayed. Without the delay, there would be thousands per second.
  if (!isShort) expect(sum('503') / seconds, 'rejections per second').toBeLessThan(1_000)
  expect(sum('200'), 'lists are still served').toBeGreaterThan(0)
  expectServed([...scans, ...pageScans])
  expect(percentileMs(scans, 0.99), 'check-in, p99').toBeLessThan(DOOR_MS)
  expect(percentileMs(pageScans, 0.99), 'check-in page, p99').toBeLessThan(DOOR_MS)
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
  // Two servers could open more connections than PostgreSQL allows.
  await world.stopServers(true)
  const server = await world.serve(PAGES)
  const [owner, door] = [await signInAs(shop, 'owner'), await signInAs(shop, 'door')]
  await world.sql.unsafe(STALL_COUPONS)
  let isOver = false
  const headers = { Cookie: owner }
  // More than the five connections for pages, so that the connection of a canceled statement is used again immediately.
  const sleepers = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      await sendRequest(server.url, '/coupons', { headers })
      await pause(RETRY_MS)
    }
  })
  const countAsleep = async () => (await world.sql`select 1 from pg_stat_activity where wait_event = 'PgSleep'`).length
  await expect.poll(countAsleep, { intervals: [50] }).toBe(5)
  const scans = await scanOnPageWhile(server, shop, door, 2, untilElapsed(fullOrShort(10_000, 2_000)), REST_MS)
  isOver = true
  await world.sql.unsafe(RESTORE_COUPONS)
  await Promise.all(sleepers)
  expectServed(scans)
  expect(percentileMs(scans, 0.99), 'check-in page, p99').toBeLessThan(DOOR_MS)
  const admitted = await checkAdmitted(scans, shop.seller, world.sql)
  const measured = `check-in p99 in a browser ${percentileMs(scans, 0.99)} ms`
  await report('every dashboard connection in use', { faults: 1, requests: scans.length, admitted, lost: 0, measured })
})

/** Measures how many lists per second the server returns to eight clients that each wait for a response before sending the next request. */
async function measureCapacity({ url }: Server, { key }: Shop, path: string, ms: number): Promise<number> {
  const isGoing = untilElapsed(ms)
  let succeeded = 0
  const client = async () => {
    const agent = keepAlive()
    while (isGoing()) {
      const { status, text } = await sendRequest(url, path, { headers: bearer(key), agent })
      if (status !== 200) throw new Error(text)
      succeeded += 1
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return Math.round((succeeded / ms) * 1000)
}

/** Tests database failures under load: killed connections and restarts of PostgreSQL. */
import { setTimeout as pause } from 'node:timers/promises'
import { report } from '@/testing/report'
import { checkHistory, type History, RECOVERY_MS } from './history'
import { keepAlive, type TimedResponse } from './send-request'
import { expect, fullOrShort, isShort, type Server, type Shop, sendScan, startTraffic, test } from './world'

/** The time between kills in milliseconds. */
const KILL_INTERVAL_MS = 600
/** More than the 14 check-in connections. */
const PARALLEL_SCANS = 16

/** Sends more parallel scans than there are check-in connections, so that a connection that has not recovered would fail a scan. */
async function checkEachConnection({ url }: Server, shop: Shop, { faultEndedAt = 0 }: History): Promise<void> {
  const agent = keepAlive(PARALLEL_SCANS)
  const due = faultEndedAt + RECOVERY_MS
  const failed: TimedResponse[] = []
  for (let round = 0; performance.now() < due + 3_000; round += 1) {
    const codes = shop.codes.slice(0, PARALLEL_SCANS)
    const replies = await Promise.all(
      codes.map((code) => sendScan(url, shop.key, { code, key: `after-${round}-${code}`, note: 'after' }, agent)),
    )
    failed.push(...replies.filter(({ startedAt, status }) => startedAt > due && status !== 200))
    await pause(200)
  }
  agent.destroy()
  expect(
    failed.map(({ text }) => text),
    'failed after the recovery time',
  ).toEqual([])
}

let server: Server
test.beforeAll(async ({ world }) => {
  server = await world.serveShared()
})
test.afterAll(({ world }) => world.stopServers(true))

test('no admission is lost while every connection is killed every 600 ms', async ({ world }) => {
  const shop = await world.shop(fullOrShort(2_000, 100))
  const traffic = startTraffic(shop, { url: () => server.url, doors: 50, scans: 3 })
  let kills = 0
  let killed = 0
  let isDone = false
  void traffic.done.then(() => {
    isDone = true
  })
  // Kill all connections until every ticket has been scanned, up to 60 times (6 times in the short version).
  while (!isDone) {
    const rows = await world.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'checkout-desk %'`
    kills += 1
    killed += rows.length
    await pause(KILL_INTERVAL_MS)
    if (kills === fullOrShort(60, 6)) break
  }
  traffic.history.faultEndedAt = performance.now()
  await traffic.stop()
  if (!isShort) await checkEachConnection(server, shop, traffic.history)
  const { failed, ...figures } = await checkHistory(traffic.history, shop.seller, world.sql)
  expect(killed).toBeGreaterThan(0)
  await report(
    `every database connection killed every ${KILL_INTERVAL_MS} ms`,
    { faults: kills, ...figures },
    { connections: killed, failed },
  )
})

test('no admission is lost when PostgreSQL is restarted (-m immediate) under load', async ({ world }) => {
  const shop = await world.shop(fullOrShort(6_000, 200))
  const traffic = startTraffic(shop, { url: () => server.url, doors: 20, scans: 2 })
  const restarts = fullOrShort(20, 2)
  for (let i = 0; i < restarts; i += 1) {
    await world.control('-m', 'immediate', '-w', 'restart', '-l', '/dev/null')
    traffic.history.faultEndedAt = performance.now()
    // Wait until the server serves requests again before injecting the next fault.
    const served = traffic.history.scans.filter(({ replies }) => replies.length > 0).length
    await expect.poll(() => traffic.history.scans.filter(({ replies }) => replies.length > 0).length > served).toBe(true)
  }
  await traffic.stop()
  const { failed, ...figures } = await checkHistory(traffic.history, shop.seller, world.sql)
  await report('PostgreSQL restarted (`-m immediate`)', { faults: restarts, ...figures }, { failed })
})

/** The database goes away under load: connections killed, the server restarted. */
import { setTimeout as pause } from 'node:timers/promises'
import { report } from '@/testing/report'
import { keepAlive, type Reply } from './ask'
import { BACK_MS, checkHistory, type History } from './history'
import { expect, isShort, often, type Server, type Shop, sendScan, startTraffic, test } from './world'

/** Between two kills; the figure. */
const KILL_MS = 600
const DOOR_CONNECTIONS = 16

/** A connection that does not come back fails whoever is given it: as many scans at once as doors have connections, until long after. */
async function checkEachConnection({ url }: Server, shop: Shop, { faultEnded = 0 }: History): Promise<void> {
  const agent = keepAlive(DOOR_CONNECTIONS)
  const due = faultEnded + BACK_MS
  const late: Reply[] = []
  for (let round = 0; performance.now() < due + 3_000; round += 1) {
    const codes = shop.codes.slice(0, DOOR_CONNECTIONS)
    const replies = await Promise.all(
      codes.map((code) => sendScan(url, shop.key, { code, key: `after-${round}-${code}`, note: 'after' }, agent)),
    )
    late.push(...replies.filter(({ begun, status }) => begun > due && status !== 200))
    await pause(200)
  }
  agent.destroy()
  expect(
    late.map(({ text }) => text),
    'refused when the service was due again',
  ).toEqual([])
}

test('every connection killed each 600 ms: 50 doors, 3 scans a ticket', async ({ world }) => {
  const shop = await world.shop(often(2_000, 100))
  const server = await world.serve()
  const traffic = startTraffic(shop, { url: () => server.url, doors: 50, scans: 3 })
  let kills = 0
  let killed = 0
  let over = false
  void traffic.done.then(() => {
    over = true
  })
  // As long as there are doors, and often enough where they are quick.
  while (!over) {
    const rows = await world.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'checkout-desk'`
    kills += 1
    killed += rows.length
    await pause(KILL_MS)
    if (kills === often(60, 6)) break
  }
  traffic.history.faultEnded = performance.now()
  await traffic.stop()
  if (!isShort) await checkEachConnection(server, shop, traffic.history)
  const { unanswered, ...figures } = await checkHistory(traffic.history, shop.seller, world.sql)
  expect(killed).toBeGreaterThan(0)
  await report(`every connection killed each ${KILL_MS} ms`, { faults: kills, ...figures }, { connections: killed, unanswered })
})

test('PostgreSQL restarted at once (-m immediate) under load', async ({ world }) => {
  const shop = await world.shop(often(6_000, 200))
  const server = await world.serve()
  const traffic = startTraffic(shop, { url: () => server.url, doors: 20, scans: 2 })
  const restarts = often(20, 2)
  for (let at = 0; at < restarts; at += 1) {
    await world.control('-m', 'immediate', '-w', 'restart', '-l', '/dev/null')
    traffic.history.faultEnded = performance.now()
    // The load between two faults.
    const served = traffic.history.scans.filter(({ replies }) => replies.length > 0).length
    await expect.poll(() => traffic.history.scans.filter(({ replies }) => replies.length > 0).length > served).toBe(true)
  }
  await traffic.stop()
  const { unanswered, ...figures } = await checkHistory(traffic.history, shop.seller, world.sql)
  await report('PostgreSQL restarted at once (`-m immediate`)', { faults: restarts, ...figures }, { unanswered })
})

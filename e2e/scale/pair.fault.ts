/** Tests that one of two servers takes over when the other is killed or stopped under load. */
import { report } from '@/testing/report'
import { checkHistory, listReplies } from '../faults/history'
import { expect, startTraffic, test } from '../faults/world'
import { stop } from '../support/processes'

/** The indexes of the servers. Each server is stopped once. */
const SERVERS = [0, 1] as const
/** Enough tickets for the scans to last until both servers have been replaced. */
const TICKETS = 10_000
const DOORS = 4

test('no ticket is admitted twice when either of two servers is killed (SIGKILL) and the other takes over', async ({ world }) => {
  const shop = await world.shop(TICKETS)
  const pair = await world.pair()
  const traffic = startTraffic(shop, { url: () => pair.url, doors: DOORS, scans: 2 })
  const countCompleted = () => traffic.history.scans.filter(({ replies }) => replies.at(-1)?.status === 200).length
  for (const index of SERVERS) {
    const before = countCompleted()
    await expect.poll(() => countCompleted() > before + 50, { intervals: [20] }).toBe(true)
    await stop(pair.servers[index], 'SIGKILL')
    traffic.history.faultEndedAt = performance.now()
    const whenKilled = countCompleted()
    await expect.poll(() => countCompleted() > whenKilled + 50, { intervals: [20] }).toBe(true)
    await pair.replace(index)
  }
  await traffic.stopEarly()
  const { failed, ...figures } = await checkHistory(traffic.history, shop.seller, world.sql)
  for (const count of pair.proxy.requestCounts()) expect(count).toBeGreaterThan(50)
  await report('one of two servers killed (SIGKILL)', { faults: SERVERS.length, ...figures }, { failed })
})

test('every request succeeds during a rolling restart of two servers (SIGTERM)', async ({ world }) => {
  const shop = await world.shop(TICKETS)
  const pair = await world.pair()
  const traffic = startTraffic(shop, { url: () => pair.url, doors: DOORS, scans: 2 })
  const countCompleted = () => traffic.history.scans.filter(({ replies }) => replies.length > 0).length
  for (const index of SERVERS) {
    const before = countCompleted()
    await expect.poll(() => countCompleted() > before + 50, { intervals: [20] }).toBe(true)
    const { url } = pair.servers[index]
    const ended = stop(pair.servers[index])
    // Act like a proxy with health checks, which stops sending requests to a server that is not ready.
    const isReady = () => fetch(`${url}/readyz`).then(({ ok }) => ok)
    await expect.poll(() => isReady().catch(() => false), { intervals: [10] }).toBe(false)
    pair.proxy.setTarget(index, Number(new URL(pair.servers[1 - index]?.url ?? '').port))
    expect(await ended, 'the server exits on its own').toBe(0)
    await pair.replace(index)
  }
  await traffic.stopEarly()
  const { failed, ...figures } = await checkHistory(traffic.history, shop.seller, world.sql)
  const replies = listReplies(traffic.history)
  expect(replies.filter(({ status }) => status !== 200).map(({ status, text }) => `${status} ${text}`)).toEqual([])
  await report('one of two servers stopped (SIGTERM)', { faults: SERVERS.length, ...figures }, { failed })
})

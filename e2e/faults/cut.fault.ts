/** Tests the loss of responses after COMMIT, between database and server and between server and client. */
import { report } from '@/testing/report'
import { startCuttingProxy } from './cutting-proxy'
import { checkHistory } from './history'
import { expect, fullOrShort, startTraffic, test } from './world'

/** The CommandComplete message of a COMMIT (PostgreSQL manual, "Message Formats"). */
const COMMITTED = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1')

/** Returns a predicate that is true for every other match, so that retries get through. */
const everyOther = (matches: (chunk: Buffer) => boolean) => {
  let seen = 0
  return (chunk: Buffer) => matches(chunk) && ++seen % 2 === 1
}

test('a retry does not admit a guest twice if the database’s response to COMMIT is lost', async ({ world }) => {
  const cuts = fullOrShort(2_000, 30)
  const shop = await world.shop(cuts)
  const { port } = new URL(world.url)
  const proxy = await startCuttingProxy(
    Number(port),
    everyOther((chunk) => chunk.includes(COMMITTED)),
  )
  const server = await world.serve({ DATABASE_URL: world.url.replace(`:${port}/`, `:${proxy.port}/`) })
  const traffic = startTraffic(shop, { url: () => server.url, doors: 8, scans: 1 })
  await traffic.stop()
  const { failed, ...figures } = await checkHistory(traffic.history, shop.seller, world.sql)
  expect(proxy.cuts()).toBeGreaterThanOrEqual(cuts)
  await report('response to COMMIT lost between database and server', { faults: proxy.cuts(), ...figures }, { failed })
  await proxy.close()
})

test('a retry gets the first response if the client did not receive it', async ({ world }) => {
  const cuts = fullOrShort(2_000, 30)
  const shop = await world.shop(cuts)
  const server = await world.serve()
  const proxy = await startCuttingProxy(
    Number(new URL(server.url).port),
    everyOther((chunk) => chunk.includes('"success":')),
  )
  const traffic = startTraffic(shop, { url: () => `http://127.0.0.1:${proxy.port}`, doors: 8, scans: 1, integrations: 1 })
  await traffic.stop()
  const { failed, ...figures } = await checkHistory(traffic.history, shop.seller, world.sql)
  const replayed = traffic.history.scans.filter(({ replies }) => replies.at(-1)?.headers['idempotent-replayed'] === 'true').length
  expect(proxy.cuts()).toBeGreaterThanOrEqual(cuts)
  const cutScans = traffic.history.scans.filter(({ replies }) => replies.some(({ status }) => status === 0)).length
  expect(replayed, 'every scan whose response was lost gets a replay').toBe(cutScans)
  const measured = `${replayed.toLocaleString('en')} got a replayed response`
  await report('response lost between server and client, after COMMIT', { faults: proxy.cuts(), ...figures, measured }, { failed })
  await proxy.close()
})

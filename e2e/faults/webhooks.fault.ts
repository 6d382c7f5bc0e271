/** Tests webhook delivery when servers are killed: all committed changes, and no others, arrive at the endpoint. */
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openQueue } from '@/lib/jobs/job-queue'
import { freePort } from '@/testing/free-port'
import { report } from '@/testing/report'
import { stop } from '../support/processes'
import { sendRequest } from './send-request'
import { expect, fullOrShort, isShort, type Shop, test, type World } from './world'

/** The number of changes per kill. */
const CHANGES = 30
/** How long an integration waits before retrying a request that got no response, in milliseconds. */
const RETRY_MS = 50

type Receiver = { url: string; server: HttpServer; codes: Set<string>; ids: Set<string>; holdsResponses: boolean }

/** Starts an endpoint that records the events it receives. While `holdsResponses` is true, it does not acknowledge them. */
async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { code: string } }
      receiver.ids.add(String(request.headers['webhook-id']))
      receiver.codes.add(data.code)
      if (!receiver.holdsResponses) response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const receiver: Receiver = { url, server, codes: new Set(), ids: new Set(), holdsResponses: false }
  return receiver
}

const post = (url: string, { key }: Shop, path: string, body: object, idempotencyKey: string) =>
  sendRequest(url, path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
    body: JSON.stringify(body),
  })

/** Creates coupons one after another. Retries requests without a response with the same key, as an integration would. */
async function createCoupons(url: string, shop: Shop, onResponse: () => void): Promise<void> {
  for (let i = 0; i < CHANGES; i += 1) {
    const coupon = { label: `Coupon ${i}`, code: `CODE${i}`, duration: 'once', percentOff: 10 }
    let status = 0
    while (status !== 201) {
      status = (await post(url, shop, '/v1/coupons', coupon, `coupon-${i}`)).status
      expect([0, 201, 503]).toContain(status)
      // While the server restarts, connections are refused at once.
      if (status === 0) await pause(RETRY_MS)
    }
    onResponse()
  }
}

/** When to kill a server: after a change is committed, after its delivery is queued, or before the endpoint acknowledges the delivery. */
type Moment = 'after the commit' | 'after enqueueing' | 'before the acknowledgment'
const MOMENTS: readonly Moment[] = ['after the commit', 'after enqueueing', 'before the acknowledgment']

/** Waits for the moment to kill the server. */
async function waitFor(moment: Moment, world: World, shop: Shop, receiver: Receiver, responses: () => number): Promise<void> {
  const isQueued = async () =>
    (await world.sql`select 1 from pgboss.job where name = 'webhooks' and data ->> 'sellerId' = ${shop.seller} and state < 'completed'`)
      .length > 0
  const isReached = {
    'after the commit': async () => responses() > 0,
    'after enqueueing': isQueued,
    'before the acknowledgment': async () => receiver.ids.size > 0,
  }
  await expect.poll(isReached[moment], { intervals: [5] }).toBe(true)
}

const listEvents = async (world: World, { seller }: Shop) =>
  (await world.sql<{ id: string }[]>`select id from events where seller_id = ${seller} and type = 'coupon.created'`)
    .map(({ id }) => id)
    .sort()

/** Requeues the jobs of killed servers, as running servers do every 30 seconds. */
async function maintainQueue(): Promise<void> {
  const queue = await openQueue()
  await queue.maintain()
  await queue.stop({ graceful: false })
}

test('every committed change arrives at a webhook endpoint, even if the server is killed (SIGKILL) before delivering it', async ({
  world,
}) => {
  const rounds = fullOrShort(10, 1)
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const startServer = () => world.serve({ PORT: port, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' })
  let server = await startServer()
  const all: { shop: Shop; receiver: Receiver }[] = []
  for (const moment of Array.from({ length: rounds }, () => MOMENTS).flat()) {
    const [shop, receiver] = [await world.shop(1, 0), await startReceiver()]
    receiver.holdsResponses = moment === 'before the acknowledgment'
    const endpoint = await post(url, shop, '/v1/webhook_endpoints', { url: receiver.url, events: ['coupon.created'] }, 'endpoint')
    expect(endpoint.status).toBe(201)
    let responses = 0
    const changes = createCoupons(url, shop, () => {
      responses += 1
    })
    await waitFor(moment, world, shop, receiver, () => responses)
    await stop(server, 'SIGKILL')
    receiver.holdsResponses = false
    server = await startServer()
    await changes
    all.push({ shop, receiver })
  }
  // Backdate the jobs of killed servers, which are requeued after a minute.
  await world.sql`update pgboss.job set started_on = started_on - interval '5 minutes' where name = 'webhooks' and state = 'active'`
  if (isShort) await maintainQueue()
  for (const { shop, receiver } of all) {
    const committed = await listEvents(world, shop)
    expect(committed).toHaveLength(CHANGES)
    await expect.poll(() => receiver.ids.size, { timeout: 120_000 }).toBeGreaterThanOrEqual(CHANGES)
    expect([...receiver.ids].sort()).toEqual(committed)
    expect(receiver.codes.size).toBe(CHANGES)
    receiver.server.closeAllConnections()
    receiver.server.close()
  }
  await report('server killed (SIGKILL) during webhook delivery', { faults: all.length, requests: all.length * CHANGES, lost: 0 })
})

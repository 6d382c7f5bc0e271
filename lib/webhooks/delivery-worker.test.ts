/** Several servers share the delivery of events, and no events are lost if one of them is killed. */
// @module-tag slow
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { sql } from 'drizzle-orm'
import type PgBoss from 'pg-boss'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { withOwnDatabase } from '@/testing/own-database'
import { makeSeller } from '@/testing/seller'
import {
  addEndpoint,
  closeReceivers,
  eventIds,
  listDeliveries,
  type ReceivedRequest,
  runStatement,
  startReceiver,
  writeEvents,
} from '@/testing/webhooks'
import { openQueue } from '../jobs/job-queue'
import { startDelivery } from './delivery-worker'
import { failDeliveriesOfDisabledEndpoints } from './endpoints'

vi.mock(import('../core/env'), async (original) => {
  const actual = await original()
  return { ...actual, env: () => ({ ...actual.env(), WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' as const }) }
})

vi.mock(import('./endpoints'), { spy: true })

withOwnDatabase()

let queue: PgBoss
beforeAll(async () => {
  queue = await openQueue()
})
afterEach(async () => {
  await runStatement(sql`update webhook_endpoints set enabled = false`)
  await runStatement(sql`delete from pgboss.job where name = 'webhooks'`)
})
afterAll(() => queue.stop({ graceful: false }))
afterAll(closeReceivers)

/** Runs a worker until `count` events have been received. */
async function runUntil(received: ReceivedRequest[], count: number) {
  const stop = startDelivery(queue)
  try {
    await expect.poll(() => uniqueIds(received).length, { timeout: 30_000, interval: 50 }).toBe(count)
  } finally {
    await stop()
  }
}
const uniqueIds = (received: ReceivedRequest[]) => [...new Set(received.map(({ id }) => id))].toSorted()

it('two workers deliver each event to a healthy endpoint exactly once while a second endpoint hangs and a third fails', async () => {
  const seller = await makeSeller()
  const pendingResponses: ServerResponse[] = []
  const [healthy, failing, hanging] = [
    await startReceiver(),
    await startReceiver((_, outgoing) => outgoing.writeHead(500).end()),
    await startReceiver((_, outgoing) => pendingResponses.push(outgoing)),
  ]
  for (const { url } of [hanging, failing, healthy]) await addEndpoint(seller, url)
  await writeEvents(seller, 100)
  const ids = (await eventIds(seller)).toSorted()
  const stops = [startDelivery(queue), startDelivery(queue)]
  await expect.poll(() => uniqueIds(healthy.received), { timeout: 30_000, interval: 50 }).toEqual(ids)
  // The hanging endpoint has not responded yet.
  expect(pendingResponses.length).toBeGreaterThan(0)
  expect(hanging.received.length).toBe(pendingResponses.length)
  await expect.poll(() => uniqueIds(failing.received), { timeout: 30_000, interval: 50 }).toEqual(ids)
  for (const outgoing of pendingResponses) outgoing.destroy()
  await Promise.all(stops.map((stop) => stop()))
  expect(healthy.received.map(({ id }) => id).toSorted()).toEqual(ids)
})

it('a worker delivers to an endpoint while another one, which it served first, hangs', async () => {
  const seller = await makeSeller()
  const pendingResponses: ServerResponse[] = []
  const [hanging, healthy] = [await startReceiver((_, outgoing) => pendingResponses.push(outgoing)), await startReceiver()]
  await addEndpoint(seller, hanging.url)
  await writeEvents(seller, 1)
  const stop = startDelivery(queue)
  await expect.poll(() => pendingResponses.length, { timeout: 30_000, interval: 50 }).toBe(1)
  await addEndpoint(seller, healthy.url)
  await writeEvents(seller, 1)
  await expect.poll(() => healthy.received.length, { timeout: 30_000, interval: 50 }).toBe(1)
  expect(hanging.received.length).toBe(1)
  for (const outgoing of pendingResponses) outgoing.destroy()
  await stop()
})

it('workers send each event once if two servers find the same endpoint, and one of them enqueues it while the other is sending', async () => {
  const seller = await makeSeller()
  const held: ServerResponse[] = []
  let isHolding = true
  const { url, received } = await startReceiver((_, outgoing) => (isHolding ? held.push(outgoing) : outgoing.end()))
  await addEndpoint(seller, url)
  await writeEvents(seller, 3)
  const steps = new EventEmitter()
  const [inserting, sending, fetched] = ['inserting', 'sending', 'fetched'].map((step) => once(steps, step))
  const slow: PgBoss = Object.assign(Object.create(queue), {
    insert: async (jobs: Parameters<PgBoss['insert']>[0]) => {
      steps.emit('inserting')
      await sending
      return queue.insert(jobs)
    },
    fetch: async (name: string, options: { batchSize: number }) => {
      const jobs = await queue.fetch(name, options)
      steps.emit('fetched', jobs)
      return jobs
    },
  })
  const stops = [startDelivery(slow)]
  try {
    await inserting
    stops.push(startDelivery(queue))
    await expect.poll(() => held.length, { timeout: 30_000, interval: 20 }).toBe(3)
    steps.emit('sending')
    expect(await fetched).toEqual([[]])
  } finally {
    isHolding = false
    for (const outgoing of held) outgoing.end()
    await Promise.all(stops.map((stop) => stop()))
  }
  expect(received).toHaveLength(3)
})

it('a worker delivers the events of a server that was killed after the commit, after enqueueing, or before the acknowledgment', async () => {
  const seller = await makeSeller()
  const { url, received } = await startReceiver()
  const endpoint = await addEndpoint(seller, url)
  // Committed, but never enqueued.
  await writeEvents(seller, 3)
  await runUntil(received, 3)
  // Enqueued, but never fetched.
  await writeEvents(seller, 3)
  const { sellerId, endpointId } = endpoint
  await queue.insert([{ name: 'webhooks', data: { sellerId, endpointId }, singletonKey: endpointId }])
  await runUntil(received, 6)
  // Fetched, but never completed: the queue gives the job to another server once it has expired.
  await writeEvents(seller, 3)
  await queue.insert([{ name: 'webhooks', data: { sellerId, endpointId }, singletonKey: endpointId }])
  expect(await queue.fetch('webhooks', { batchSize: 10 })).toHaveLength(1)
  await runStatement(sql`update pgboss.job set started_on = now() - interval '2 minutes' where name = 'webhooks' and state = 'active'`)
  await queue.maintain()
  await runUntil(received, 9)
  expect(uniqueIds(received)).toEqual((await eventIds(seller)).toSorted())
  expect((await listDeliveries(endpoint)).every(({ state }) => state === 'succeeded')).toBe(true)
})

it('a worker delivers to an endpoint whose job an operator has marked as completed', async () => {
  const seller = await makeSeller()
  const { url, received } = await startReceiver()
  await addEndpoint(seller, url)
  await writeEvents(seller, 1)
  const [endpoint] = await runStatement<{ id: string }>(sql`select id from webhook_endpoints where seller_id = ${seller}`)
  await queue.insert([{ name: 'webhooks', singletonKey: endpoint?.id ?? '', singletonSeconds: 2 ** 31 - 1 }])
  await runStatement(sql`update pgboss.job set state = 'completed' where name = 'webhooks'`)
  await runUntil(received, 1)
})

it('a worker delivers events even if marking the deliveries of disabled endpoints as failed throws an error', async () => {
  const seller = await makeSeller()
  const { url, received } = await startReceiver()
  await addEndpoint(seller, url)
  await writeEvents(seller, 1)
  const failing = vi.mocked(failDeliveriesOfDisabledEndpoints).mockRejectedValue(new Error('timeout'))
  await runUntil(received, 1).finally(() => failing.mockReset())
})

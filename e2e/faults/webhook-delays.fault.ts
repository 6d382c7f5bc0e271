/** Tests that hanging or failing webhook endpoints do not delay a healthy one. Runs only in the full version, because it takes a minute. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { percentile } from '@/testing/percentile'
import { report } from '@/testing/report'
import { keepAlive, sendRequest } from './send-request'
import { expect, test } from './world'

const EVENTS = 1_000
const PER_SECOND = EVENTS / 60
/** The limit for the 95th percentile of the delays in milliseconds. */
const MAX_MS = 2_000

type Delivery = { id: string; delayMs: number }

/** Starts an endpoint that records how long each delivery arrives after its event. */
async function startEndpoint(respond: (outgoing: ServerResponse) => void) {
  const deliveries: Delivery[] = []
  const server = createServer((incoming: IncomingMessage, outgoing) => {
    const arrived = Date.now()
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { timestamp: string }
      deliveries.push({ id: String(incoming.headers['webhook-id']), delayMs: arrived - Date.parse(timestamp) })
      respond(outgoing)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, deliveries, close }
}

test('at 1,000 events per minute, a healthy webhook endpoint receives 95% of them within 2 s while another hangs and a third fails', async ({
  world,
}) => {
  const shop = await world.shop(1, 0)
  const { url } = await world.serve({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' })
  const [healthy, failing, hanging] = [
    await startEndpoint((outgoing) => outgoing.end()),
    await startEndpoint((outgoing) => outgoing.writeHead(500).end()),
    await startEndpoint(() => {}),
  ]
  const agent = keepAlive(20)
  const post = (path: string, body: object, key: string) =>
    sendRequest(url, path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${shop.key}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify(body),
      agent,
    })
  for (const [i, endpoint] of [hanging, failing, healthy].entries()) {
    const body = { url: endpoint.url, events: ['coupon.created'] }
    expect((await post('/v1/webhook_endpoints', body, `endpoint-${i}`)).status).toBe(201)
  }
  /** Creates a coupon, retrying with the same key while the server is busy, as an integration would. */
  const createCoupon = async (i: number) => {
    const coupon = { label: `Coupon ${i}`, code: `CODE${i}`, duration: 'once', percentOff: 10 }
    for (;;) {
      const { status } = await post('/v1/coupons', coupon, `coupon-${i}`)
      if (status === 201) return
      expect(status).toBe(503)
      await pause(100)
    }
  }
  const start = performance.now()
  const changes: Promise<void>[] = []
  for (let i = 0; i < EVENTS; i += 1) {
    await pause(Math.max(0, start + (i * 1000) / PER_SECOND - performance.now()))
    changes.push(createCoupon(i))
  }
  await Promise.all(changes)
  await expect.poll(() => healthy.deliveries.length).toBe(EVENTS)
  const delays = healthy.deliveries.map(({ delayMs }) => delayMs)
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((fraction) => percentile(delays, fraction))
  const figures = { requests: EVENTS, lost: 0, measured: `delivered after p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms` }
  await report('one webhook endpoint hangs and one fails, with 1,000 events per minute', figures, {
    failing: failing.deliveries.length,
    hanging: hanging.deliveries.length,
  })
  for (const { close } of [hanging, failing, healthy]) close()
  agent.destroy()
  expect(new Set(healthy.deliveries.map(({ id }) => id)).size).toBe(EVENTS)
  expect(p95).toBeLessThan(MAX_MS)
})

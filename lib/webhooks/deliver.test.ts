/** Deliveries to real receivers: signatures, retries, failures that disable an endpoint, and crashes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { database } from '@/db/client'
import { validateTicket } from '@/lib/admission/change-ticket'
import { seal } from '@/lib/core/seal'
import { textArray } from '@/lib/core/sql'
import { serializeResult } from '@/testing/admission'
import { withOwnDatabase } from '@/testing/own-database'
import { importText, makeSeller, minimal } from '@/testing/seller'
import type { JobQueue } from '../jobs/job-queue'
import { openQueue } from '../jobs/job-queue'
import { delayAfter, deliverDue, RETRY_SECONDS } from './deliver'
import { startDelivery } from './delivery-worker'
import { changeEndpoint, rotateSecret, updateEndpoint } from './endpoints'
import { purgeDeliveries } from './purge-deliveries'
import { generateSecret } from './sign'

vi.mock(import('../core/env'), async (original) => {
  const actual = await original()
  return { ...actual, env: () => ({ ...actual.env(), WEBHOOK_ALLOW_PRIVATE_ADDRESSES: allowsPrivate }) }
})
let allowsPrivate: 'true' | 'false' = 'true'

withOwnDatabase()

type Received = { id: string; headers: Record<string, string>; body: string }
type Answer = (incoming: IncomingMessage, outgoing: ServerResponse, received: Received) => void

/** Starts a server that records what it receives. */
async function startReceiver(answer: Answer = (_, outgoing) => outgoing.end('ok')) {
  const received: Received[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const headers = incoming.headers as Record<string, string>
      const one = { id: headers['webhook-id'] ?? '', headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      answer(incoming, outgoing, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}
const servers: ReturnType<typeof createServer>[] = []

const read = <Row>(query: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(query))

let made = 0
async function addEndpoint(seller: string, url: string, types = ['*'], old?: string) {
  made += 1
  const endpointId = `we_${String(made).padStart(24, '0')}`
  const secret = generateSecret()
  const sealed = await seal(secret, seller)
  const oldSealed = old === undefined ? null : await seal(old, seller)
  await read(sql`
    insert into webhook_endpoints (seller_id, id, url, events, secret, old_secret, old_secret_until)
    values (${seller}, ${endpointId}, ${url}, ${textArray(types)}, ${sealed}, ${oldSealed}, now() + interval '1 hour')`)
  return { sellerId: seller, endpointId, secret }
}
type Key = { sellerId: string; endpointId: string }

const writeEvents = (seller: string, count = 1) =>
  importText('coupons', seller, Array.from({ length: count }, () => JSON.stringify(minimal('coupons'))).join('\n'), { events: true })
const eventIds = async (seller: string) =>
  (await read<{ id: string }>(sql`select id from events where seller_id = ${seller}`)).map(({ id }) => id)
const deliveriesOf = ({ endpointId }: Key) =>
  read<{ state: string; attempts: number; seconds: number }>(sql`
    select state, attempts, extract(epoch from next_at - now())::float8 as seconds from webhook_deliveries where endpoint_id = ${endpointId} order by event_id`)
const attemptsOf = ({ endpointId }: Key) =>
  read<{ status: number | null; error: string | null; answer: string | null; ms: number }>(sql`
    select status, error, answer, ms from webhook_attempts where endpoint_id = ${endpointId} order by id`)
const endpointOf = async ({ endpointId }: Key) =>
  (
    await read<{ enabled: boolean; reason: string | null; failing: boolean }>(sql`
    select enabled, disabled_reason as reason, failing_since is not null as failing from webhook_endpoints where id = ${endpointId}`)
  )[0]
const makeDue = () => read(sql`update webhook_deliveries set next_at = now() where state = 'pending'`)

beforeEach(() => {
  allowsPrivate = 'true'
})
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

describe('a delivery', () => {
  it('is signed as in Standard Webhooks, with both secrets while they are rotated', async () => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver()
    const old = generateSecret()
    const endpoint = await addEndpoint(seller, url, ['coupon.created'], old)
    await writeEvents(seller)
    await deliverDue(endpoint)
    const [one] = received
    const [event] = await read<{ id: string; at: string; data: string }>(
      sql`select id, data::text as data, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from events where seller_id = ${seller}`,
    )
    for (const secret of [endpoint.secret, old]) {
      expect(new Webhook(secret).verify(one?.body ?? '', one?.headers ?? {})).toEqual({
        type: 'coupon.created',
        timestamp: event?.at,
        data: JSON.parse(event?.data ?? ''),
      })
    }
    expect(() => new Webhook(generateSecret()).verify(one?.body ?? '', one?.headers ?? {})).toThrow('No matching signature')
    expect([received.length, one?.id, one?.headers['content-type']]).toEqual([1, event?.id, 'application/json'])
    expect(await deliveriesOf(endpoint)).toMatchObject([{ state: 'succeeded', attempts: 1 }])
    expect(await attemptsOf(endpoint)).toMatchObject([{ status: 200, error: null, answer: 'ok' }])
  })

  it('is made for the chosen types only, and for enabled endpoints of the same seller', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const { url } = await startReceiver()
    const [all, none, theirs, off] = [
      await addEndpoint(seller, url),
      await addEndpoint(seller, url, ['coupon.updated', 'payment.paid']),
      await addEndpoint(other, url),
      await addEndpoint(seller, url),
    ]
    await read(sql`update webhook_endpoints set enabled = false where id = ${off.endpointId}`)
    await writeEvents(seller, 3)
    for (const [endpoint, count] of [
      [all, 3],
      [none, 0],
      [theirs, 0],
      [off, 0],
    ] as const)
      expect(await deliveriesOf(endpoint)).toHaveLength(count)
  })

  it('is not made for a change that is rolled back', async () => {
    const seller = await makeSeller()
    const endpoint = await addEndpoint(seller, 'http://127.0.0.1:9')
    const line = minimal('tickets')
    await importText('tickets', seller, JSON.stringify(line))
    const scan = { sellerId: seller, actorId: 'x', code: String(line.qrCode), body: {}, metadata: [], checkIn: true }
    const failing = validateTicket(scan, () => {
      throw new Error('not serialized')
    })
    await expect(failing).rejects.toThrow('not serialized')
    expect(await deliveriesOf(endpoint)).toEqual([])
    await validateTicket(scan, serializeResult)
    expect(await deliveriesOf(endpoint)).toHaveLength(1)
  })

  it.each([
    ['an error', 500, {}, 5, 6],
    ['a redirect, which is not followed', 302, { location: 'http://127.0.0.1:9/' }, 5, 6],
    ['too many requests, and Retry-After in seconds', 429, { 'retry-after': '90' }, 89, 90],
    ['unavailable, and Retry-After as a date', 503, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }, 500, 601],
    ['an error with Retry-After, which only 429 and 503 can have', 500, { 'retry-after': '90' }, 5, 6],
  ])('is repeated after %s', async (_, status, headers, least, most) => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver((_incoming, outgoing) => outgoing.writeHead(status, headers).end('x'.repeat(5000)))
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller)
    await deliverDue(endpoint)
    const [delivery] = await deliveriesOf(endpoint)
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1 })
    expect(delivery?.seconds).toBeGreaterThan(least - 3)
    expect(delivery?.seconds).toBeLessThanOrEqual(most)
    expect(await attemptsOf(endpoint)).toMatchObject([{ status, error: null, answer: 'x'.repeat(1024) }])
    expect(await endpointOf(endpoint)).toMatchObject({ enabled: true, failing: true })
    await makeDue()
    await deliverDue(endpoint)
    expect(received.map(({ id }) => id)).toEqual([received[0]?.id, received[0]?.id])
  })

  it('is given up after ten attempts over three days', () => {
    const failed = { status: 500, error: null, ms: 1, answer: '' }
    const delays = Array.from({ length: 10 }, (_, at) => delayAfter(at + 1, failed))
    for (const [at, seconds] of RETRY_SECONDS.entries()) {
      expect(delays[at]).toBeGreaterThanOrEqual(seconds)
      expect(delays[at]).toBeLessThanOrEqual(seconds * 1.2)
    }
    expect(delays[9]).toBeUndefined()
  })

  it('is recorded with a reason if there is no response', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver((incoming) => incoming.socket.destroy())
    const [reset, refused, unknown] = [
      await addEndpoint(seller, url),
      await addEndpoint(seller, 'http://127.0.0.1:9/'),
      await addEndpoint(seller, 'http://no-such-host.invalid/'),
    ]
    await writeEvents(seller)
    for (const endpoint of [reset, refused, unknown]) await deliverDue(endpoint)
    expect((await attemptsOf(reset))[0]).toMatchObject({ status: null, error: 'connection_reset', answer: null })
    expect((await attemptsOf(refused))[0]).toMatchObject({ error: 'connection_refused' })
    expect((await attemptsOf(unknown))[0]).toMatchObject({ error: 'host_not_found' })
  })

  it('clears the failure of its endpoint when it succeeds', async () => {
    const seller = await makeSeller()
    let status = 500
    const { url } = await startReceiver((_, outgoing) => outgoing.writeHead(status).end())
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller)
    await deliverDue(endpoint)
    status = 204
    await makeDue()
    await deliverDue(endpoint)
    expect(await endpointOf(endpoint)).toEqual({ enabled: true, reason: null, failing: false })
    expect(await deliveriesOf(endpoint)).toMatchObject([{ state: 'succeeded', attempts: 2 }])
  })
})

describe('an endpoint is disabled, with an entry in the audit log,', () => {
  const auditOf = (seller: string) =>
    read(sql`select action, subject, user_id as "user", details::text as details from audit_log where seller_id = ${seller}`)

  it('if it answers 410', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver((_, outgoing) => outgoing.writeHead(410).end())
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller)
    await deliverDue(endpoint)
    expect(await endpointOf(endpoint)).toMatchObject({ enabled: false, reason: 'gone' })
    expect(await deliveriesOf(endpoint)).toMatchObject([{ state: 'failed' }])
    expect(await auditOf(seller)).toEqual([
      { action: 'webhook.disabled', subject: url, user: null, details: '{"reason":{"after":"gone"}}' },
    ])
    await writeEvents(seller)
    expect(await deliveriesOf(endpoint)).toHaveLength(1)
  })

  it('if it has failed for five days, and not before', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver((_, outgoing) => outgoing.writeHead(500).end())
    const endpoint = await addEndpoint(seller, url)
    for (const [age, enabled] of [
      ['4 days 23 hours', true],
      ['5 days', false],
    ] as const) {
      await read(sql`update webhook_endpoints set failing_since = now() - ${age}::interval where id = ${endpoint.endpointId}`)
      await writeEvents(seller)
      await deliverDue(endpoint)
      expect([age, (await endpointOf(endpoint))?.enabled]).toEqual([age, enabled])
    }
    expect((await endpointOf(endpoint))?.reason).toBe('failing')
    expect(await auditOf(seller)).toHaveLength(1)
    expect((await deliveriesOf(endpoint)).map(({ state }) => state)).toEqual(['failed', 'failed'])
  })

  it('if its secret was encrypted with another NEXTAUTH_SECRET: nothing is sent until the secret is rotated', async () => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver()
    const endpoint = await addEndpoint(seller, url)
    await read(sql`update webhook_endpoints set secret = ${await seal('whsec_x', 'another')} where id = ${endpoint.endpointId}`)
    await writeEvents(seller)
    await deliverDue(endpoint)
    expect(received).toEqual([])
    expect(await endpointOf(endpoint)).toMatchObject({ enabled: false, reason: 'secret_lost' })
    await changeEndpoint(seller, endpoint.endpointId, async (connection, current) => {
      await rotateSecret(connection, seller, undefined, current)
      await updateEndpoint(connection, seller, undefined, current, { enabled: true })
    })
    await writeEvents(seller)
    await deliverDue(endpoint)
    expect(received).toHaveLength(1)
    expect(await endpointOf(endpoint)).toMatchObject({ enabled: true, reason: null })
  })
})

describe('private addresses', () => {
  it.each([
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '10.1.2.3',
    '169.254.169.254',
    '192.168.1.1',
    '[fe80::1]',
    '[fd00::1]',
    'localhost',
  ])('are refused when they are connected to: %s', async (host) => {
    allowsPrivate = 'false'
    const seller = await makeSeller()
    const { url, received } = await startReceiver()
    const endpoint = await addEndpoint(seller, `http://${host}:${new URL(url).port}/`)
    await writeEvents(seller)
    await deliverDue(endpoint)
    expect(received).toEqual([])
    expect(await attemptsOf(endpoint)).toMatchObject([{ status: null, error: 'private_address' }])
  })

  it('are refused if a name resolves to them after its endpoint was created', async () => {
    const { sendMessage } = await import('./send')
    const dns = await import('node:dns')
    const { url, received } = await startReceiver()
    const spy = vi
      .spyOn(dns.default, 'lookup')
      .mockImplementation(((_host: string, options: { all?: boolean }, done: (...given: unknown[]) => void) =>
        options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)) as never)
    syncBuiltinESMExports()
    try {
      const attempt = await sendMessage(`http://shop.example:${new URL(url).port}/`, { headers: {}, body: '{}' }, false)
      expect(attempt).toMatchObject({ status: null, error: 'private_address' })
      expect(received).toEqual([])
    } finally {
      spy.mockRestore()
      syncBuiltinESMExports()
    }
  })
})

describe('workers', () => {
  let queue: JobQueue
  beforeAll(async () => {
    queue = await openQueue()
  })
  afterAll(() => queue.stop({ graceful: false }))

  /** Runs a worker until the endpoint has received a number of events. */
  async function runUntil(received: Received[], count: number) {
    const stop = startDelivery(queue)
    try {
      await expect.poll(() => unique(received).length, { timeout: 30_000, interval: 50 }).toBe(count)
    } finally {
      await stop()
    }
  }
  const unique = (received: Received[]) => [...new Set(received.map(({ id }) => id))].toSorted()

  it('deliver every event to a healthy endpoint while one hangs and one fails, with two servers sharing the work', async () => {
    const seller = await makeSeller()
    const hanging: ServerResponse[] = []
    const [healthy, failing, hangs] = [
      await startReceiver(),
      await startReceiver((_, outgoing) => outgoing.writeHead(500).end()),
      await startReceiver((_, outgoing) => hanging.push(outgoing)),
    ]
    for (const { url } of [hangs, failing, healthy]) await addEndpoint(seller, url)
    await writeEvents(seller, 100)
    const ids = (await eventIds(seller)).toSorted()
    const stops = [startDelivery(queue), startDelivery(queue)]
    await expect.poll(() => unique(healthy.received), { timeout: 30_000, interval: 50 }).toEqual(ids)
    // The hanging endpoint has not answered yet. On a busy machine, events whose attempt was not stored in time are delivered again.
    expect(hanging.length).toBeGreaterThan(0)
    expect(hangs.received.length).toBe(hanging.length)
    await expect.poll(() => unique(failing.received), { timeout: 30_000, interval: 50 }).toEqual(ids)
    for (const outgoing of hanging) outgoing.destroy()
    await Promise.all(stops.map((stop) => stop()))
  })

  it('deliver what a server that was killed after the commit, after enqueueing, or before the acknowledgement left', async () => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver()
    const endpoint = await addEndpoint(seller, url)
    // Committed, and never enqueued.
    await writeEvents(seller, 3)
    await runUntil(received, 3)
    // Enqueued, and never taken.
    await writeEvents(seller, 3)
    const { sellerId, endpointId } = endpoint
    await queue.insert([{ name: 'webhooks', data: { sellerId, endpointId }, singletonKey: endpointId }])
    await runUntil(received, 6)
    // Taken, and never completed: the queue gives the job to another server once it has expired.
    await writeEvents(seller, 3)
    await queue.insert([{ name: 'webhooks', data: { sellerId, endpointId }, singletonKey: endpointId }])
    expect(await queue.fetch('webhooks', { batchSize: 10 })).toHaveLength(1)
    await read(sql`update pgboss.job set started_on = now() - interval '2 minutes' where name = 'webhooks' and state = 'active'`)
    await queue.maintain()
    await runUntil(received, 9)
    expect(unique(received)).toEqual((await eventIds(seller)).toSorted())
    expect((await deliveriesOf(endpoint)).every(({ state }) => state === 'succeeded')).toBe(true)
  })
})

it('deletes deliveries and attempts after 30 days', async () => {
  const seller = await makeSeller()
  const { url } = await startReceiver()
  const endpoint = await addEndpoint(seller, url)
  await writeEvents(seller, 2)
  await deliverDue(endpoint)
  await read(sql`
    update webhook_deliveries set created_at = now() - interval '30 days'
    where event_id = (select min(event_id) from webhook_deliveries where endpoint_id = ${endpoint.endpointId})`)
  await read(
    sql`update webhook_attempts set at = now() - interval '30 days' where id = (select min(id) from webhook_attempts where endpoint_id = ${endpoint.endpointId})`,
  )
  await purgeDeliveries()
  expect([(await deliveriesOf(endpoint)).length, (await attemptsOf(endpoint)).length]).toEqual([1, 1])
})

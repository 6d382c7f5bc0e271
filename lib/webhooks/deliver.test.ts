/** Deliveries are signed, retried and recorded, and endpoints that keep failing are disabled. */
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, connect, createServer } from 'node:net'
import { sql } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Connection, database, openDatabase, STATEMENT_MS, setDatabase } from '@/db/client'
import { validateTicket } from '@/lib/admission/change-ticket'
import { RESEND_MS } from '@/lib/catalog/webhook-operations'
import { PURGE_BATCH } from '@/lib/core/purge'
import { seal } from '@/lib/core/seal'
import { eventData } from '@/lib/events/event-data'
import { eraseCustomer, eraseCustomerById, lockForErasure } from '@/lib/sync/erase/erase-customer'
import { serializeResult } from '@/testing/admission'
import { withOwnDatabase } from '@/testing/own-database'
import { importText, makeSeller, minimal } from '@/testing/seller'
import {
  addEndpoint,
  closeReceivers,
  eventIds,
  listAttempts,
  listDeliveries,
  makeDue,
  readEndpoint,
  runStatement,
  startReceiver,
  writeEvents,
} from '@/testing/webhooks'
import { delayAfter, deliverDue, disableEndpoint } from './deliver'
import { changeEndpoint, deleteEndpoint, failDeliveriesOfDisabledEndpoints, failPending, rotateSecret, updateEndpoint } from './endpoints'
import { findDelivery } from './list-deliveries'
import { purgeDeliveries } from './purge-deliveries'
import { resendEvents } from './resend-events'
import { generateSecret } from './sign'

vi.mock(import('../core/env'), async (original) => {
  const actual = await original()
  return { ...actual, env: () => ({ ...actual.env(), WEBHOOK_ALLOW_PRIVATE_ADDRESSES: allowsPrivate }) }
})
let allowsPrivate: 'true' | 'false' = 'true'

const testDatabase = withOwnDatabase()

beforeEach(() => {
  allowsPrivate = 'true'
})
afterAll(closeReceivers)

describe('a delivery', () => {
  it('is signed according to Standard Webhooks, with both secrets during a rotation', async () => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver()
    const old = generateSecret()
    const endpoint = await addEndpoint(seller, url, ['coupon.created'], old)
    await writeEvents(seller)
    await deliverDue(endpoint)
    const [request] = received
    const [event] = await runStatement<{ id: string; at: string; data: string }>(
      sql`select id, ${eventData('events')}::text as data, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from events where seller_id = ${seller}`,
    )
    for (const secret of [endpoint.secret, old]) {
      expect(new Webhook(secret).verify(request?.body ?? '', request?.headers ?? {})).toEqual({
        type: 'coupon.created',
        timestamp: event?.at,
        data: JSON.parse(event?.data ?? ''),
      })
    }
    expect(() => new Webhook(generateSecret()).verify(request?.body ?? '', request?.headers ?? {})).toThrow('No matching signature')
    expect([received.length, request?.id, request?.headers['content-type']]).toEqual([1, event?.id, 'application/json'])
    expect(await listDeliveries(endpoint)).toMatchObject([{ state: 'succeeded', attempts: 1 }])
    expect(await listAttempts(endpoint)).toMatchObject([{ status: 200, error: null, response: 'ok' }])
  })

  it('is not signed with the old secret once 24 hours have passed', async () => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver()
    const old = generateSecret()
    const endpoint = await addEndpoint(seller, url, ['*'], old)
    await runStatement(sql`update webhook_endpoints set old_secret_until = now() where id = ${endpoint.endpointId}`)
    await writeEvents(seller)
    await deliverDue(endpoint)
    const [request] = received
    expect(new Webhook(endpoint.secret).verify(request?.body ?? '', request?.headers ?? {})).toMatchObject({ type: 'coupon.created' })
    expect(() => new Webhook(old).verify(request?.body ?? '', request?.headers ?? {})).toThrow('No matching signature')
  })

  it('is signed with the first secret, but not with the second, if the secret is rotated twice within 24 hours', async () => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver()
    const first = generateSecret()
    const endpoint = await addEndpoint(seller, url, ['*'], first)
    await changeEndpoint(seller, endpoint.endpointId, (connection, current) => rotateSecret(connection, seller, undefined, current))
    await writeEvents(seller)
    await deliverDue(endpoint)
    const [request] = received
    const verify = (secret: string) => new Webhook(secret).verify(request?.body ?? '', request?.headers ?? {})
    expect(verify(first)).toMatchObject({ type: 'coupon.created' })
    expect(() => verify(endpoint.secret)).toThrow('No matching signature')
  })

  it('is shown with the body that was sent, even if the event is older than the delivery', async () => {
    const seller = await makeSeller()
    await writeEvents(seller)
    await runStatement(sql`update events set created_at = created_at - interval '2 hours' where seller_id = ${seller}`)
    const { url, received } = await startReceiver()
    const endpoint = await addEndpoint(seller, url)
    const [eventId = ''] = await eventIds(seller)
    await changeEndpoint(seller, endpoint.endpointId, (connection, current) => resendEvents(connection, seller, current, { eventId }))
    await deliverDue(endpoint)
    expect(received).toHaveLength(1)
    expect((await findDelivery(seller, endpoint.endpointId, eventId))?.payload).toBe(received[0]?.body)
  })

  it('is created only for the selected types, and only for enabled endpoints of the same seller', async () => {
    const [seller, other] = [await makeSeller(), await makeSeller()]
    const { url } = await startReceiver()
    const [all, none, theirs, off] = [
      await addEndpoint(seller, url),
      await addEndpoint(seller, url, ['coupon.updated', 'payment.paid']),
      await addEndpoint(other, url),
      await addEndpoint(seller, url),
    ]
    await runStatement(sql`update webhook_endpoints set enabled = false where id = ${off.endpointId}`)
    await writeEvents(seller, 3)
    for (const [endpoint, count] of [
      [all, 3],
      [none, 0],
      [theirs, 0],
      [off, 0],
    ] as const)
      expect(await listDeliveries(endpoint)).toHaveLength(count)
  })

  it('is not created for a change that is rolled back', async () => {
    const seller = await makeSeller()
    const endpoint = await addEndpoint(seller, 'http://127.0.0.1:9')
    const line = minimal('tickets')
    await importText('tickets', seller, JSON.stringify(line))
    const scan = { sellerId: seller, actorId: 'x', code: String(line.qrCode), body: {}, metadata: [], checkIn: true }
    const failing = validateTicket(scan, () => {
      throw new Error('not serialized')
    })
    await expect(failing).rejects.toThrow('not serialized')
    expect(await listDeliveries(endpoint)).toEqual([])
    await validateTicket(scan, serializeResult)
    expect(await listDeliveries(endpoint)).toHaveLength(1)
  })

  it.each([
    ['500', 500, {}, 5, 6],
    ['a redirect, which is not followed', 302, { location: 'http://127.0.0.1:9/' }, 5, 6],
    ['429 with Retry-After in seconds', 429, { 'retry-after': '90' }, 89, 90],
    ['503 with Retry-After as a date', 503, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }, 500, 601],
    ['503 with a Retry-After of more than a day', 503, { 'retry-after': '9'.repeat(400) }, 86_400, 86_400],
    ['500, ignoring Retry-After', 500, { 'retry-after': '90' }, 5, 6],
  ])('is retried after %s', async (_, status, headers, min, max) => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver((_incoming, outgoing) => outgoing.writeHead(status, headers).end('x'.repeat(5000)))
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller)
    await deliverDue(endpoint)
    const [delivery] = await listDeliveries(endpoint)
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1 })
    expect(delivery?.seconds).toBeGreaterThan(min - 3)
    expect(delivery?.seconds).toBeLessThanOrEqual(max)
    expect(await listAttempts(endpoint)).toMatchObject([{ status, error: null, response: 'x'.repeat(1024) }])
    expect(await readEndpoint(endpoint)).toMatchObject({ enabled: true, failing: true })
    await makeDue()
    await deliverDue(endpoint)
    expect(received.map(({ id }) => id)).toEqual([received[0]?.id, received[0]?.id])
  })

  it('is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then fails', () => {
    const [second, minute, hour] = [1, 60, 3_600]
    const documented = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)]
    const failed = { status: 500, error: null, ms: 1, responseBody: '' }
    const delays = Array.from({ length: 10 }, (_, index) => delayAfter(index + 1, failed))
    for (const [index, seconds] of documented.entries()) {
      expect(delays[index]).toBeGreaterThanOrEqual(seconds)
      expect(delays[index]).toBeLessThanOrEqual(seconds * 1.2)
    }
    expect(delays[9]).toBeUndefined()
  })

  it('is not retried if its endpoint is disabled while it is being sent, but succeeds if the endpoint returns 2xx', async () => {
    for (const [status, state] of [
      [500, 'failed'],
      [200, 'succeeded'],
    ] as const) {
      const seller = await makeSeller()
      const { url } = await startReceiver(async (_, outgoing) => {
        await changeEndpoint(seller, endpoint.endpointId, (connection, current) =>
          updateEndpoint(connection, seller, undefined, current, { enabled: false }),
        )
        outgoing.writeHead(status).end()
      })
      const endpoint = await addEndpoint(seller, url)
      await writeEvents(seller)
      await deliverDue(endpoint)
      expect(await listDeliveries(endpoint)).toMatchObject([{ state, attempts: 1 }])
    }
  })

  it('is sent again if a resend is requested during its last attempt', async () => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver(async (_, outgoing, { id: eventId }) => {
      if (received.length > 1) return outgoing.end('ok')
      await changeEndpoint(seller, endpoint.endpointId, (connection, current) => resendEvents(connection, seller, current, { eventId }))
      return outgoing.writeHead(500).end()
    })
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller)
    await runStatement(sql`update webhook_deliveries set attempts = 9 where endpoint_id = ${endpoint.endpointId}`)
    await deliverDue(endpoint)
    expect(await listDeliveries(endpoint)).toMatchObject([{ state: 'succeeded', attempts: 1 }])
    expect(await listAttempts(endpoint)).toMatchObject([{ status: 500 }, { status: 200 }])
  })

  it('ends before the next run can start, even if another delivery cannot be recorded', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver((_, outgoing, { id }) => void setTimeout(() => outgoing.end(), id === broken ? 0 : 500))
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller, 2)
    const [broken] = await eventIds(seller)
    await runStatement(sql.raw(`create function fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`))
    await runStatement(
      sql.raw(
        `create trigger fail before insert on webhook_attempts for each row when (new.event_id = '${broken}') execute function fail()`,
      ),
    )
    try {
      await expect(deliverDue(endpoint)).rejects.toThrow('broken')
      expect((await listDeliveries(endpoint)).map(({ state }) => state).toSorted()).toEqual(['pending', 'succeeded'])
    } finally {
      await runStatement(sql.raw('drop trigger fail on webhook_attempts'))
      await runStatement(sql.raw('drop function fail'))
    }
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
    expect((await listAttempts(reset))[0]).toMatchObject({ status: null, error: 'connection_reset', response: null })
    expect((await listAttempts(refused))[0]).toMatchObject({ error: 'connection_refused' })
    expect((await listAttempts(unknown))[0]).toMatchObject({ error: 'host_not_found' })
  })

  it('is recorded without its response if the customer is erased during the attempt, but with it if the record only changes', async () => {
    const seller = await makeSeller()
    const customer = minimal('customers', { name: 'Zoë Example' })
    const save = (name: string) => importText('customers', seller, JSON.stringify({ ...customer, name }))
    for (const [change, response] of [
      [() => save('Zoë Other'), expect.stringContaining('Zoë Example')],
      [() => eraseCustomerById(seller, undefined, String(customer.id)), null],
    ] as const) {
      const { url, received } = await startReceiver(async (_, outgoing, { body }) => {
        // The erasure writes an event too.
        if (received.length === 1) await change()
        outgoing.writeHead(500).end(body)
      })
      const endpoint = await addEndpoint(seller, url)
      await importText('customers', seller, JSON.stringify(customer), { events: true })
      await deliverDue(endpoint)
      expect((await listAttempts(endpoint))[0]).toMatchObject({ status: 500, response })
    }
  })

  it('stores its response later if another transaction has locked the event, such as an import of the record', async () => {
    const seller = await makeSeller()
    const customer = minimal('customers', { name: 'Zoë Example' })
    const { url } = await startReceiver((_, outgoing, { body }) => outgoing.end(body))
    const endpoint = await addEndpoint(seller, url)
    await importText('customers', seller, JSON.stringify(customer), { events: true })
    await database().transaction(async ({ rows }) => {
      await rows(sql`update customers set record = jsonb_set(record::jsonb, '{name}', '"Zoë Other"')::json where seller_id = ${seller}`)
      await deliverDue(endpoint)
      expect(await listAttempts(endpoint)).toMatchObject([{ status: 200, response: null }])
    })
    await expect
      .poll(() => listAttempts(endpoint))
      .toMatchObject([{ status: 200, response: expect.stringContaining('"name":"Zoë Example"') }])
  })

  it('does not store its response after an erasure, but does if the erasure locked the event without changing it', async () => {
    const seller = await makeSeller()
    const customer = minimal('customers', { name: 'Tom' })
    const { url } = await startReceiver((_, outgoing, { body }) => outgoing.end(JSON.parse(body).type))
    const endpoint = await addEndpoint(seller, url, ['customer.created', 'coupon.created'])
    await importText('customers', seller, JSON.stringify(customer), { events: true })
    // The event contains the name, but is not about the person.
    await importText('coupons', seller, JSON.stringify(minimal('coupons', { label: 'Tom' })), { events: true })
    await database().transaction(async (connection) => {
      const current = await lockForErasure(connection, seller, String(customer.id))
      await eraseCustomer(connection, seller, undefined, String(current))
      await deliverDue(endpoint)
      expect(await listAttempts(endpoint)).toMatchObject([{ response: null }, { response: null }])
    })
    const listResponses = async () => (await listAttempts(endpoint)).map(({ response }) => response)
    await expect.poll(listResponses).toContain('coupon.created')
    expect(await listResponses()).toContain(null)
  })

  it('is recorded without locking the event or the delivery while its endpoint is locked, which prevents deadlocks', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver((_, outgoing) => outgoing.writeHead(500).end('no'))
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller)
    let delivered: Promise<void> | undefined
    await database().transaction(async ({ rows }) => {
      await rows(sql`select 1 from webhook_endpoints where id = ${endpoint.endpointId} for update`)
      delivered = deliverDue(endpoint)
      await expect
        .poll(() => runStatement(sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`))
        .toHaveLength(1)
      await runStatement(sql`select 1 from events where seller_id = ${seller} for update nowait`)
      await runStatement(sql`select 1 from webhook_deliveries where seller_id = ${seller} for update nowait`)
    })
    await delivered
    expect(await listAttempts(endpoint)).toMatchObject([{ status: 500, response: 'no' }])
  })

  /** Starts a TCP proxy to the database that loses the first response to a statement that records an attempt. */
  async function startLossyProxy() {
    const { hostname, host, port } = new URL(testDatabase.url)
    let isRecording = false
    let lost = 0
    const proxy = createServer((client) => {
      const server = connect(Number(port), hostname)
      client.on('data', (bytes) => {
        isRecording ||= bytes.includes('insert into "webhook_attempts"')
        server.write(bytes)
      })
      server.on('data', (bytes) => {
        // The tag of the completed statement. PostgreSQL sends it after the commit.
        if (isRecording && lost === 0 && bytes.includes('SELECT 1\0')) {
          lost += 1
          client.resetAndDestroy()
        } else client.write(bytes)
      })
      client.on('close', () => server.destroy()).on('error', () => {})
      server.on('close', () => client.destroy()).on('error', () => {})
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const url = testDatabase.url.replace(host, `127.0.0.1:${(proxy.address() as AddressInfo).port}`)
    return { url, lost: () => lost, close: () => proxy.close() }
  }

  it.each([
    [200, { state: 'succeeded' }],
    [500, { state: 'pending' }],
  ])('with the status %i is recorded once, even if the database’s response is lost', async (status, expected) => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver((_, outgoing) => outgoing.writeHead(status).end('x'))
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller)
    const [proxy, open] = [await startLossyProxy(), database()]
    const lossy = openDatabase({ url: proxy.url, max: 1 })
    setDatabase(lossy)
    try {
      await deliverDue(endpoint)
    } finally {
      setDatabase(open)
      await lossy.close(0)
      proxy.close()
    }
    expect([proxy.lost(), received.length]).toEqual([1, 1])
    expect(await listAttempts(endpoint)).toMatchObject([{ status, response: 'x' }])
    expect(await listDeliveries(endpoint)).toMatchObject([{ ...expected, attempts: 1 }])
  })

  it('marks its endpoint as no longer failing when it succeeds', async () => {
    const seller = await makeSeller()
    let status = 500
    const { url } = await startReceiver((_, outgoing) => outgoing.writeHead(status).end())
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller)
    await deliverDue(endpoint)
    status = 204
    await makeDue()
    await deliverDue(endpoint)
    expect(await readEndpoint(endpoint)).toEqual({ enabled: true, reason: null, failing: false })
    expect(await listDeliveries(endpoint)).toMatchObject([{ state: 'succeeded', attempts: 2 }])
  })
})

describe('an endpoint is disabled', () => {
  const readAudit = (seller: string) =>
    runStatement(sql`select action, subject, user_id as "user", details::text as details from audit_log where seller_id = ${seller}`)

  it('if it returns 410, with an entry in the audit log', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver((_, outgoing) => outgoing.writeHead(410).end())
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller)
    await deliverDue(endpoint)
    expect(await readEndpoint(endpoint)).toMatchObject({ enabled: false, reason: 'gone' })
    expect(await listDeliveries(endpoint)).toMatchObject([{ state: 'failed' }])
    expect(await readAudit(seller)).toEqual([
      { action: 'webhook.disabled', subject: url, user: null, details: '{"reason":{"after":"gone"}}' },
    ])
    await writeEvents(seller)
    expect(await listDeliveries(endpoint)).toHaveLength(1)
  })

  it('but not for a response from its old URL, or for a secret that has been replaced', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver(async (_, outgoing) => {
      await changeEndpoint(seller, endpoint.endpointId, async (connection, current) => {
        await rotateSecret(connection, seller, undefined, current)
        await updateEndpoint(connection, seller, undefined, current, { url: `${url}/new` })
      })
      outgoing.writeHead(410).end()
    })
    const endpoint = await addEndpoint(seller, url)
    await writeEvents(seller)
    await deliverDue(endpoint)
    await disableEndpoint(endpoint, { url: `${url}/new`, secret: Buffer.from('old') }, 'secret_lost')
    expect(await readEndpoint(endpoint)).toMatchObject({ enabled: true })
    expect(await listDeliveries(endpoint)).toMatchObject([{ state: 'pending', attempts: 1 }])
  })

  it('if it has failed for five days, but not earlier, with an entry in the audit log', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver((_, outgoing) => outgoing.writeHead(500).end())
    const endpoint = await addEndpoint(seller, url)
    for (const [age, enabled] of [
      ['4 days 23 hours', true],
      ['5 days', false],
    ] as const) {
      await runStatement(sql`update webhook_endpoints set failing_since = now() - ${age}::interval where id = ${endpoint.endpointId}`)
      await writeEvents(seller)
      await deliverDue(endpoint)
      expect([age, (await readEndpoint(endpoint))?.enabled]).toEqual([age, enabled])
    }
    expect((await readEndpoint(endpoint))?.reason).toBe('failing')
    expect(await readAudit(seller)).toHaveLength(1)
    expect((await listDeliveries(endpoint)).map(({ state }) => state)).toEqual(['failed', 'failed'])
  })

  it('but not for the first failure at a new URL, or with a new secret', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver((_, outgoing) => outgoing.writeHead(500).end())
    const endpoint = await addEndpoint(seller, url)
    const change = (apply: (connection: Connection, current: string) => Promise<string>) =>
      changeEndpoint(seller, endpoint.endpointId, apply)
    for (const apply of [
      () => change((connection, current) => updateEndpoint(connection, seller, undefined, current, { url: `${url}/new` })),
      () => change((connection, current) => rotateSecret(connection, seller, undefined, current)),
    ]) {
      await runStatement(sql`update webhook_endpoints set failing_since = now() - interval '5 days' where id = ${endpoint.endpointId}`)
      await apply()
      expect(await readEndpoint(endpoint)).toMatchObject({ failing: false })
      await writeEvents(seller)
      await deliverDue(endpoint)
      expect(await readEndpoint(endpoint)).toEqual({ enabled: true, reason: null, failing: true })
    }
    expect((await listDeliveries(endpoint)).map(({ state }) => state)).toEqual(['pending', 'pending'])
  })

  it.each([500, 200])('but not because of an attempt during which its URL or secret changed (response: %i)', async (status) => {
    const seller = await makeSeller()
    const failingSince = status === 200 ? sql`now() - interval '1 day'` : sql`null`
    let change: () => Promise<unknown>
    const { url } = await startReceiver(async (_, outgoing) => {
      await change()
      outgoing.writeHead(status).end()
    })
    for (const column of ['url', 'secret']) {
      const endpoint = await addEndpoint(seller, url)
      change = () =>
        runStatement(
          sql`update webhook_endpoints set failing_since = ${failingSince}, ${sql.raw(column)} = ${column === 'url' ? `${url}/new` : Buffer.from('new')}
            where id = ${endpoint.endpointId}`,
        )
      await writeEvents(seller)
      await deliverDue(endpoint)
      expect(await readEndpoint(endpoint)).toMatchObject({ enabled: true, failing: status === 200 })
      await runStatement(sql`delete from webhook_endpoints where id = ${endpoint.endpointId}`)
    }
  })

  it('but not for the first failure after 30 hours without an attempt', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver((_, outgoing) => outgoing.writeHead(500).end())
    const endpoint = await addEndpoint(seller, url)
    const passTime = async (age: string) => {
      await runStatement(
        sql`update webhook_endpoints set failing_since = failing_since - ${age}::interval where id = ${endpoint.endpointId}`,
      )
      await runStatement(sql`update webhook_attempts set at = at - ${age}::interval where endpoint_id = ${endpoint.endpointId}`)
    }
    for (const [age, enabled] of [
      ['0 hours', true],
      ['5 days', true],
      ['29 hours', true],
      ['29 hours', true],
      ['29 hours', true],
      ['29 hours', true],
      ['29 hours', false],
    ] as const) {
      await passTime(age)
      await writeEvents(seller, 2)
      await deliverDue(endpoint)
      expect([age, (await readEndpoint(endpoint))?.enabled]).toEqual([age, enabled])
    }
  })

  it('if only an older event has been sent again in the last 30 hours', async () => {
    const seller = await makeSeller()
    const { url } = await startReceiver((_, outgoing) => outgoing.writeHead(500).end())
    const { endpointId, ...rest } = await addEndpoint(seller, url)
    await writeEvents(seller, 2)
    await deliverDue({ endpointId, ...rest })
    const older = sql`(select min(event_id) from webhook_deliveries where endpoint_id = ${endpointId})`
    for (const change of [
      sql`update webhook_endpoints set failing_since = now() - interval '6 days' where id = ${endpointId}`,
      sql`update webhook_attempts set at = now() - case when event_id = ${older} then interval '1 hour' else interval '6 days' end
        where endpoint_id = ${endpointId}`,
      sql`update webhook_deliveries set next_at = now() where endpoint_id = ${endpointId} and event_id = ${older}`,
    ])
      await runStatement(change)
    await deliverDue({ endpointId, ...rest })
    expect(await readEndpoint({ endpointId, ...rest })).toMatchObject({ enabled: false, reason: 'failing' })
  })

  it('if its secret cannot be decrypted, and receives nothing until the secret is rotated and the endpoint enabled', async () => {
    const seller = await makeSeller()
    const { url, received } = await startReceiver()
    const endpoint = await addEndpoint(seller, url)
    await runStatement(sql`update webhook_endpoints set secret = ${await seal('whsec_x', 'another')} where id = ${endpoint.endpointId}`)
    await writeEvents(seller)
    await deliverDue(endpoint)
    expect(received).toEqual([])
    expect(await readEndpoint(endpoint)).toMatchObject({ enabled: false, reason: 'secret_lost' })
    await changeEndpoint(seller, endpoint.endpointId, async (connection, current) => {
      await rotateSecret(connection, seller, undefined, current)
      await updateEndpoint(connection, seller, undefined, current, { enabled: true })
    })
    await writeEvents(seller)
    await deliverDue(endpoint)
    expect(received).toHaveLength(1)
    expect(await readEndpoint(endpoint)).toMatchObject({ enabled: true, reason: null })
  })
})

/** Sends a message to a URL whose host name is resolved by `resolve`. @returns the attempt, and the number of lookups in the thread pool */
async function sendToName(url: string, resolve: () => Promise<string[]>) {
  const { sendMessage } = await import('./send')
  const [dns, { default: promises }] = await Promise.all([import('node:dns'), import('node:dns/promises')])
  const lookup = vi.spyOn(dns.default, 'lookup')
  vi.spyOn(promises, 'resolve4').mockImplementation(resolve as never)
  vi.spyOn(promises, 'resolve6').mockResolvedValue([])
  syncBuiltinESMExports()
  try {
    return { attempt: await sendMessage(url, { headers: {}, body: '{}' }, false), threads: lookup.mock.calls.length }
  } finally {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  }
}

describe('private addresses', () => {
  it.each([
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '0.0.0.0',
    '10.1.2.3',
    '168.63.129.16',
    '169.254.169.254',
    '192.168.1.1',
    '[fe80::1]',
    '[fd00::1]',
  ])('are refused at connection time: %s', async (host) => {
    allowsPrivate = 'false'
    const seller = await makeSeller()
    const { url, received } = await startReceiver()
    const endpoint = await addEndpoint(seller, `https://${host}:${new URL(url).port}/`)
    await writeEvents(seller)
    await deliverDue(endpoint)
    expect(received).toEqual([])
    expect(await listAttempts(endpoint)).toMatchObject([{ status: null, error: 'private_address' }])
  })

  it.each(['127.0.0.1', '168.63.129.16', '::7f00:1'])(
    'are refused if a name resolves to them after its endpoint was created: %s',
    async (address) => {
      const { url, received } = await startReceiver()
      const { attempt } = await sendToName(`https://shop.example:${new URL(url).port}/`, async () => [address])
      expect(attempt).toMatchObject({ status: null, error: 'private_address' })
      expect(received).toEqual([])
    },
  )
})

it('looks up names outside the thread pool, so that slow lookups cannot delay that of the database’s name', async () => {
  const { attempt, threads } = await sendToName('https://shop.example/', async () => {
    throw new Error('The name server does not respond.')
  })
  expect(attempt).toMatchObject({ status: null, error: 'host_not_found' })
  expect(threads).toBe(0)
})

it('deletes deliveries and attempts after 30 days', async () => {
  const seller = await makeSeller()
  const { url } = await startReceiver()
  const endpoint = await addEndpoint(seller, url)
  await writeEvents(seller, 2)
  await deliverDue(endpoint)
  await runStatement(sql`
    update webhook_deliveries set created_at = now() - interval '30 days'
    where event_id = (select min(event_id) from webhook_deliveries where endpoint_id = ${endpoint.endpointId})`)
  await runStatement(
    sql`update webhook_attempts set at = now() - interval '30 days' where id = (select min(id) from webhook_attempts where endpoint_id = ${endpoint.endpointId})`,
  )
  await purgeDeliveries()
  expect([(await listDeliveries(endpoint)).length, (await listAttempts(endpoint)).length]).toEqual([1, 1])
})

it('deletes old deliveries even if old attempts cannot be deleted', async () => {
  const seller = await makeSeller()
  const endpoint = await addEndpoint(seller, 'https://shop.example/hook')
  await writeEvents(seller, 1)
  await runStatement(sql`update webhook_deliveries set created_at = now() - interval '30 days' where endpoint_id = ${endpoint.endpointId}`)
  expect(await listDeliveries(endpoint)).toHaveLength(1)
  await runStatement(sql`alter table webhook_attempts rename to hidden_attempts`)
  await expect(purgeDeliveries()).rejects.toThrow(AggregateError)
  await runStatement(sql`alter table hidden_attempts rename to webhook_attempts`)
  expect(await listDeliveries(endpoint)).toEqual([])
})

describe('the deliveries of an endpoint that has more of them than a single statement may change', () => {
  const COUNT = PURGE_BATCH + 2
  const makeEndpoint = async () => {
    const seller = await makeSeller()
    const endpoint = await addEndpoint(seller, 'https://shop.example/hook')
    await runStatement(sql`
      insert into webhook_deliveries (seller_id, endpoint_id, event_id)
      select ${seller}, ${endpoint.endpointId}, 'evt_' || lpad(n::text, 24, '0') from generate_series(1, ${COUNT}::int) as n`)
    return { seller, endpoint }
  }
  const countStates = ({ endpointId }: { endpointId: string }) =>
    runStatement(
      sql`select state, count(*)::int as count from webhook_deliveries where endpoint_id = ${endpointId} group by state order by state`,
    )

  it('all fail when the endpoint is disabled, and can all be sent again', async () => {
    const { seller, endpoint } = await makeEndpoint()
    const change = (enabled: boolean) =>
      changeEndpoint(seller, endpoint.endpointId, (connection, current) =>
        updateEndpoint(connection, seller, undefined, current, { enabled }),
      )
    await change(false)
    expect(await readEndpoint(endpoint)).toMatchObject({ enabled: false })
    expect(await countStates(endpoint)).toEqual([
      { state: 'failed', count: PURGE_BATCH },
      { state: 'pending', count: 2 },
    ])
    await failDeliveriesOfDisabledEndpoints()
    expect(await countStates(endpoint)).toEqual([{ state: 'failed', count: COUNT }])
    await change(true)
    await failDeliveriesOfDisabledEndpoints()
    const again = { failedSince: '2020-01-01T00:00:00Z' }
    expect(
      await changeEndpoint(seller, endpoint.endpointId, (connection, current) => resendEvents(connection, seller, current, again)),
    ).toBe(COUNT)
    await failDeliveriesOfDisabledEndpoints()
    expect(await countStates(endpoint)).toEqual([{ state: 'pending', count: COUNT }])
  })

  it('fail within the statement timeout, even if there were none when the statistics were collected', async () => {
    const { seller, endpoint } = await makeEndpoint()
    await runStatement(sql`update webhook_deliveries set state = 'succeeded'`)
    await runStatement(sql`vacuum analyze webhook_deliveries`)
    await runStatement(sql`update webhook_deliveries set state = 'pending' where endpoint_id = ${endpoint.endpointId}`)
    const failed = await database().transaction(async (connection) => {
      await connection.rows(sql`select set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`)
      return failPending(connection, seller, endpoint.endpointId)
    })
    expect(failed).toHaveLength(PURGE_BATCH)
  })

  it('fail at the next call if another transaction has locked them', async () => {
    const { endpoint } = await makeEndpoint()
    await runStatement(sql`update webhook_endpoints set enabled = false where id = ${endpoint.endpointId}`)
    await database().transaction(async ({ rows }) => {
      await rows(sql`select 1 from webhook_deliveries where endpoint_id = ${endpoint.endpointId} limit 3 for update`)
      for (const count of [COUNT - 3, 0]) expect(await failDeliveriesOfDisabledEndpoints()).toHaveLength(count)
    })
    expect(await failDeliveriesOfDisabledEndpoints()).toHaveLength(3)
  })

  it('can be sent again in a transaction that takes longer than the statement timeout', async () => {
    const { seller, endpoint } = await makeEndpoint()
    const [originalDatabase, quick] = [database(), openDatabase({ url: testDatabase.url, statementMs: 300 })]
    setDatabase(quick)
    const resend = async ({ rows }: Connection) => {
      for (let count = 0; count < 5; count += 1) await rows(sql`select pg_sleep(0.2)`)
      return 'sent'
    }
    const sent = await changeEndpoint(seller, endpoint.endpointId, resend, RESEND_MS).finally(() => setDatabase(originalDatabase))
    expect(sent).toBe('sent')
    await quick.close(0)
  })

  it('are deleted with the endpoint and by the next purge, unlike those of other endpoints', async () => {
    const [{ seller, endpoint }, other] = [await makeEndpoint(), await makeEndpoint()]
    await changeEndpoint(seller, endpoint.endpointId, (connection, current) => deleteEndpoint(connection, seller, undefined, current))
    expect([await readEndpoint(endpoint), await countStates(endpoint)]).toEqual([undefined, [{ state: 'pending', count: 2 }]])
    await purgeDeliveries()
    expect([await countStates(endpoint), await countStates(other.endpoint)]).toEqual([[], [{ state: 'pending', count: COUNT }]])
  })

  it('are deleted by a later purge if another transaction has locked them', async () => {
    const { endpoint } = await makeEndpoint()
    await runStatement(sql`delete from webhook_endpoints where id = ${endpoint.endpointId}`)
    await database().transaction(async ({ rows }) => {
      await rows(sql`select 1 from webhook_deliveries where endpoint_id = ${endpoint.endpointId} limit 3 for update`)
      await purgeDeliveries()
    })
    expect(await countStates(endpoint)).toEqual([{ state: 'pending', count: 3 }])
    await purgeDeliveries()
    expect(await countStates(endpoint)).toEqual([])
  })
})

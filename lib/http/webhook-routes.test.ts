/** Webhook endpoints can be created, changed, tested and deleted over the API, and their deliveries listed. */
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { findDifferences } from '@/testing/openapi'
import { importText, type Line, makeKey, makeSeller, minimal } from '@/testing/seller'
import { unseal } from '../core/seal'
import { eraseCustomer, lockForErasure } from '../sync/erase/erase-customer'
import { runLongWrite } from './load-shedding'
import type { Method, Route } from './methods'
import { openApiDocument } from './openapi/document'
import {
  deliveriesRoute,
  resendRoute,
  rotateSecretRoute,
  testEndpointRoute,
  webhookEndpointRoute,
  webhookEndpointsRoute,
} from './webhook-routes'

const ENDPOINT = { url: 'https://shop.example.com/hook', events: ['payment.paid', 'coupon.created'] }

type RequestParts = { method?: Method; id?: string; body?: unknown; query?: string; headers?: Record<string, string>; key?: string }

/** Creates a seller with an API key. @returns their IDs, and functions that send a request and that create an endpoint */
async function setUpSeller() {
  const seller = await makeSeller()
  const { key, id: keyId } = await makeKey(seller, 'webhooks:manage')
  const send = async (route: Route, { method = 'POST', id = '', body, query = '', headers = {}, key: other = key }: RequestParts = {}) => {
    const requestBody = body === undefined ? undefined : JSON.stringify(body)
    const request = new Request(`http://x/v1/webhook_endpoints/${id}${query}`, {
      method,
      headers: {
        authorization: `Bearer ${other}`,
        ...(requestBody && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(requestBody)) }),
        ...headers,
      },
      ...(requestBody && { body: requestBody }),
    })
    const response = await route[method](request, { params: Promise.resolve({ id }) })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: (text ? JSON.parse(text) : {}) as Line & { data: Line },
    }
  }
  const create = async (body: Line = {}) => (await send(webhookEndpointsRoute, { body: { ...ENDPOINT, ...body } })).json.data
  return { seller, keyId, send, create }
}

const query = <Row>(statement: ReturnType<typeof sql>) => database().use(({ rows }) => rows<Row>(statement))
const listDeliveries = (id: unknown) =>
  query<{ id: string; state: string }>(
    sql`select event_id as id, state from webhook_deliveries where endpoint_id = ${id} order by event_id`,
  )
const writeEvent = (seller: string) => importText('coupons', seller, JSON.stringify(minimal('coupons')), { events: true })

describe('a webhook endpoint', () => {
  it('is created with a secret that no other response contains and that is stored encrypted', async () => {
    const { seller, keyId, send } = await setUpSeller()
    const { status, json, text } = await send(webhookEndpointsRoute, { body: { ...ENDPOINT, description: 'Accounting' } })
    const { secret, id, ...rest } = json.data
    expect(status).toBe(201)
    expect(id).toMatch(/^we_[0-9a-f]{24}$/)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(rest).toMatchObject({ ...ENDPOINT, description: 'Accounting', enabled: true })
    const got = await send(webhookEndpointRoute, { method: 'GET', id: String(id) })
    expect(got.json.data).toEqual({ id, ...rest })
    const listed = await send(webhookEndpointsRoute, { method: 'GET' })
    expect(listed.json).toMatchObject({ total: 1, has_more: false, data: [{ id }] })
    const [stored] = await query<{ secret: Buffer; row: string }>(
      sql`select secret, w::text as row from webhook_endpoints as w where id = ${id}`,
    )
    expect(await unseal(stored?.secret ?? Buffer.alloc(0), seller)).toBe(secret)
    for (const shown of [got.text, listed.text, stored?.row ?? '']) expect(shown).not.toContain(String(secret))
    const audit = await query<{ row: string; action: string; key: string }>(
      sql`select a::text as row, action, key_id as key from audit_log as a where seller_id = ${seller} and action like 'webhook%'`,
    )
    expect(audit).toMatchObject([{ action: 'webhook.created', key: keyId }])
    expect(text).toContain(String(secret))
    expect(audit[0]?.row).not.toContain(String(secret))
  })

  it.each([
    ['creation', 201, webhookEndpointsRoute, ENDPOINT],
    ['rotation', 200, rotateSecretRoute, undefined],
  ] as const)(
    'has a secret that is neither in the response to a retry nor stored with the idempotency key: %s',
    async (_, status, route, body) => {
      const { seller, send, create } = await setUpSeller()
      const id = body ? '' : String((await create()).id)
      const once = { id, body, headers: { 'Idempotency-Key': 'a' } }
      const [first, again] = [await send(route, once), await send(route, once)]
      const { secret, ...endpoint } = first.json.data
      expect([first.status, secret]).toEqual([status, expect.stringMatching(/^whsec_/)])
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([status, 'true'])
      expect(again.json.data).toEqual(endpoint)
      const got = await send(webhookEndpointRoute, { method: 'GET', id: String(endpoint.id) })
      for (const response of [first, again]) expect(response.headers.get('etag')).toBe(got.headers.get('etag'))
      const stored = await query<{ response: string }>(sql`select response from idempotency_keys where seller_id = ${seller}`)
      expect(stored).toEqual([{ response: JSON.stringify({ data: endpoint }) }])
    },
  )

  it('rejects If-Match, which would have no effect, for a creation, a test or a resend, but honors it for a rotation', async () => {
    const { seller, create, send } = await setUpSeller()
    const { id } = await create()
    const headers = { 'If-Match': '"another-version"' }
    for (const [route, body] of [
      [webhookEndpointsRoute, ENDPOINT],
      [testEndpointRoute, undefined],
      [resendRoute, { failedSince: '2020-01-01T00:00:00Z' }],
    ] as const) {
      const { status, json } = await send(route, { id: route === webhookEndpointsRoute ? '' : String(id), headers, body })
      expect([status, json.code, json.param]).toEqual([400, 'parameter_invalid', 'If-Match'])
    }
    expect(await query(sql`select 1 from events where seller_id = ${seller}`)).toEqual([])
    expect((await send(rotateSecretRoute, { id: String(id), headers })).status).toBe(412)
  })

  it.each(['http://localhost:8099/hook', 'https://localhost:8099/hook', 'http://10.0.0.5/hook', 'https://[::1]/'])(
    'is rejected if its URL is %s, with a hint for receiving events on the user’s own machine',
    async (url) => {
      const { send } = await setUpSeller()
      const { json } = await send(webhookEndpointsRoute, { body: { ...ENDPOINT, url } })
      expect(json.message).toBe(
        'url must have a public address. To receive events on your own machine, forward them as in the webhook quickstart: /docs#webhook-quickstart.',
      )
      expect(openApiDocument().info.description).toContain('\n## Webhook quickstart\n')
    },
  )

  it.each([
    ['url', { url: 'http://shop.example.com' }],
    ['url', { url: 'ftp://shop.example.com' }],
    ['url', { url: 'shop' }],
    ['url', { url: 'https://user:password@shop.example.com' }],
    ['url', { url: 'https://127.0.0.1/' }],
    ['url', { url: 'https://168.63.129.16/' }],
    ['url', { url: 'https://[::8.8.8.8]/' }],
    ['url', { url: 'https://[::1]/' }],
    ['url', { url: 'https://2130706433/' }],
    ['url', { url: 'https://169.254.169.254/latest' }],
    ['url', { url: 'https://localhost' }],
    ['url', { url: `https://shop.example.com/${'x'.repeat(2000)}` }],
    ['events', { events: [] }],
    ['events[0]', { events: ['payment.payed'] }],
    ['events[0]', { events: ['webhook.test'] }],
    ['events', { events: 'payment.paid' }],
    ['description', { description: '' }],
    ['secret', { secret: 'whsec_x' }],
  ])('is rejected with an invalid %s: %j', async (param, members) => {
    const { send } = await setUpSeller()
    const { status, json } = await send(webhookEndpointsRoute, { body: { ...ENDPOINT, ...members } })
    expect([status, json.code, json.param]).toEqual([400, 'body_invalid', param])
  })

  it('receives all events if `events` is `*`, as a list or not', async () => {
    const { create, send } = await setUpSeller()
    const { id, events } = await create({ events: '*' })
    expect(events).toEqual(['*'])
    await send(webhookEndpointRoute, { method: 'PATCH', id: String(id), body: { events: ENDPOINT.events } })
    const changed = await send(webhookEndpointRoute, { method: 'PATCH', id: String(id), body: { events: '*' } })
    expect(changed.json.data).toMatchObject({ events: ['*'] })
    const { json } = await send(webhookEndpointsRoute, { body: { url: ENDPOINT.url } })
    expect(json.message).toBe('events is missing.')
  })

  it.each([' https://shop.example.com/hook\n', 'https:shop.example.com/hook', 'HTTPS://SHOP.EXAMPLE.COM:443/hook'])(
    'has a normalized URL: %j',
    async (url) => {
      const { create } = await setUpSeller()
      expect((await create({ url })).url).toBe('https://shop.example.com/hook')
    },
  )

  it('is rejected if the seller already has 16 endpoints, which can be listed page by page', async () => {
    const { send, create } = await setUpSeller()
    for (let i = 0; i < 16; i += 1) await create()
    expect((await send(webhookEndpointsRoute, { body: ENDPOINT })).json).toMatchObject({
      code: 'body_invalid',
      message: expect.stringContaining('16'),
    })
    const all = await send(webhookEndpointsRoute, { method: 'GET', query: '?limit=10' })
    expect(all.json).toMatchObject({ total: 16, has_more: true })
    const data = all.json.data as unknown as Line[]
    const rest = await send(webhookEndpointsRoute, { method: 'GET', query: `?starting_after=${data.at(-1)?.id}` })
    expect(rest.json).toMatchObject({ total: 16, has_more: false })
    expect(rest.json.data).toHaveLength(6)
  })

  it('is created once by concurrent requests with the same idempotency key, even if it is the last one allowed', async () => {
    const { send, create } = await setUpSeller()
    for (let i = 0; i < 15; i += 1) await create()
    const keyed = { body: ENDPOINT, headers: { 'Idempotency-Key': 'once' } }
    const responses = await Promise.all(Array.from({ length: 3 }, () => send(webhookEndpointsRoute, keyed)))
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(2)
  })

  it('can be changed and enabled again, which clears the reason why it was disabled', async () => {
    const { create, send } = await setUpSeller()
    const { id } = await create()
    await query(sql`update webhook_endpoints set enabled = false, disabled_reason = 'failing', failing_since = now() where id = ${id}`)
    const disabled = await send(webhookEndpointRoute, { method: 'GET', id: String(id) })
    expect(disabled.json.data).toMatchObject({ enabled: false, disabledReason: 'failing', failingSince: expect.any(String) })
    const change = { method: 'PATCH', id: String(id), body: { enabled: true, events: ['*'] } } as const
    expect((await send(webhookEndpointRoute, { ...change, headers: { 'If-Match': '"old"' } })).json.code).toBe('precondition_failed')
    const changed = await send(webhookEndpointRoute, { ...change, headers: { 'If-Match': disabled.headers.get('etag') ?? '' } })
    expect(changed.json.data).toMatchObject({ enabled: true, events: ['*'], url: ENDPOINT.url })
    expect(Object.keys(changed.json.data)).not.toEqual(expect.arrayContaining(['failingSince']))
    expect(changed.json.data.disabledReason).toBeUndefined()
  })

  it('has no pending deliveries after it is disabled or enabled, until they are resent', async () => {
    const { seller, create, send } = await setUpSeller()
    const { id } = await create()
    for (let i = 0; i < 3; i += 1) await writeEvent(seller)
    const [first] = await listDeliveries(id)
    await query(sql`update webhook_deliveries set state = 'succeeded' where endpoint_id = ${id} and event_id = ${first?.id}`)
    const change = (body: Line) => send(webhookEndpointRoute, { method: 'PATCH', id: String(id), body })
    await change({ description: 'Accounting' })
    expect((await listDeliveries(id)).map(({ state }) => state)).toEqual(['succeeded', 'pending', 'pending'])
    await change({ enabled: false })
    expect((await listDeliveries(id)).map(({ state }) => state)).toEqual(['succeeded', 'failed', 'failed'])
    // Simulates a transaction that began before the endpoint was disabled.
    await query(sql`update webhook_deliveries set state = 'pending' where endpoint_id = ${id} and event_id = ${first?.id}`)
    await change({ enabled: true })
    expect((await listDeliveries(id)).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed'])
    await send(resendRoute, { id: String(id), body: { failedSince: '2020-01-01T00:00:00Z' } })
    expect((await listDeliveries(id)).map(({ state }) => state)).toEqual(['pending', 'pending', 'pending'])
  })

  it('keeps the old secret for 24 hours after a rotation', async () => {
    const { seller, create, send } = await setUpSeller()
    const { id, secret } = await create()
    const rotated = await send(rotateSecretRoute, { id: String(id) })
    expect(rotated.json.data.secret).toMatch(/^whsec_/)
    const [row] = await query<{ old: Buffer; hours: number }>(
      sql`select old_secret as old, extract(epoch from old_secret_until - now())::float8 / 3600 as hours from webhook_endpoints where id = ${id}`,
    )
    expect(await unseal(row?.old ?? Buffer.alloc(0), seller)).toBe(secret)
    expect(row?.hours).toBeCloseTo(24, 1)
  })

  it('is deleted with its deliveries, and does not exist for other sellers', async () => {
    const [{ seller, create, send }, other] = [await setUpSeller(), await setUpSeller()]
    const { id } = await create()
    await writeEvent(seller)
    expect(await listDeliveries(id)).toHaveLength(1)
    for (const [route, method, body] of [
      [webhookEndpointRoute, 'GET', undefined],
      [webhookEndpointRoute, 'PATCH', { enabled: false }],
      [webhookEndpointRoute, 'DELETE', undefined],
      [deliveriesRoute, 'GET', undefined],
      [rotateSecretRoute, 'POST', undefined],
      [testEndpointRoute, 'POST', undefined],
      [resendRoute, 'POST', { failedSince: '2020-01-01T00:00:00Z' }],
    ] as const) {
      const theirs = await other.send(route, { method, id: String(id), body })
      expect([method, theirs.status, theirs.json.code]).toEqual([method, 404, 'record_not_found'])
    }
    const gone = await send(webhookEndpointRoute, { method: 'DELETE', id: String(id) })
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect(await listDeliveries(id)).toEqual([])
    expect((await send(webhookEndpointRoute, { method: 'GET', id: String(id) })).status).toBe(404)
  })
})

describe('deliveries', () => {
  it('are listed with their results, newest first, filtered by status and paginated in both directions', async () => {
    const { seller, create, send } = await setUpSeller()
    const { id } = await create()
    for (let i = 0; i < 4; i += 1) await writeEvent(seller)
    await send(testEndpointRoute, { id: String(id) })
    const list = async (query = '') => {
      const url = `/v1/webhook_endpoints/${id}/deliveries${query}`
      const { status, headers, text, json } = await send(deliveriesRoute, { method: 'GET', id: String(id), query: `/deliveries${query}` })
      expect(findDifferences({ method: 'GET', url, status, headers, text })).toEqual([])
      return json as unknown as { has_more: boolean; data: Line[]; code?: string; param?: string }
    }
    const all = await list()
    const events = all.data.map(({ eventId }) => String(eventId))
    expect(all).toMatchObject({
      has_more: false,
      data: [{ type: 'webhook.test', status: 'pending', attempts: 0, nextAttemptAt: expect.any(String) }, {}, {}, {}, {}],
    })
    expect(new Set(events)).toEqual(new Set((await listDeliveries(id)).map((delivery) => delivery.id)))
    const [, second, third, fourth, last] = events
    await query(sql`update webhook_deliveries set state = 'failed', attempts = 10 where endpoint_id = ${id} and event_id = ${third}`)
    await query(sql`insert into webhook_attempts (seller_id, endpoint_id, event_id, at, status, ms, response)
      select ${seller}, ${id}, ${third}, '2026-11-21T19:30:00Z', status, 21.5, response from (values (500, 'no'), (400, 'Wrong signature')) as attempt (status, response)`)
    expect(await list('?status=failed')).toEqual({
      has_more: false,
      data: [
        {
          eventId: third,
          type: 'coupon.created',
          status: 'failed',
          attempts: 10,
          createdAt: expect.any(String),
          lastAttempt: { at: '2026-11-21T19:30:00.000Z', status: 400, durationMs: 21.5, responseBody: 'Wrong signature' },
        },
      ],
    })
    const listIds = ({ has_more, data }: { has_more: boolean; data: Line[] }) => [has_more, data.map(({ eventId }) => eventId)]
    expect(listIds(await list(`?limit=2&starting_after=${second}`))).toEqual([true, [third, fourth]])
    expect(listIds(await list(`?limit=2&starting_after=${fourth}`))).toEqual([false, [last]])
    expect(listIds(await list(`?limit=2&ending_before=${last}`))).toEqual([true, [third, fourth]])
    expect(listIds(await list(`?starting_after=${last}`))).toEqual([false, []])
    expect(await list('?ending_before=evt_00000000000000000000000a')).toMatchObject({ code: 'resource_missing', param: 'ending_before' })
    expect(await list('?status=lost')).toMatchObject({ code: 'parameter_invalid', param: 'status' })
  })
})

describe('resending and testing', () => {
  it('resends one event while a customer is being erased, but all failed events only afterward', async () => {
    const { seller, send, create } = await setUpSeller()
    const { id } = await create({ events: ['customer.created'] })
    const customer = minimal('customers')
    await importText('customers', seller, JSON.stringify(customer), { events: true })
    const [delivery] = await listDeliveries(id)
    await query(sql`update webhook_deliveries set state = 'failed' where endpoint_id = ${id}`)
    const resend = async (body: Line) => (await send(resendRoute, { id: String(id), body })).status
    const erasing = runLongWrite(seller, () =>
      database().transaction(async (connection) => {
        const current = await lockForErasure(connection, seller, String(customer.id))
        await eraseCustomer(connection, seller, undefined, String(current))
        return [await resend({ eventId: delivery?.id }), await resend({ failedSince: '2020-01-01T00:00:00Z' })]
      }),
    )
    expect(await erasing).toEqual([200, 503])
    expect(await listDeliveries(id)).toMatchObject([{ state: 'pending' }])
    expect(await resend({ failedSince: '2020-01-01T00:00:00Z' })).toBe(200)
  })

  it('resends one event, or all events whose failed deliveries were created since a given time', async () => {
    const { seller, create, send } = await setUpSeller()
    const { id } = await create()
    for (let i = 0; i < 3; i += 1) await writeEvent(seller)
    const [first, second, third] = await listDeliveries(id)
    await query(sql`update webhook_deliveries set state = 'failed', attempts = 10 where endpoint_id = ${id}`)
    await query(
      sql`update webhook_deliveries set created_at = now() - interval '2 days' where endpoint_id = ${id} and event_id = ${first?.id}`,
    )
    await send(resendRoute, { id: String(id), body: { failedSince: new Date(Date.now() - 86_400_000).toISOString() } })
    expect((await listDeliveries(id)).map(({ state }) => state)).toEqual(['failed', 'pending', 'pending'])
    expect((await send(resendRoute, { id: String(id), body: { eventId: first?.id } })).status).toBe(200)
    expect((await listDeliveries(id)).map(({ id: eventId, state }) => [eventId, state])).toEqual(
      [first, second, third].map((delivery) => [delivery?.id, 'pending']),
    )
    for (const body of [{}, { eventId: first?.id, failedSince: '2020-01-01T00:00:00Z' }, { eventId: 'evt_x' }]) {
      expect((await send(resendRoute, { id: String(id), body })).json).toMatchObject({ code: 'body_invalid', param: 'eventId' })
    }
  })

  it('sends a test event only to the tested endpoint', async () => {
    const { create, send } = await setUpSeller()
    const [tested, other] = [await create({ events: ['payment.paid'] }), await create({ events: ['*'] })]
    const once = { id: String(tested.id), headers: { 'Idempotency-Key': 'a' } }
    const { status, headers, text, json } = await send(testEndpointRoute, once)
    const url = `/v1/webhook_endpoints/${tested.id}/test`
    expect(findDifferences({ method: 'POST', url, status, headers, text })).toEqual([])
    expect([(await listDeliveries(tested.id)).length, (await listDeliveries(other.id)).length]).toEqual([1, 0])
    const listed = await send(deliveriesRoute, { method: 'GET', id: String(tested.id) })
    expect([status, json.data]).toEqual([200, (listed.json.data as unknown as Line[])[0]])
    expect((await send(testEndpointRoute, once)).text).toBe(text)
    expect(await listDeliveries(tested.id)).toHaveLength(1)
  })

  it('are rejected while the endpoint is disabled, with a message that says to enable it', async () => {
    const { create, send } = await setUpSeller()
    const { id } = await create({ enabled: false })
    for (const [route, body, action] of [
      [testEndpointRoute, undefined, 'test'],
      [resendRoute, { failedSince: '2020-01-01T00:00:00Z' }, 'resend'],
    ] as const) {
      const { status, headers, text, json } = await send(route, { id: String(id), body })
      expect([status, json.code, json.message]).toEqual([409, 'endpoint_disabled', expect.stringContaining('Enable it')])
      expect(findDifferences({ method: 'POST', url: `/v1/webhook_endpoints/${id}/${action}`, status, headers, text })).toEqual([])
    }
    expect(await listDeliveries(id)).toEqual([])
  })
})

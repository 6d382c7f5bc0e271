/** Tests API features beyond docs/spec.md over HTTP. The tests in lib/http and lib/webhooks cover the details. */
import { RESOURCE_NAMES } from '@/lib/catalog'
import { newObjectId } from '@/lib/core/object-id'
import type { ImportName } from '@/lib/sync/import/import'
import { type Line, minimal } from '@/testing/seller'
import { type Api, type ApiResponse, expect, expectError, test } from '../support/api'

/** The lists whose records can be imported. */
const IMPORTABLE = [...RESOURCE_NAMES, 'tickets', 'pages'] as const
const ENDPOINT = { url: 'https://receiver.invalid/hook', events: ['*'] }

/** Sends a request with a JSON body. */
const send = (api: Api, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.call(path, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })

const getRecord = ({ json }: ApiResponse) => json.data as unknown as Line
const listIds = ({ json }: ApiResponse) => json.data.map(({ id }) => id)

/** Waits until a seller has `count` events. Transactions of other tests can delay them. @returns the events, oldest first */
async function readEvents(api: Api, count: number): Promise<Line[]> {
  let events: Line[] = []
  await expect
    .poll(async () => {
      events = (await api.call('/v1/events?limit=100')).json.data
      return events.length
    })
    .toBe(count)
  return events.reverse()
}

test('the records of every list can be read by ID, under both path prefixes, with the list’s scope', async ({ api }) => {
  for (const name of IMPORTABLE) {
    const line = minimal(name)
    await api.load(name, [line])
    const key = await api.keyWith(`${name}:read`)
    const [listed] = (await api.call(`/v1/${name}`, { key })).json.data
    for (const prefix of ['/v1', '/api/v1']) {
      const single = await api.call(`${prefix}/${name}/${line.id}`, { key })
      expect([name, single.status, single.json]).toEqual([name, 200, { data: listed }])
    }
    expectError(await api.call(`/v1/${name}/x`, { key }), 400, 'parameter_invalid', 'id')
    expectError(await api.call(`/v1/${name}/${newObjectId()}`, { key }), 404, 'record_not_found', 'id')
    expectError(await api.call(`/v1/${name}/${line.id}`, { key: await api.keyWith('tickets:validate') }), 403, 'scope_missing')
  }
})

test('every list can be filtered by date range in each accepted format, and rejects invalid ranges', async ({ api }) => {
  for (const name of IMPORTABLE) await api.load(name, [minimal(name)])
  const { id } = getRecord(await send(api, 'POST', '/v1/webhook_endpoints', ENDPOINT))
  await send(api, 'POST', `/v1/webhook_endpoints/${id}/test`)
  await readEvents(api, 1)
  for (const name of [...IMPORTABLE, 'events', 'webhook_endpoints', `webhook_endpoints/${id}/deliveries`]) {
    const count = async (query: string) => (await api.call(`/v1/${name}?${query}`)).json.data.length
    const tomorrow = Math.floor(Date.now() / 1000) + 86_400
    for (const time of [String(tomorrow), new Date(tomorrow * 1000).toISOString()]) {
      expect([name, await count(`created[lt]=${time}`), await count(`created[lte]=${time}`)]).toEqual([name, 1, 1])
      expect([name, await count(`created[gt]=${time}`), await count(`created[gte]=${time}`)]).toEqual([name, 0, 0])
    }
    expect([name, await count('created[gte]=2026-03-01&created[lt]=2100-01-01')]).toEqual([name, 1])
    expectError(await api.call(`/v1/${name}?created[gte]=2026-03-02&created[lt]=2026-03-01`), 400, 'parameter_invalid', 'created[lt]')
    expectError(await api.call(`/v1/${name}?created[gte]=1&created[gt]=1`), 400, 'parameters_exclusive', 'created[gt]')
    expectError(await api.call(`/v1/${name}?created[lte]=1&created[lt]=1`), 400, 'parameters_exclusive', 'created[lt]')
    expectError(await api.call(`/v1/${name}?created=2026-03-01`), 400, 'parameter_unknown', 'created')
    expectError(await api.call(`/v1/${name}?created[after]=1`), 400, 'parameter_unknown', 'created[after]')
  }
})

test('a date in a filter means the entire day in the seller’s time zone', async ({ another }) => {
  const api = await another('Europe/Amsterdam')
  // Just before and at midnight at the start and end of March 2 in Amsterdam.
  const times = ['2026-03-01T22:59:59.999Z', '2026-03-01T23:00:00.000Z', '2026-03-02T22:59:59.999Z', '2026-03-02T23:00:00.000Z']
  await api.load(
    'customers',
    times.map((createdAt) => minimal('customers', { createdAt })),
  )
  for (const [bound, total] of [
    ['gte', 3],
    ['gt', 1],
    ['lte', 3],
    ['lt', 1],
  ])
    expect([bound, (await api.call(`/v1/customers?created[${bound}]=2026-03-02`)).json.total]).toEqual([bound, total])
  expect((await api.call('/v1/customers?created[gte]=2026-03-02&created[lte]=2026-03-02')).json.total).toBe(2)
})

test('dates and other filters can be combined, and the total is exact', async ({ api }) => {
  const makePayment = (day: number, members: Line) => minimal('payments', { createdAt: `2026-03-0${day}T12:00:00.000Z`, ...members })
  const match = { status: 'paid', customerEmail: 'ada@example.com', pageId: 'a'.repeat(24) }
  await api.load('payments', [
    makePayment(1, match),
    ...[2, 3].map((day) => makePayment(day, match)),
    makePayment(2, { ...match, status: 'failed' }),
    makePayment(2, { ...match, customerEmail: 'bob@example.com' }),
    makePayment(2, { ...match, pageId: 'b'.repeat(24) }),
  ])
  const query = `created[gte]=2026-03-02&created[lte]=2026-03-03&status=paid&search=ada&pageId=${'a'.repeat(24)}`
  const first = await api.call(`/v1/payments?${query}&limit=1`)
  expect(first.json).toMatchObject({ total: 2, has_more: true })
  expect((await api.call(`/v1/payments?${query}&starting_after=${listIds(first)[0]}`)).json).toMatchObject({ total: 2, has_more: false })
})

test('importing an order creates its customer, but never changes a customer who was imported or edited', async ({ api }) => {
  const customerId = newObjectId()
  const order = (name: string, members: Line = {}) =>
    minimal('payments', { customerId, customerEmail: 'ada@example.com', billing: { name }, ...members })
  await api.load('payments', [order('Ada')])
  expect(getRecord(await api.call(`/v1/customers/${customerId}`))).toMatchObject({ email: 'ada@example.com', name: 'Ada' })
  const edited = await send(api, 'PATCH', `/v1/customers/${customerId}`, { name: 'Ada King', companyName: 'Engines' })
  const imported = minimal('customers', { name: 'Grace' })
  await api.load('customers', [imported])
  await api.load('payments', [order('Ada Byron'), order('G. Hopper', { customerId: imported.id })])
  expect((await api.call(`/v1/customers/${customerId}`)).text).toBe(edited.text)
  expect(getRecord(await api.call(`/v1/customers/${imported.id}`)).name).toBe('Grace')
  for (const term of ['ADA@', 'king', 'engines']) expect(listIds(await api.call(`/v1/customers?search=${term}`))).toEqual([customerId])
})

test('a PATCH of a customer changes only the members in the body, and is rejected if its If-Match is outdated', async ({ api }) => {
  const line = minimal('customers', {
    email: 'ada@example.com',
    name: 'Ada',
    phone: '+31 6',
    address: { line1: 'Quay Street 12', city: 'Rotterdam' },
    shipping: { name: 'Ada', address: { city: 'Bristol' } },
  })
  await api.load('customers', [line])
  const path = `/v1/customers/${line.id}`
  const read = await api.call(path)
  const { phone: _, shipping: __, ...unchanged } = getRecord(read)
  const version = { 'If-Match': String(read.headers.get('etag')) }
  const changed = await send(api, 'PATCH', path, { name: 'Ada King', phone: null, address: { country: 'GB' }, shipping: null }, version)
  expect(getRecord(changed)).toEqual({ ...unchanged, name: 'Ada King', address: { country: 'GB' }, updatedAt: expect.any(String) })
  expectError(await send(api, 'PATCH', path, { name: 'Ada' }, version), 412, 'precondition_failed', 'If-Match')
  for (const [body, param] of [
    [{}, undefined],
    [{ nickname: 'x' }, 'nickname'],
    [{ email: null }, 'email'],
    [{ createdAt: line.createdAt }, 'createdAt'],
  ] as const)
    expectError(await send(api, 'PATCH', path, body), 400, 'body_invalid', param)
  const key = await api.keyWith('customers:read')
  expectError(await api.call(path, { method: 'PATCH', key }), 403, 'scope_missing')
  expect((await api.call(path, { key })).text).toBe(changed.text)
})

test('a retry does not create a second coupon, codes of active coupons are unique unless imported, and discounts cannot be changed', async ({
  api,
}) => {
  const body = { label: 'Summer', code: 'SUMMER', duration: 'once', amountOff: 500, currency: 'EUR' }
  const created = await send(api, 'POST', '/v1/coupons', body, { 'Idempotency-Key': 'one' })
  const again = await send(api, 'POST', '/v1/coupons', body, { 'Idempotency-Key': 'one' })
  expect([created.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, created.text, 'true'])
  expectError(await send(api, 'POST', '/v1/coupons', { ...body, code: 'summer' }), 409, 'code_taken', 'code')
  const path = `/v1/coupons/${getRecord(created).id}`
  expectError(await send(api, 'PATCH', path, { amountOff: 1000 }), 400, 'body_invalid', 'amountOff')
  const change = { label: 'Late summer', maxRedemptions: 10, redeemBy: '2100-01-01T00:00:00.000Z', deleted: true }
  expect(getRecord(await send(api, 'PATCH', path, change))).toMatchObject({ ...body, currency: 'eur', ...change })
  expect((await send(api, 'POST', '/v1/coupons', body)).status).toBe(201)
  await api.load('coupons', [minimal('coupons', { code: 'TWICE' }), minimal('coupons', { code: 'TWICE' })])
})

test('a coupon must have exactly one complete discount and valid limits, and refer only to checkout pages that exist', async ({ api }) => {
  const body = { label: 'Summer', code: 'SUMMER', duration: 'once', percentOff: 15 }
  const { percentOff: _, ...base } = body
  for (const [invalid, param] of [
    [{ ...body, amountOff: 500, currency: 'EUR' }, 'amountOff'],
    [base, 'percentOff'],
    [{ ...body, percentOff: 0 }, 'percentOff'],
    [{ ...body, percentOff: 33.333 }, 'percentOff'],
    [{ ...base, amountOff: 100_000_000, currency: 'EUR' }, 'amountOff'],
    [{ ...base, amountOff: 500 }, 'currency'],
    [{ ...body, currency: 'EUR' }, 'currency'],
    [{ ...body, code: 'two words' }, 'code'],
    [{ ...body, label: '' }, 'label'],
    [{ ...body, duration: 'repeating' }, 'durationInMonths'],
    [{ ...body, durationInMonths: 3 }, 'durationInMonths'],
    [{ ...body, pageIds: [newObjectId()] }, 'pageIds[0]'],
    [{ ...body, maxRedemptions: 0 }, 'maxRedemptions'],
    [{ ...body, redeemBy: '2020-01-01T00:00:00Z' }, 'redeemBy'],
  ] as const)
    expectError(await send(api, 'POST', '/v1/coupons', invalid), 400, 'body_invalid', param)
  expect((await api.call('/v1/coupons')).json.total).toBe(0)
  const created = getRecord(await send(api, 'POST', '/v1/coupons', { ...body, duration: 'repeating', durationInMonths: 3 }))
  const rest = { timesRedeemed: 0, deleted: false, sellerId: api.seller, createdAt: created.updatedAt, updatedAt: created.updatedAt }
  expect(created).toEqual({ id: created.id, ...body, duration: 'repeating', durationInMonths: 3, ...rest })
  const redeemed = minimal('coupons', { timesRedeemed: 5 })
  await api.load('coupons', [redeemed])
  expectError(await send(api, 'PATCH', `/v1/coupons/${redeemed.id}`, { maxRedemptions: 4 }), 400, 'body_invalid', 'maxRedemptions')
  expect((await send(api, 'PATCH', `/v1/coupons/${redeemed.id}`, { maxRedemptions: 5 })).status).toBe(200)
})

test('tickets can be searched by four fields, filtered and changed; reading their codes requires a separate scope', async ({ api }) => {
  const pageId = newObjectId()
  const searched = { customerName: 'Zoë Ålund', customerEmail: 'zoe@example.com', orderId: 'BK-101999', ticketShortId: 'T8X2' }
  const line = minimal('tickets', { ...searched, pageId, ticketTypeId: 'balcony' })
  await api.load('tickets', [line, minimal('tickets', { status: 'CANCELED' })])
  const queries = ['search=ålund', 'search=ZOE@', 'search=k-1019', 'search=t8x', `pageId=${pageId}`, 'ticketTypeId=balcony', 'status=PAID']
  for (const query of [...queries, 'status=PAID&checkInStatus=UNCHECKEDIN'])
    expect([query, listIds(await api.call(`/v1/tickets?${query}`))]).toEqual([query, [line.id]])
  const path = `/v1/tickets/${line.id}`
  for (const [scope, qrCode] of [
    ['tickets:read', undefined],
    ['tickets:codes', line.qrCode],
  ] as const) {
    const key = await api.keyWith('tickets:read', scope)
    expect(getRecord(await api.call(path, { key })).qrCode).toBe(qrCode)
    expect((await api.call(`/v1/tickets?pageId=${pageId}`, { key })).json.data[0]?.qrCode).toBe(qrCode)
    expectError(await api.call(path, { method: 'PATCH', key }), 403, 'scope_missing')
  }
  const changed = getRecord(await send(api, 'PATCH', path, { customerName: 'Zoë Berg', metadata: [{ key: 'seat', value: 'B 12' }] }))
  expect(changed).toMatchObject({ customerName: 'Zoë Berg', metadata: [{ key: 'seat', value: 'B 12' }] })
  expect((await api.validate(String(line.qrCode), { checkIn: false })).json.ticket).toEqual(changed)
  expectError(await send(api, 'PATCH', path, { status: 'CANCELED' }), 400, 'body_invalid', 'status')
})

test('each change through the API creates an event with the record as returned by the API, without ticket codes', async ({ api }) => {
  const ticket = minimal('tickets')
  const customer = minimal('customers')
  await api.load('tickets', [ticket])
  await api.load('customers', [customer])
  const coupon = getRecord(await send(api, 'POST', '/v1/coupons', { label: 'x', code: 'X', duration: 'once', percentOff: 5 }))
  const records = [
    coupon,
    getRecord(await send(api, 'PATCH', `/v1/coupons/${coupon.id}`, { label: 'y' })),
    getRecord(await send(api, 'PATCH', `/v1/customers/${customer.id}`, { name: 'Ada' })),
    getRecord(await send(api, 'PATCH', `/v1/tickets/${ticket.id}`, { customerName: 'Ada' })),
    (await api.validate(String(ticket.qrCode))).json.ticket,
  ]
  expectError(await send(api, 'PATCH', `/v1/coupons/${coupon.id}`, { label: '' }), 400, 'body_invalid', 'label')
  await api.validate(String(ticket.qrCode))
  const events = await readEvents(api, 5)
  const types = ['coupon.created', 'coupon.updated', 'customer.updated', 'ticket.updated', 'ticket.checked_in']
  expect(events).toEqual(
    records.map((data, i) => ({ id: expect.stringMatching(/^evt_[0-9a-f]{24}$/), type: types[i], createdAt: expect.any(String), data })),
  )
  expect(events.slice(0, 4).map(({ createdAt }) => createdAt)).toEqual(records.slice(0, 4).map((record) => (record as Line).updatedAt))
  expect(JSON.stringify(events)).not.toContain(ticket.qrCode)
  const [first, second] = events
  expect((await api.call(`/v1/events/${first?.id}`)).json).toEqual({ data: first })
  expect((await api.call('/v1/events?type=coupon.updated')).json.data).toEqual([second])
  expect(listIds(await api.call(`/v1/events?starting_after=${second?.id}`))).toEqual([first?.id])
  const key = await api.keyWith('coupons:read', 'webhooks:manage')
  for (const path of ['/v1/events', `/v1/events/${first?.id}`]) expectError(await api.call(path, { key }), 403, 'scope_missing')
})

test('webhook endpoints require a scope and a public URL; deliveries to a disabled one fail and can be resent later', async ({ api }) => {
  expectError(await api.call('/v1/webhook_endpoints', { key: await api.keyWith('events:read') }), 403, 'scope_missing')
  for (const url of ['http://shop.example.com/hook', 'https://10.0.0.5/hook', 'https://localhost/hook'])
    expectError(await send(api, 'POST', '/v1/webhook_endpoints', { ...ENDPOINT, url }), 400, 'body_invalid', 'url')
  const { id, secret } = getRecord(await send(api, 'POST', '/v1/webhook_endpoints', ENDPOINT))
  expect([id, secret]).toEqual([expect.stringMatching(/^we_[0-9a-f]{24}$/), expect.stringMatching(/^whsec_/)])
  const path = `/v1/webhook_endpoints/${id}`
  const change = { events: ['coupon.created'], description: 'Accounting' }
  expect(getRecord(await send(api, 'PATCH', path, change))).toMatchObject(change)
  expect(getRecord(await send(api, 'POST', `${path}/rotate`)).secret).not.toBe(secret)
  for (const response of [await api.call(path), await api.call('/v1/webhook_endpoints')]) expect(response.text).not.toContain('whsec_')
  const { eventId } = getRecord(await send(api, 'POST', `${path}/test`))
  await expect
    .poll(async () => (await api.call(`${path}/deliveries`)).json.data[0])
    .toMatchObject({ eventId, type: 'webhook.test', status: 'pending', attempts: 1, lastAttempt: { error: 'host_not_found' } })
  await send(api, 'PATCH', path, { enabled: false })
  expect((await api.call(`${path}/deliveries?status=failed`)).json.data).toMatchObject([{ eventId, status: 'failed' }])
  for (const [action, body] of [
    ['test', undefined],
    ['resend', { eventId }],
  ] as const)
    expectError(await send(api, 'POST', `${path}/${action}`, body), 409, 'endpoint_disabled')
  await send(api, 'PATCH', path, { enabled: true })
  await send(api, 'POST', `${path}/resend`, { failedSince: '2026-01-01T00:00:00Z' })
  expect((await api.call(`${path}/deliveries`)).json.data).toMatchObject([{ eventId, status: 'pending' }])
  expect((await send(api, 'DELETE', path)).status).toBe(204)
  expectError(await api.call(path), 404, 'record_not_found', 'id')
})

test('erasing a customer removes personal data from every list, but keeps the amounts, dates and IDs of orders', async ({ api }) => {
  const person = { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0000' }
  const customer = minimal('customers', { ...person, taxId: 'GB999999973', address: { line1: 'St James’s Square 12' } })
  const order = { customerId: customer.id, customerEmail: person.email, billing: { name: person.name, phone: person.phone } }
  await api.load('customers', [customer])
  const lines = Object.fromEntries(
    (['payments', 'bookings', 'subscriptions'] as const).map((name) => [name, minimal(name, order)] as [ImportName, Line]),
  )
  for (const [name, line] of Object.entries(lines)) await api.load(name as ImportName, [line])
  const ticket = minimal('tickets', { customerName: person.name, customerEmail: person.email, orderId: 'BK-1' })
  await api.load('tickets', [ticket])
  await send(api, 'PATCH', `/v1/tickets/${ticket.id}`, { metadata: [{ key: 'guest', value: person.name }] })
  await readEvents(api, 1)
  const path = `/v1/customers/${customer.id}/erase`
  expectError(await api.call(path, { method: 'POST', key: await api.keyWith('customers:read') }), 403, 'scope_missing')
  expect((await send(api, 'POST', path)).status).toBe(200)
  for (const name of [...RESOURCE_NAMES, 'tickets', 'events']) {
    const { text } = await api.call(`/v1/${name}?limit=100`)
    for (const value of [...Object.values(person), 'GB999999973', 'James']) expect(text.includes(value), `${name}: ${value}`).toBe(false)
  }
  const payment = getRecord(await api.call(`/v1/payments/${lines.payments?.id}`))
  expect(payment).toMatchObject({ amount: lines.payments?.amount, createdAt: lines.payments?.createdAt, customerId: customer.id })
})

test('checkout pages are listed with their entry policy, times and capacity, newest first', async ({ api }) => {
  const page = { entryPolicy: 'reentry', startsAt: '2026-11-21T18:00:00.000Z', endsAt: '2026-11-21T23:00:00.000Z', capacity: 300 }
  const lines = [minimal('pages', page), minimal('pages', { createdAt: '2026-03-02T12:00:00.000Z', entryPolicy: 'multiple' })]
  await api.load('pages', lines)
  const listed = await api.call('/v1/pages', { key: await api.keyWith('pages:read') })
  expect(listed.json).toEqual({ has_more: false, total: 2, data: lines.toReversed() })
  expectError(await api.call('/v1/pages', { key: await api.keyWith('tickets:read') }), 403, 'scope_missing')
})

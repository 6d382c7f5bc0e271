/** Coupons can be created and changed over the API. Also tests the behavior that all operations that change records share. */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { database } from '@/db/client'
import { findDifferences } from '@/testing/openapi'
import { importLines, type Line, makeKey, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import type { Scope } from '../accounts/scopes'
import { coupons } from '../catalog/coupons'
import { newObjectId } from '../core/object-id'
import { instantText } from '../core/sql'
import { eventData } from '../events/event-data'
import { listAudit } from '../listing/list-audit'
import { lockCoupon, updateCoupon } from '../sync/edit/coupons'
import { createCouponRoute, updateCouponRoute } from './coupon-routes'
import { listRoute } from './list-route'
import { combineRoutes } from './methods'
import { recordRoute } from './record-route'

beforeAll(openTestDatabase)

const collection = combineRoutes(listRoute(coupons), createCouponRoute)
const single = combineRoutes(recordRoute(coupons), updateCouponRoute)

type RequestParts = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  id?: string
  body?: unknown
  headers?: Record<string, string>
  query?: string
}
type ReceivedResponse = { status: number; headers: Headers; text: string; json: Line & { data: Line } }

/** Creates an API key for a seller, by default a new one. @returns the seller's and the key's ID, and a function that sends requests */
async function setUpSeller(seller?: string, ...scopes: Scope[]) {
  const sellerId = seller ?? (await makeSeller())
  const { key, id: keyId } = await makeKey(sellerId, ...scopes)
  const send = async ({ method = 'POST', id, body, headers = {}, query = '' }: RequestParts): Promise<ReceivedResponse> => {
    const requestBody = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const url = `http://x/v1/coupons${id === undefined ? '' : `/${id}`}${query}`
    const request = new Request(url, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(requestBody === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(requestBody)) }),
        ...headers,
      },
      ...(requestBody === undefined ? {} : { body: requestBody }),
    })
    const route = id === undefined ? collection : single
    const response = await route[method](request, { params: Promise.resolve(id === undefined ? {} : { id }) } as never)
    const text = await response.text()
    expect(findDifferences({ method, url, status: response.status, headers: response.headers, text })).toEqual([])
    return { status: response.status, headers: response.headers, text, json: text === '' ? {} : JSON.parse(text) }
  }
  return { sellerId, keyId, send }
}

const COUPON = { label: 'Summer', code: 'SUMMER', duration: 'once', percentOff: 15 }
const summary = ({ status, json }: ReceivedResponse) => [status, json.code ?? null, json.param ?? null]
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

describe('POST /v1/coupons', () => {
  it('creates a coupon that is listed, and that is returned byte for byte when read by its ID', { tags: 'slow' }, async () => {
    const { sellerId, send } = await setUpSeller()
    const created = await send({ body: COUPON })
    expect(created.status).toBe(201)
    const { id, createdAt, updatedAt, ...rest } = created.json.data
    expect(rest).toEqual({ ...COUPON, sellerId, timesRedeemed: 0, deleted: false })
    expect(updatedAt).toBe(createdAt)
    const read = await send({ method: 'GET', id: String(id) })
    expect(read.text).toBe(created.text)
    expect([created, read].map(({ headers }) => headers.get('etag'))).toEqual([
      expect.stringMatching(/^"[\w-]{27}"$/),
      created.headers.get('etag'),
    ])
    expect((await send({ method: 'GET', query: '?search=summer' })).json).toMatchObject({ total: 1, data: [created.json.data] })
  })

  it('accepts valid combinations of members, and omits absent members from the record', async () => {
    const { sellerId, send } = await setUpSeller()
    const page = newObjectId()
    await importLines('pages', sellerId, [minimal('pages', { id: page })])
    const base = { label: 'x', duration: 'once' }
    for (const [index, members] of [
      { amountOff: 1, currency: 'EUR' },
      { amountOff: 99_999_999, currency: 'jpy', appliesToSetupFee: true },
      { percentOff: 100 },
      { percentOff: 0.01, duration: 'repeating', durationInMonths: 3 },
      { percentOff: 29.99, duration: 'forever', maxRedemptions: 1, redeemBy: tomorrow(), pageIds: [page, page.toUpperCase()] },
    ].entries()) {
      const { status, json } = await send({ body: { ...base, code: `C-${index}_`, ...members } })
      expect(status, JSON.stringify(json)).toBe(201)
      const { id: _, sellerId: __, createdAt: ___, updatedAt: ____, ...created } = json.data
      const expected: Line = { ...base, code: `C-${index}_`, ...members, timesRedeemed: 0, deleted: false }
      if ('currency' in members) expected.currency = members.currency?.toLowerCase()
      if ('pageIds' in members) expected.pageIds = [page]
      expect(created).toEqual(expected)
    }
  })

  it.each([
    ['label', { label: '' }],
    ['label', { label: ' \u00a0' }],
    ['label', { label: 'x'.repeat(201) }],
    ['label', { label: undefined }],
    ['label', { label: 'a\u0000b' }],
    ['label', { label: '\ud800' }],
    ['label', { label: null }],
    ['code', { code: 'with space' }],
    ['code', { code: 'ü' }],
    ['code', { code: 'x'.repeat(201) }],
    ['duration', { duration: 'twice' }],
    ['percentOff', { percentOff: 0 }],
    ['percentOff', { percentOff: 100.01 }],
    ['percentOff', { percentOff: 9.999 }],
    ['percentOff', { percentOff: '15' }],
    ['percentOff', { percentOff: undefined }],
    ['amountOff', { amountOff: 500 }],
    ['amountOff', { percentOff: undefined, amountOff: 0, currency: 'eur' }],
    ['amountOff', { percentOff: undefined, amountOff: 1.5, currency: 'eur' }],
    ['amountOff', { percentOff: undefined, amountOff: 100_000_000, currency: 'eur' }],
    ['currency', { currency: 'eur' }],
    ['currency', { percentOff: undefined, amountOff: 500 }],
    ['currency', { percentOff: undefined, amountOff: 500, currency: 'euro' }],
    ['currency', { percentOff: undefined, amountOff: 500, currency: 'zzz' }],
    // In uppercase, these are USD and INR.
    ['currency', { percentOff: undefined, amountOff: 500, currency: 'u\u017fd' }],
    ['currency', { percentOff: undefined, amountOff: 500, currency: '\u0131nr' }],
    ['durationInMonths', { durationInMonths: 3 }],
    ['durationInMonths', { duration: 'repeating' }],
    ['durationInMonths', { duration: 'repeating', durationInMonths: 0 }],
    ['durationInMonths', { duration: 'repeating', durationInMonths: 1.5 }],
    ['maxRedemptions', { maxRedemptions: 0 }],
    ['redeemBy', { redeemBy: '2020-01-01T00:00:00Z' }],
    ['redeemBy', { redeemBy: 'tomorrow' }],
    ['pageIds', { pageIds: [] }],
    ['pageIds[0]', { pageIds: ['aaaaaaaaaaaaaaaaaaaaaaaa'] }],
    ['pageIds[0]', { pageIds: ['x'] }],
    ['timesRedeemed', { timesRedeemed: 0 }],
    ['id', { id: 'aaaaaaaaaaaaaaaaaaaaaaaa' }],
  ])('rejects an invalid %s: %j', async (param, members) => {
    const { send } = await setUpSeller()
    const response = await send({ body: { ...COUPON, ...members } })
    expect(summary(response), response.text).toEqual([400, 'body_invalid', param])
    expect(response.json.message).toMatch(/^\S+ .{10,}\.$/)
    expect((await send({ method: 'GET' })).json.total).toBe(0)
  })

  it('rejects another seller’s page with the same error as a page that does not exist', async () => {
    const [{ send }, other] = [await setUpSeller(), await makeSeller()]
    const page = newObjectId()
    await importLines('pages', other, [minimal('pages', { id: page })])
    const [theirs, unknown] = [
      await send({ body: { ...COUPON, pageIds: [page] } }),
      await send({ body: { ...COUPON, pageIds: [newObjectId()] } }),
    ]
    expect([summary(theirs), theirs.json.message]).toEqual([summary(unknown), unknown.json.message])
  })

  it('rejects a code that is in use in any letter case, but accepts that of a deleted coupon or of another seller’s coupon', async () => {
    const [{ sellerId, send }, other] = [await setUpSeller(), await setUpSeller()]
    await other.send({ body: COUPON })
    await importLines('coupons', sellerId, [
      minimal('coupons', { code: 'Ämter', deleted: false }),
      minimal('coupons', { code: 'old', deleted: true }),
    ])
    const first = await send({ body: COUPON })
    expect(first.status).toBe(201)
    const taken = await send({ body: { ...COUPON, code: 'sUMMER' } })
    expect(summary(taken)).toEqual([409, 'code_taken', 'code'])
    expect(taken.json.message).toContain('PATCH and {"deleted": true}')
    expect((await send({ body: { ...COUPON, code: 'OLD' } })).status).toBe(201)
    await send({ method: 'PATCH', id: String(first.json.data.id), body: { deleted: true } })
    expect((await send({ body: { ...COUPON, code: 'summer' } })).status).toBe(201)
    expect(summary(await send({ method: 'PATCH', id: String(first.json.data.id), body: { deleted: false } }))).toEqual([
      409,
      'code_taken',
      'code',
    ])
  })

  it('creates only one coupon for concurrent requests with the same code', async () => {
    const { send } = await setUpSeller()
    const responses = await Promise.all(Array.from({ length: 8 }, (_, i) => send({ body: { ...COUPON, code: i % 2 ? 'same' : 'SAME' } })))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
    expect((await send({ method: 'GET' })).json.total).toBe(1)
  })
})

it('sets the times of a coupon’s events to the times of its creation and change', async () => {
  const { sellerId, send } = await setUpSeller()
  const created = await send({ body: COUPON })
  const changed = await send({ method: 'PATCH', id: String(created.json.data.id), body: { label: 'Winter' } })
  const events = await database().use(({ rows }) =>
    rows<{ at: string }>(sql`select ${instantText(sql`created_at`)} as at from events where seller_id = ${sellerId} order by sequence`),
  )
  expect(events.map(({ at }) => at)).toEqual([created, changed].map(({ json }) => json.data.updatedAt))
})

it('gives a change that waited for another one a later `updatedAt`, which is also the time of its event', async () => {
  const { sellerId, send } = await setUpSeller()
  const id = String((await send({ body: COUPON })).json.data.id)
  const [started, changed] = [new AbortController(), new AbortController()]
  const waiting = database().transaction(async (connection) => {
    await connection.rows(sql`select now()`)
    started.abort()
    await once(changed.signal, 'abort')
    const current = String(await lockCoupon(connection, sellerId, id))
    return updateCoupon(connection, sellerId, undefined, current, { label: 'Winter' })
  })
  if (!started.signal.aborted) await once(started.signal, 'abort')
  const first = await send({ method: 'PATCH', id, body: { label: 'Fall' } })
  await pause(5)
  changed.abort()
  const second = JSON.parse(await waiting) as Line
  expect(String(second.updatedAt) > String(first.json.data.updatedAt)).toBe(true)
  const events = await database().use(({ rows }) =>
    rows<{ at: string; label: string }>(
      sql`select ${instantText(sql`created_at`)} as at, ${eventData('events')} ->> 'label' as label from events where seller_id = ${sellerId} order by created_at`,
    ),
  )
  expect(events.slice(1)).toEqual([
    { at: first.json.data.updatedAt, label: 'Fall' },
    { at: second.updatedAt, label: 'Winter' },
  ])
})

describe('PATCH /v1/coupons/{id}', () => {
  const makeCoupon = async () => {
    const api = await setUpSeller()
    const id = newObjectId()
    const line = minimal('coupons', { ...COUPON, id, timesRedeemed: 5, maxRedemptions: 10, pageIds: [newObjectId()], redeemBy: tomorrow() })
    await importLines('coupons', api.sellerId, [line])
    const patch = (body: unknown, headers = {}) => api.send({ method: 'PATCH', id, body, headers })
    return { ...api, id, line, patch }
  }

  it.each(['percentOff', 'code', 'timesRedeemed'])('rejects a change to %s, and lists the members that can be changed', async (name) => {
    const { patch } = await makeCoupon()
    const response = await patch({ label: 'Winter', [name]: 20 })
    expect(summary(response)).toEqual([400, 'body_invalid', name])
    expect(response.json.message).toMatch(
      new RegExp(`^The member '${name}' of a coupon cannot be changed\\. Only these members can be changed: label, `),
    )
  })

  it('changes the members that are sent, removes those that are null, and keeps the rest', async () => {
    const { sellerId, line, patch, send, id } = await makeCoupon()
    const response = await patch({ label: 'Winter', pageIds: null, redeemBy: null, maxRedemptions: 5 })
    const { pageIds: _, redeemBy: __, ...rest } = line
    expect(response.json.data).toEqual({
      ...rest,
      sellerId,
      deleted: false,
      label: 'Winter',
      maxRedemptions: 5,
      updatedAt: expect.any(String),
    })
    expect(String(response.json.data.updatedAt) > String(line.createdAt)).toBe(true)
    expect((await send({ method: 'GET', id })).text).toBe(response.text)
    expect((await patch({ label: 'Winter' })).text).toBe(response.text)
  })

  it('keeps an unknown page that an imported coupon has, and rejects any other unknown page', async () => {
    const { sellerId, line, patch } = await makeCoupon()
    const [known, unknown] = [newObjectId(), String(line.pageIds)]
    await importLines('pages', sellerId, [minimal('pages', { id: known })])
    expect((await patch({ pageIds: [known, unknown] })).json.data.pageIds).toEqual([known, unknown])
    expect(summary(await patch({ pageIds: [unknown, newObjectId()] }))).toEqual([400, 'body_invalid', 'pageIds[1]'])
    expect((await patch({ pageIds: [known] })).json.data.pageIds).toEqual([known])
    expect(summary(await patch({ pageIds: [unknown] }))).toEqual([400, 'body_invalid', 'pageIds[0]'])
  })

  it.each([
    [null, {}],
    ['maxRedemptions', { maxRedemptions: 4 }],
    ['label', { label: null }],
    ['deleted', { deleted: null }],
    ['percentOff', { percentOff: 20 }],
    ['code', { code: 'OTHER' }],
    ['timesRedeemed', { timesRedeemed: 0 }],
    ['redeemBy', { redeemBy: '2020-01-01T00:00:00Z' }],
    ['pageIds[0]', { pageIds: ['aaaaaaaaaaaaaaaaaaaaaaaa'] }],
    [null, '[]'],
  ])('rejects an invalid change, and reports the param %s: %j', async (param, body) => {
    const { patch, send, id } = await makeCoupon()
    const before = await send({ method: 'GET', id })
    expect(summary(await patch(body))).toEqual([400, 'body_invalid', param])
    expect((await send({ method: 'GET', id })).text).toBe(before.text)
  })

  it.each([
    ['{"label":5}', 'label must be a string, not a number.'],
    ['{"maxRedemptions":1e400}', 'maxRedemptions must be a finite number.'],
  ])('reports the type that a member must have: %s', async (body, message) => {
    const { patch } = await makeCoupon()
    expect((await patch(body)).json.message).toBe(message)
  })

  it('reports the valid range of a whole number', async () => {
    const { send } = await setUpSeller()
    const repeating = { ...COUPON, duration: 'repeating' }
    for (const [name, members] of [
      ['maxRedemptions', { ...COUPON, maxRedemptions: 2 ** 53 }],
      ['durationInMonths', { ...repeating, durationInMonths: 2 ** 53 }],
    ] as const)
      expect((await send({ body: members })).json.message).toBe(`${name} must be a whole number from 1 to 9,007,199,254,740,991.`)
  })

  it('accepts any spelling of UTF-8 as the charset, and names any other charset in the error', async () => {
    const { patch } = await makeCoupon()
    const change = (type: string) => patch({ label: 'x' }, { 'Content-Type': type })
    for (const charset of ['utf8', 'UTF8', 'utf-8', '"UTF-8"', "'utf-8'"])
      expect([charset, (await change(`application/json; charset=${charset}`)).status]).toEqual([charset, 200])
    const response = await change('application/json; charset="ISO-8859-1"')
    expect(summary(response)).toEqual([415, 'media_type_unsupported', 'Content-Type'])
    expect(response.json.message).toBe(
      "The charset 'iso-8859-1' is not supported. Send JSON in UTF-8 with the header `Content-Type: application/json`.",
    )
  })

  it('returns the same error for an unknown ID as for another seller’s ID, and changes nothing', async () => {
    const [mine, theirs] = [await makeCoupon(), await makeCoupon()]
    const unknown = newObjectId()
    const responses = await Promise.all([theirs.id, unknown].map((id) => mine.send({ method: 'PATCH', id, body: { label: 'x' } })))
    const [foreign, absent] = responses.map(({ status, json }, index) => ({
      status,
      ...json,
      requestId: '',
      message: String(json.message).replace(index === 0 ? theirs.id : unknown, ''),
    }))
    expect(foreign).toEqual(absent)
    expect(foreign).toMatchObject({ status: 404, code: 'record_not_found', param: 'id' })
    expect((await theirs.send({ method: 'GET', id: theirs.id })).json.data.label).toBe(COUPON.label)
    expect(summary(await mine.send({ method: 'PATCH', id: 'x', body: { label: 'x' } }))).toEqual([400, 'parameter_invalid', 'id'])
  })
})

describe('an operation that changes records', () => {
  it('applies all concurrent changes to a record', async () => {
    const { sellerId, send } = await setUpSeller()
    const pages = Array.from({ length: 3 }, () => newObjectId())
    await importLines(
      'pages',
      sellerId,
      pages.map((id) => minimal('pages', { id })),
    )
    const { json } = await send({ body: COUPON })
    const id = String(json.data.id)
    const changes = [{ label: 'New' }, { maxRedemptions: 7 }, { redeemBy: tomorrow() }, { pageIds: pages }, { deleted: true }]
    const responses = await Promise.all(changes.map((body) => send({ method: 'PATCH', id, body })))
    expect(responses.map(({ status }) => status)).toEqual(changes.map(() => 200))
    expect((await send({ method: 'GET', id })).json.data).toMatchObject(Object.assign({}, ...changes))
  })

  it('changes a record only if it still has the ETag in If-Match, so that only one of two concurrent writers succeeds', async () => {
    const { send } = await setUpSeller()
    const created = await send({ body: COUPON })
    const id = String(created.json.data.id)
    const tag = String(created.headers.get('etag'))
    const patch = (label: string, match: string) => send({ method: 'PATCH', id, body: { label }, headers: { 'If-Match': match } })
    const responses = await Promise.all(['a', 'b'].map((label) => patch(label, tag)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412])
    expect(summary(await patch('c', tag))).toEqual([412, 'precondition_failed', 'If-Match'])
    expect(summary(await patch('c', 'unquoted'))).toEqual([400, 'parameter_invalid', 'If-Match'])
    const current = String((await send({ method: 'GET', id })).headers.get('etag'))
    for (const other of [`W/${current}`, '"x,*,y"'])
      expect(summary(await patch('d', other))).toEqual([412, 'precondition_failed', 'If-Match'])
    expect((await patch('d', `"other", ${current}`)).status).toBe(200)
    expect((await patch('e', '*')).status).toBe(200)
  })

  it('replays the first response for an idempotency key byte for byte, and changes nothing', async () => {
    const { sellerId, send } = await setUpSeller()
    const withKey = (key: string) => ({ 'Idempotency-Key': key })
    const first = await send({ body: COUPON, headers: withKey('create') })
    const again = await send({ body: COUPON, headers: withKey('create') })
    expect([again.status, again.text]).toEqual([201, first.text])
    expect([first, again].map(({ headers }) => [headers.get('idempotent-replayed'), headers.get('etag')])).toEqual([
      [null, first.headers.get('etag')],
      ['true', first.headers.get('etag')],
    ])
    const id = String(first.json.data.id)
    const tag = { 'If-Match': String(first.headers.get('etag')) }
    const patched = await send({ method: 'PATCH', id, body: { label: 'One' }, headers: { ...withKey('patch'), ...tag } })
    await send({ method: 'PATCH', id, body: { label: 'Two' } })
    // A retry gets the first response, even though the record has changed since.
    const retried = await send({ method: 'PATCH', id: id.toUpperCase(), body: { label: 'One' }, headers: { ...withKey('patch'), ...tag } })
    expect([retried.status, retried.text, retried.headers.get('idempotent-replayed')]).toEqual([200, patched.text, 'true'])
    expect((await send({ method: 'GET', id })).json.data.label).toBe('Two')
    // Errors that depend on the state of records are stored. Errors about invalid requests are not.
    for (const [key, sent, status] of [
      ['taken', { body: { ...COUPON, code: 'summer' } }, 409],
      ['gone', { method: 'PATCH', id: newObjectId(), body: { label: 'x' } }, 404],
      ['stale', { method: 'PATCH', id, body: { label: 'x' }, headers: tag }, 412],
      ['bad', { body: {} }, 400],
    ] as [string, RequestParts, number][]) {
      const [sentFirst, retry] = [
        await send({ ...sent, headers: { ...sent.headers, ...withKey(key) } }),
        await send({ ...sent, headers: { ...sent.headers, ...withKey(key) } }),
      ]
      expect([sentFirst.status, retry.status]).toEqual([status, status])
      expect(retry.headers.get('idempotent-replayed')).toBe(status === 400 ? null : 'true')
      if (status !== 400) expect(retry.text).toBe(sentFirst.text)
    }
    const audit = await listAudit(sellerId)
    expect(audit.rows.filter(({ action }) => action.startsWith('coupon.'))).toHaveLength(3)
  })

  it('replays a response after the coupon’s `redeemBy` has passed', async () => {
    const { send } = await setUpSeller()
    const body = { ...COUPON, redeemBy: tomorrow() }
    const create = () => send({ body, headers: { 'Idempotency-Key': 'create' } })
    const first = await create()
    const id = String(first.json.data.id)
    const update = (key: string) => send({ method: 'PATCH', id, body: { redeemBy: body.redeemBy }, headers: { 'Idempotency-Key': key } })
    const second = await update('update')
    vi.useFakeTimers({ now: Date.parse(body.redeemBy), toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    expect([await create(), await update('update')].map(({ text }) => text)).toEqual([first.text, second.text])
    expect(summary(await update('other'))).toEqual([400, 'body_invalid', 'redeemBy'])
  })

  it('rejects an idempotency key that was already used with another method, path, body or If-Match', async () => {
    const { send } = await setUpSeller()
    const headers = { 'Idempotency-Key': 'once' }
    const { json } = await send({ body: COUPON, headers })
    const id = String(json.data.id)
    for (const sent of [
      { body: { ...COUPON, label: 'Other' } },
      { method: 'PATCH', id, body: { label: 'x' } },
      { method: 'PATCH', id: newObjectId(), body: { label: 'x' } },
    ] as const) {
      expect(summary(await send({ ...sent, headers }))).toEqual([422, 'idempotency_mismatch', 'Idempotency-Key'])
    }
    const change = (match: string) =>
      send({ method: 'PATCH', id, body: { label: 'x' }, headers: { 'Idempotency-Key': 'twice', 'If-Match': match } })
    const stale = await change('"stale"')
    expect(stale.status).toBe(412)
    expect(summary(await change(String((await send({ method: 'GET', id })).headers.get('etag'))))).toEqual([
      422,
      'idempotency_mismatch',
      'Idempotency-Key',
    ])
    expect((await change('"stale"')).text).toBe(stale.text)
    expect((await (await setUpSeller()).send({ body: { ...COUPON, label: 'Theirs' }, headers })).status).toBe(201)
  })

  it('measures the age of an idempotency key by the database’s clock, not the server’s', async () => {
    const { send } = await setUpSeller()
    const create = () => send({ body: COUPON, headers: { 'Idempotency-Key': 'once' } })
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2001-01-01T00:00:00.000Z') })
    const first = await create().finally(() => vi.useRealTimers())
    const again = await create()
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
  })

  it('creates one coupon for concurrent requests with the same idempotency key', async () => {
    const { send } = await setUpSeller()
    const responses = await Promise.all(Array.from({ length: 6 }, () => send({ body: COUPON, headers: { 'Idempotency-Key': 'once' } })))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201))
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(5)
    expect((await send({ method: 'GET' })).json.total).toBe(1)
  })

  it('commits the change, its audit entry with the key’s name, and the stored response atomically', async () => {
    const { sellerId, keyId, send } = await setUpSeller()
    const { json } = await send({ body: COUPON })
    await send({ method: 'PATCH', id: String(json.data.id), body: { label: 'New', deleted: true } })
    const [changed, created] = (await listAudit(sellerId)).rows
    expect(created).toMatchObject({ key: 'Test', email: null, action: 'coupon.created', subject: 'SUMMER' })
    expect(changed).toMatchObject({
      key: 'Test',
      action: 'coupon.changed',
      changes: { label: { before: 'Summer', after: 'New' }, deleted: { before: 'false', after: 'true' } },
    })
    const name = `no_audit_${sellerId}`
    const alter = (text: string) => database().use(({ rows }) => rows(sql.raw(`alter table audit_log ${text}`)))
    await alter(`add constraint ${name} check (key_id is distinct from '${keyId}') not valid`)
    const headers = { 'Idempotency-Key': 'failing' }
    expect((await send({ body: { ...COUPON, code: 'X' }, headers })).status).toBe(500)
    await alter(`drop constraint ${name}`)
    expect((await send({ method: 'GET' })).json.total).toBe(1)
    const retried = await send({ body: { ...COUPON, code: 'X' }, headers })
    expect([retried.status, retried.headers.get('idempotent-replayed')]).toEqual([201, null])
  })

  it('requires its scope, takes no query parameters, and rejects other methods with 405', async () => {
    const { send } = await setUpSeller(undefined, 'coupons:read')
    expect(summary(await send({ body: COUPON }))).toEqual([403, 'scope_missing', null])
    const writer = await setUpSeller(undefined, 'coupons:write')
    expect((await writer.send({ body: COUPON })).status).toBe(201)
    expect(summary(await writer.send({ method: 'GET' }))).toEqual([403, 'scope_missing', null])
    expect(summary(await writer.send({ body: COUPON, query: '?x=1' }))).toEqual([400, 'parameter_unknown', 'x'])
    expect(summary(await writer.send({ body: '{', headers: { 'Content-Length': '1' } }))).toEqual([400, 'body_invalid', null])
    const response = await single.DELETE(new Request('http://x/v1/coupons/x', { method: 'DELETE' }), {} as never)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, PATCH, OPTIONS'])
  })
})

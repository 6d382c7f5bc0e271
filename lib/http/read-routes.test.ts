/** Tickets and pages can be listed and read over the API, and tickets can be changed. */
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { database } from '@/db/client'
import { findDifferences } from '@/testing/openapi'
import { importLines, type Line, makeKey, makeSeller, minimal, openTestDatabase, readFixture } from '@/testing/seller'
import { addCheckoutPage } from '../accounts/checkout-pages'
import type { Scope } from '../accounts/scopes'
import { newObjectId } from '../core/object-id'
import { listAudit } from '../listing/list-audit'
import type { Route } from './methods'
import { pageReadRoutes, ticketReadRoutes } from './read-routes'
import { ticketRoutes } from './ticket-routes'
import { validateTicketRoute } from './validate-ticket-route'

beforeAll(openTestDatabase)

type ReceivedResponse = {
  status: number
  headers: Headers
  text: string
  json: Line & { data: Line & Line[]; total: number; has_more: boolean }
}

const ROUTES: Record<string, [Route, Route]> = {
  tickets: [ticketReadRoutes.list, ticketRoutes],
  pages: [pageReadRoutes.list, pageReadRoutes.record],
}

/** Creates an API key, and returns a function that reads a path, or sends a PATCH request if it gets a body. */
async function setUpSeller(sellerId: string, ...scopes: Scope[]) {
  const { key } = await makeKey(sellerId, ...scopes)
  return async (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ReceivedResponse> => {
    const [name = '', id] = path.split(/[/?]/)
    const hasId = path.includes('/')
    const requestBody = body === undefined ? '' : JSON.stringify(body)
    const method = body === undefined ? 'GET' : 'PATCH'
    const url = `http://x/v1/${path}`
    const request = new Request(url, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(requestBody === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(requestBody)) }),
        ...headers,
      },
      ...(requestBody === '' ? {} : { body: requestBody }),
    })
    const route = ROUTES[name]?.[hasId ? 1 : 0]
    if (!route) throw new Error(path)
    const response = await route[method](request, { params: Promise.resolve({ id: id ?? '' }) })
    const text = await response.text()
    expect(findDifferences({ method, url, status: response.status, headers: response.headers, text })).toEqual([])
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
  }
}

const validate = async (sellerId: string, code: string, body: unknown = {}) => {
  const { key } = await makeKey(sellerId, 'tickets:validate')
  const text = JSON.stringify(body)
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': String(text.length) }
  const request = new Request(`http://x/v1/tickets/validate/x`, { method: 'POST', headers, body: text })
  return (await (await validateTicketRoute.POST(request, { params: Promise.resolve({ qrCode: code }) })).json()) as { ticket: Line }
}

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1) + minute * 60_000).toISOString()

describe('GET /v1/tickets', () => {
  it('returns tickets as a validation does, and their codes only to keys that may read them', { tags: 'slow' }, async () => {
    const sellerId = await makeSeller()
    const lines = readFixture('tickets').slice(0, 40)
    await importLines('tickets', sellerId, lines)
    const [withCodes, withoutCodes] = [await setUpSeller(sellerId), await setUpSeller(sellerId, 'tickets:read')]
    const listed = await withoutCodes('tickets?limit=100')
    expect(listed.json.total).toBe(40)
    expect(listed.text).not.toContain('qrCode')
    for (const { id, qrCode } of lines.slice(0, 12)) {
      const { ticket: validated } = await validate(sellerId, String(qrCode), { checkIn: false })
      const [plain, withCode] = [await withoutCodes(`tickets/${id}`), await withCodes(`tickets/${id}`)]
      expect(plain.json.data).toEqual(validated)
      expect(withCode.json.data).toEqual({ ...validated, qrCode })
      expect(listed.json.data.find((ticket) => ticket.id === id)).toEqual(validated)
      expect(withCode.headers.get('etag')).toBe(plain.headers.get('etag'))
    }
    const { data } = (await withCodes('tickets?limit=100')).json
    expect(data.map(({ qrCode }) => qrCode).sort()).toEqual(lines.map(({ qrCode }) => qrCode).sort())
    const codes = await setUpSeller(sellerId, 'tickets:read', 'tickets:codes')
    expect((await codes('tickets?limit=1')).json.data[0]?.qrCode).toEqual(expect.any(String))
    const other = await setUpSeller(sellerId, 'tickets:codes')
    expect([(await other('tickets')).status, (await other(`tickets/${lines[0]?.id}`)).status]).toEqual([403, 403])
  })

  it('filters, searches and paginates in both directions, with exact totals', { tags: 'slow' }, async () => {
    const sellerId = await makeSeller()
    const [pageA, pageB] = [newObjectId(), newObjectId()]
    const lines = Array.from({ length: 60 }, (_, n) =>
      minimal('tickets', {
        createdAt: at(Math.floor(n / 3)),
        pageId: n % 2 ? pageA : pageB,
        status: n % 5 ? 'PAID' : 'CANCELED',
        ticketTypeId: `type ${n % 3}`,
        customerName: n % 7 ? 'Ada' : 'Zoë Ålund',
        checkInStatus: n % 4 ? 'UNCHECKEDIN' : 'CHECKEDIN',
      }),
    )
    await importLines('tickets', sellerId, lines)
    const api = await setUpSeller(sellerId)
    const order = lines.toSorted((a, b) => (`${a.createdAt}${a.id}` < `${b.createdAt}${b.id}` ? 1 : -1))
    const cases: [string, (line: Line) => boolean][] = [
      ['', () => true],
      [`pageId=${pageA}`, (line) => line.pageId === pageA],
      ['status=CANCELED', ({ status }) => status === 'CANCELED'],
      [`pageId=${pageB}&status=PAID`, ({ pageId, status }) => pageId === pageB && status === 'PAID'],
      ['checkInStatus=CHECKEDIN', ({ checkInStatus }) => checkInStatus === 'CHECKEDIN'],
      ['ticketTypeId=type+1&status=PAID', ({ ticketTypeId, status }) => ticketTypeId === 'type 1' && status === 'PAID'],
      ['search=%C3%85LUND', ({ customerName }) => customerName === 'Zoë Ålund'],
      [`created[gte]=${at(5)}&created[lt]=${at(9)}`, ({ createdAt }) => String(createdAt) >= at(5) && String(createdAt) < at(9)],
      [
        'checkInStatus=UNCHECKEDIN&status=CANCELED',
        ({ checkInStatus, status }) => checkInStatus === 'UNCHECKEDIN' && status === 'CANCELED',
      ],
      [
        `checkInStatus=CHECKEDIN&ticketTypeId=type+0&pageId=${pageB}`,
        ({ checkInStatus, ticketTypeId, pageId }) => checkInStatus === 'CHECKEDIN' && ticketTypeId === 'type 0' && pageId === pageB,
      ],
      ['search=nobody', () => false],
    ]
    for (const [query, matches] of cases) {
      const expected = order.filter(matches).map(({ id }) => id)
      const seen: unknown[] = []
      for (let cursor = ''; ; ) {
        const { json } = await api(`tickets?limit=7&${query}${cursor}`)
        expect([query, json.total]).toEqual([query, expected.length])
        seen.push(...json.data.map(({ id }) => id))
        if (!json.has_more) break
        cursor = `&starting_after=${seen.at(-1)}`
      }
      expect([query, seen]).toEqual([query, expected])
      if (expected.length < 9) continue
      const back = await api(`tickets?limit=3&${query}&ending_before=${expected[6]}`)
      expect(back.json.data.map(({ id }) => id)).toEqual(expected.slice(3, 6))
      expect(back.json.has_more).toBe(true)
    }
  })

  it('keeps its totals exact when tickets change', async () => {
    const sellerId = await makeSeller()
    const [pageId, other] = [newObjectId(), newObjectId()]
    const lines = Array.from({ length: 6 }, () => minimal('tickets', { pageId }))
    await importLines('tickets', sellerId, lines)
    const api = await setUpSeller(sellerId)
    const totals = () =>
      Promise.all(
        ['', `pageId=${pageId}`, 'status=PAID', `pageId=${other}&status=CANCELED`].map(
          async (query) => (await api(`tickets?${query}`)).json.total,
        ),
      )
    expect(await totals()).toEqual([6, 6, 6, 0])
    await importLines('tickets', sellerId, [
      { ...lines[0], status: 'CANCELED', pageId: other },
      { ...lines[1], customerName: 'x' },
    ])
    await validate(sellerId, String(lines[2]?.qrCode))
    expect(await totals()).toEqual([6, 5, 5, 1])
    await database().use(({ rows }) => rows(sql`delete from tickets where seller_id = ${sellerId} and id = ${lines[0]?.id}`))
    expect(await totals()).toEqual([5, 5, 5, 0])
  })

  it('returns the same error for unknown IDs and cursors as for those of another seller, and rejects invalid parameters', async () => {
    const [sellerId, theirs] = [await makeSeller(), await makeSeller()]
    const line = minimal('tickets')
    await importLines('tickets', theirs, [line])
    const api = await setUpSeller(sellerId)
    const summary = ({ status, json }: ReceivedResponse) => [status, json.code, json.param]
    for (const id of [String(line.id), newObjectId()]) {
      expect(summary(await api(`tickets/${id}`))).toEqual([404, 'record_not_found', 'id'])
      expect(summary(await api(`tickets/${id}`, { customerName: 'x' }))).toEqual([404, 'record_not_found', 'id'])
      expect(summary(await api(`tickets?starting_after=${id}`))).toEqual([400, 'resource_missing', 'starting_after'])
    }
    for (const [query, param] of [
      ['status=paid', 'status'],
      ['checkInStatus=x', 'checkInStatus'],
      ['ticketTypeId=%00', 'ticketTypeId'],
      ['limit=0', 'limit'],
      [`created[gte]=2026-02-01&created[lt]=2026-01-01`, 'created[lt]'],
    ])
      expect(summary(await api(`tickets?${query}`))).toEqual([400, 'parameter_invalid', param])
    expect((await api('tickets/x')).status).toBe(400)
    expect(summary(await api('tickets/validate'))).toEqual([404, 'route_not_found', undefined])
  })
})

describe('PATCH /v1/tickets/{id}', () => {
  const makeTicket = async (members: Line = {}) => {
    const sellerId = await makeSeller()
    const line = minimal('tickets', { customerName: 'Ada', customerEmail: 'ada@example.com', ticketShortId: 'T1', ...members })
    await importLines('tickets', sellerId, [line])
    const api = await setUpSeller(sellerId, 'tickets:read', 'tickets:write')
    return { sellerId, line, api, path: `tickets/${line.id}` }
  }

  it('changes the customer and merges metadata, without writing the customer’s data to the audit log', async () => {
    const { sellerId, line, api, path } = await makeTicket()
    await validate(sellerId, String(line.qrCode), { metadata: [{ key: 'gate', value: '1' }] })
    const before = await api(path)
    const body = {
      customerName: 'Zoë',
      customerEmail: null,
      metadata: [
        { key: 'gate', value: null },
        { key: 'seat', value: 'B 12' },
      ],
    }
    const { json, text } = await api(path, body, { 'If-Match': String(before.headers.get('etag')) })
    const { customerEmail: _, ...rest } = before.json.data
    expect(json.data).toEqual({
      ...rest,
      customerName: 'Zoë',
      metadata: [{ key: 'seat', value: 'B 12', addedAt: expect.any(String) }],
      updatedAt: expect.any(String),
    })
    expect(String(json.data.updatedAt) >= String(before.json.data.updatedAt)).toBe(true)
    expect((await api(path)).text).toBe(text)
    expect((await validate(sellerId, String(line.qrCode), { checkIn: false })).ticket).toEqual(json.data)
    const entry = (await listAudit(sellerId)).rows.find(({ action }) => action === 'ticket.changed')
    expect(entry).toMatchObject({
      action: 'ticket.changed',
      key: 'Test',
      subject: 'T1',
      changes: { members: { after: ['customerName', 'customerEmail', 'metadata'] } },
    })
    expect(JSON.stringify(await listAudit(sellerId))).not.toContain('Zoë')
    expect((await api(path, { customerName: 'Zoë' })).text).toBe(text)
    expect((await api(path, { customerName: 'x' }, { 'If-Match': String(before.headers.get('etag')) })).status).toBe(412)
  })

  it('loses neither a concurrent check-in nor concurrent changes to metadata', async () => {
    const { sellerId, line, api, path } = await makeTicket()
    await Promise.all([
      validate(sellerId, String(line.qrCode)),
      ...['a', 'b', 'c'].map((value) => api(path, { metadata: [{ key: value, value }] })),
    ])
    const { data } = (await api(path)).json
    expect(data).toMatchObject({ checkInStatus: 'CHECKEDIN', checkIns: [{ status: 'CHECKEDIN' }] })
    expect((data.metadata as { key: string }[]).map(({ key }) => key).sort()).toEqual(['a', 'b', 'c'])
  })

  it.each([
    ['customerEmail', { customerEmail: 'no address' }],
    ['customerName', { customerName: '' }],
    ['customerName', { customerName: 'a\u0000' }],
    ['status', { status: 'CANCELED' }],
    ['qrCode', { qrCode: 'x' }],
    [
      'metadata',
      {
        metadata: [
          { key: 'a', value: 'x' },
          { key: 'a', value: 'y' },
        ],
      },
    ],
    ['metadata', { metadata: Array.from({ length: 51 }, (_, n) => ({ key: `k${n}`, value: 'x' })) }],
    [undefined, {}],
  ])('rejects an invalid change, and reports the param %s', async (param, body) => {
    const { api, path } = await makeTicket()
    const { status, json } = await api(path, body)
    expect([status, json.code, json.param]).toEqual([400, 'body_invalid', param])
  })

  it('rejects metadata for a canceled ticket, but changes its customer', async () => {
    const { api, path } = await makeTicket({ status: 'CANCELED' })
    expect((await api(path, { metadata: [{ key: 'a', value: 'b' }] })).json).toMatchObject({ code: 'body_invalid', param: 'metadata' })
    expect((await api(path, { customerName: 'Zoë' })).json.data).toMatchObject({ customerName: 'Zoë', status: 'CANCELED' })
  })
})

describe('GET /v1/pages', () => {
  it('compares date filters with `createdAt` as it is returned, even for a page that was added in the settings', async () => {
    const sellerId = await makeSeller()
    await addCheckoutPage(sellerId, { name: 'Jazz', entryPolicy: 'single' }, undefined)
    const sendRequest = await setUpSeller(sellerId)
    const createdAt = String((await sendRequest('pages')).json.data[0]?.createdAt)
    const found = ['gt', 'gte', 'lte', 'lt'].map(async (name) => (await sendRequest(`pages?created[${name}]=${createdAt}`)).json.total)
    expect(await Promise.all(found)).toEqual([0, 1, 1, 0])
  })

  it('lists a seller’s pages with all their members, and returns a single one', async () => {
    const [sellerId, other] = [await makeSeller(), await makeSeller()]
    const lines = [
      minimal('pages', { createdAt: at(1), name: 'Plain', entryPolicy: 'single' }),
      minimal('pages', { createdAt: at(2), name: 'Whole', entryPolicy: 'reentry', startsAt: at(9), endsAt: at(10), capacity: 300 }),
      minimal('pages', { createdAt: at(3), name: 'Many', entryPolicy: 'multiple' }),
    ]
    expect(await importLines('pages', sellerId, lines)).toMatchObject({ written: 3, rejects: [] })
    expect(await importLines('pages', sellerId, lines)).toMatchObject({ written: 0, unchanged: 3 })
    await importLines('pages', other, [minimal('pages', { name: 'Theirs' })])
    const api = await setUpSeller(sellerId, 'pages:read')
    const { json } = await api('pages')
    expect(json).toEqual({ has_more: false, total: 3, data: lines.toReversed() })
    expect((await api(`pages?limit=1&starting_after=${lines[2]?.id}`)).json).toMatchObject({ has_more: true, data: [lines[1]] })
    expect((await api(`pages/${lines[1]?.id}`)).json).toEqual({ data: lines[1] })
    expect((await api(`pages?created[gte]=${at(3)}`)).json.total).toBe(1)
    expect((await (await setUpSeller(sellerId, 'tickets:read'))('pages')).status).toBe(403)
  })

  it.each([
    ['endsAt', { startsAt: at(2), endsAt: at(1) }],
    ['capacity', { capacity: 0 }],
    ['entryPolicy', { entryPolicy: 'sometimes' }],
  ])('rejects the import of a page with an invalid %s', async (path, members) => {
    const { rejects } = await importLines('pages', await makeSeller(), [minimal('pages', members)])
    expect(rejects).toMatchObject([{ path }])
  })
})

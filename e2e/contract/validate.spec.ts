/** Tests ticket validation over HTTP: admissions, rejections, metadata, idempotency and stored attempts. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { dayIn } from '@/lib/core/time'
import { type Line, minimal } from '@/testing/seller'
import { type Api, type ApiResponse, expect, expectError, expectHeaders, test } from '../support/api'

/** Imports a ticket with these members. */
async function importTicket(api: Api, members: Line = {}): Promise<{ id: string; code: string }> {
  const line = minimal('tickets', members)
  await api.load('tickets', [line])
  return { id: String(line.id), code: String(line.qrCode) }
}

const getTicket = ({ json }: ApiResponse) => json.ticket as Line & { checkIns: Line[]; metadata: Line[] }

/** Returns the stored attempts, oldest first. */
const readAttempts = (api: Api) =>
  database().use(({ rows }) =>
    rows<Line>(
      sql`select ticket_id as ticket, outcome, actor_id as actor, device from validation_attempts where seller_id = ${api.seller} order by id`,
    ),
  )

test('a paid ticket is admitted once, and a later scan is rejected with the time of the admission', async ({ api }) => {
  const { id, code } = await importTicket(api)
  const first = await api.validate(code, {})
  expectHeaders(first)
  const entry = {
    method: 'QRSCAN',
    status: 'CHECKEDIN',
    checkedInAt: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    checkedInByUserId: api.keyId,
  }
  expect(first.json).toEqual({
    success: true,
    message: 'Ticket validated',
    ticket: expect.objectContaining({
      id,
      sellerId: api.seller,
      status: 'PAID',
      checkInStatus: 'CHECKEDIN',
      checkIns: [entry],
      latestCheckIn: entry,
      metadata: [],
    }),
  })
  const second = await api.validate(code, {})
  expect(second.status).toBe(200)
  expect(second.json).toMatchObject({
    success: false,
    reason: 'already_checked_in',
    message: expect.stringMatching(/^Already checked in by QR scan on .+ at \d\d:\d\d$/),
  })
  expect(getTicket(second)).toEqual(getTicket(first))
  expect(second.text).not.toContain('null')
})

test('a canceled ticket is rejected, and its metadata does not change', async ({ api }) => {
  const { code } = await importTicket(api, { status: 'CANCELED' })
  const response = await api.validate(code, { metadata: [{ key: 'a', value: 'b' }] })
  expect(response.json).toMatchObject({
    success: false,
    reason: 'canceled',
    ticket: { checkIns: [], metadata: [], checkInStatus: 'UNCHECKEDIN' },
  })
  expect(getTicket(response)).not.toHaveProperty('latestCheckIn')
})

test('an unknown code and the code of another seller’s ticket get the same response', async ({ api, another }) => {
  const other = await another()
  const { code } = await importTicket(other)
  const [foreign, unknown] = [await api.validate(code), await api.validate('unknown code')]
  for (const response of [foreign, unknown]) expectError(response, 404, 'ticket_not_found', 'qrCode')
  const normalize = ({ text, json }: ApiResponse) => text.replace(String(json.requestId), '')
  expect(normalize(foreign)).toBe(normalize(unknown))
  expect((await other.validate(code)).json.success).toBe(true)
})

test('50 concurrent scans of a ticket admit one guest', async ({ api }) => {
  const { code } = await importTicket(api)
  // Retry with the same Idempotency-Key while the server is too busy, like a check-in device.
  const scan = async (device: number): Promise<ApiResponse> => {
    const response = await api.validate(code, {}, { 'Idempotency-Key': `device-${device}` })
    return response.status === 503 ? scan(device) : response
  }
  const responses = await Promise.all(Array.from({ length: 50 }, (_, device) => scan(device)))
  expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200))
  expect(responses.filter(({ json }) => json.success === true)).toHaveLength(1)
})

test('with the entry policy “multiple”, a ticket is admitted each time, and each admission is recorded', async ({ api }) => {
  const pageId = '0123456789abcdef01234567'
  await api.load('pages', [minimal('pages', { id: pageId, entryPolicy: 'multiple' })])
  const { code } = await importTicket(api, { pageId })
  for (const count of [1, 2, 3]) {
    const response = await api.validate(code)
    expect(response.json).toMatchObject({ success: true, message: 'Ticket validated' })
    expect(getTicket(response).checkIns).toHaveLength(count)
  }
})

test('with checkIn: false, a ticket is not checked in, but its metadata can be updated', async ({ api }) => {
  const { code } = await importTicket(api)
  const preview = await api.validate(code, { checkIn: false, metadata: [{ key: 'seat', value: 'A1' }] })
  expect(preview.json).toMatchObject({
    success: true,
    message: 'Ticket validated and metadata updated',
    ticket: { checkInStatus: 'UNCHECKEDIN', checkIns: [] },
  })
  expect((await api.validate(code, { checkIn: true })).json.success).toBe(true)
  expect((await api.validate(code, { checkIn: false })).json).toMatchObject({ success: false, reason: 'already_checked_in' })
})

test('metadata is merged by key, up to 50 entries, even if the ticket is already checked in', async ({ api }) => {
  const { code } = await importTicket(api, { metadata: [{ key: 'seat', value: 'A1', addedAt: '2026-01-01T00:00:00.000Z' }] })
  const change = (metadata: unknown) => api.validate(code, { metadata })
  const first = await change([
    { key: 'gate', value: 'B' },
    { key: 'seat', value: null },
    { key: 'never', value: null },
  ])
  expect(first.json.message).toBe('Ticket validated and metadata updated. Deleted: seat')
  expect(getTicket(first).metadata).toEqual([{ key: 'gate', value: 'B', addedAt: expect.stringMatching(/Z$/) }])
  const second = await change([
    { key: 'gate', value: '' },
    { key: '𝄞'.repeat(50), value: 'ü'.repeat(100) },
    { key: '__proto__', value: 'x' },
  ])
  expect(second.json.success).toBe(false)
  expect(getTicket(second).metadata.map(({ key }) => key)).toEqual(['gate', '𝄞'.repeat(50), '__proto__'])
  const entries = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ key: `k${i + from}`, value: 'v' }))
  expect((await change(entries(47))).status).toBe(200)
  expectError(await change(entries(1, 47)), 400, 'body_invalid', 'metadata')
  expect(getTicket(await change([])).metadata).toHaveLength(50)
  expect((await change([...entries(1, 47), { key: 'k0', value: null }])).status).toBe(200)
})

test('an invalid body is rejected with the path of the invalid member, and the ticket is not checked in', async ({ api }) => {
  const { code } = await importTicket(api)
  for (const [body, param] of [
    [{ checkin: true }, 'checkin'],
    [{ checkIn: 'yes' }, 'checkIn'],
    [{ checkIn: null }, 'checkIn'],
    [{ metadata: {} }, 'metadata'],
    [{ metadata: [{ key: '', value: 'x' }] }, 'metadata[0].key'],
    [{ metadata: [{ key: 'k'.repeat(51), value: 'x' }] }, 'metadata[0].key'],
    [{ metadata: [{ key: 'a', value: 'x'.repeat(101) }] }, 'metadata[0].value'],
    [{ metadata: [{ key: 'a', value: 1 }] }, 'metadata[0].value'],
    [{ metadata: [{ key: 'a' }] }, 'metadata[0].value'],
    [{ metadata: [{ key: 'a', value: 'x', addedAt: 'now' }] }, 'metadata[0].addedAt'],
    [{ metadata: [{ key: 'a\u0000', value: 'x' }] }, 'metadata[0].key'],
    [
      {
        metadata: [
          { key: 'a', value: 'x' },
          { key: 'a', value: 'y' },
        ],
      },
      'metadata',
    ],
    [[], undefined],
    [null, undefined],
    ['text', undefined],
  ] as const) {
    expectError(await api.validate(code, body), 400, 'body_invalid', param)
  }
  const post = (body: string | Uint8Array, type = 'application/json', headers = {}) =>
    api.call(`/v1/tickets/validate/${code}`, { method: 'POST', body, headers: { 'Content-Type': type, ...headers } })
  for (const bad of [
    '{',
    '{}x',
    "{'a':1}",
    new Uint8Array([0x7b, 0xff, 0x7d]),
    '{"metadata":[{"key":"\\ud800","value":"x"}]}',
    '['.repeat(10_000),
  ]) {
    expect((await post(bad)).json.code).toBe('body_invalid')
  }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonx',
    'text/json',
    '',
  ]) {
    expectError(await post('{}', type), 415, 'media_type_unsupported', 'Content-Type')
  }
  expectError(await post('{}', 'application/json', { 'Content-Encoding': 'gzip' }), 415, 'media_type_unsupported', 'Content-Type')
  expectError(await post(`{${' '.repeat(65_535)}}`), 413, 'body_too_large')
  expect((await post(`{${' '.repeat(65_534)}}`, 'application/json; charset=UTF-8')).json.success).toBe(true)
})

test('a missing body is treated like an empty object', async ({ api }) => {
  const { code } = await importTicket(api)
  expect((await api.validate(code)).json.success).toBe(true)
})

test('a code can be any text of up to 512 characters without NUL, and validation accepts no query parameters', async ({ api }) => {
  const codes = [
    'https://tickets.example.com/t/1?x=1&y=2#z',
    'ümläut/§ % 45+1',
    '%41',
    'a\nb\t',
    ' ',
    '𝄞'.repeat(512),
    '"\'<>\\',
    '..%2f',
    '%',
  ]
  await api.load(
    'tickets',
    codes.map((qrCode) => minimal('tickets', { qrCode })),
  )
  for (const code of codes) expect((await api.validate(code)).json.success, code).toBe(true)
  expectError(await api.validate('x'.repeat(513)), 400, 'parameter_invalid', 'qrCode')
  expectError(await api.validate('a\u0000b'), 400, 'parameter_invalid', 'qrCode')
  expectError(await api.call('/v1/tickets/validate/x?limit=1', { method: 'POST' }), 400, 'parameter_unknown', 'limit')
})

test('a check-in’s date is in the seller’s time zone, on both sides of the date line', async ({ another }) => {
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Niue', 'Europe/Amsterdam']) {
    const api = await another(zone)
    const { code } = await importTicket(api)
    const before = dayIn(zone, new Date())
    const { checkIns } = getTicket(await api.validate(code))
    expect([before, dayIn(zone, new Date())]).toContain(checkIns[0]?.checkedInAt)
  }
  // These time zones never have the same date.
  const dates = ['Pacific/Kiritimati', 'Pacific/Niue'].map((zone) => dayIn(zone, new Date()))
  expect(dates[0]).not.toBe(dates[1])
})

test('a retry with the same Idempotency-Key gets the body of the first response, even of a rejection, and changes nothing', async ({
  api,
}) => {
  const { code } = await importTicket(api)
  const scan = (key: string, body: unknown = { metadata: [{ key: 'gate', value: 'B' }] }, ticketCode = code) =>
    api.validate(ticketCode, body, { 'Idempotency-Key': key })
  const first = await scan('scan-1')
  expect(first.json.success).toBe(true)
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  for (let retry = 0; retry < 3; retry += 1) {
    const again = await scan('scan-1')
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
    expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
  }
  expect(getTicket(await api.validate(code)).checkIns).toHaveLength(1)
  const rejected = await scan('scan-2')
  expect(rejected.json.success).toBe(false)
  expect((await scan('scan-2')).text).toBe(rejected.text)
  expectError(await scan('scan-1', {}), 422, 'idempotency_mismatch', 'Idempotency-Key')
  expectError(await scan('scan-1', undefined, 'another code'), 422, 'idempotency_mismatch', 'Idempotency-Key')
  const unknown = await scan('scan-3', {}, 'unknown code')
  expect((await scan('scan-3', {}, 'unknown code')).text).toBe(unknown.text)
  for (const bad of ['a b', 'x'.repeat(256), 'é', '']) expectError(await scan(bad), 400, 'parameter_invalid', 'Idempotency-Key')
  expect((await scan('~'.repeat(255))).status).toBe(200)
})

test('an Idempotency-Key applies to one seller, and each of the seller’s API keys gets the replayed response', async ({ api, another }) => {
  const other = await another()
  const [mine, theirs] = [await importTicket(api), await importTicket(other)]
  const header = { 'Idempotency-Key': 'same' }
  const first = await api.validate(mine.code, {}, header)
  expect((await other.validate(theirs.code, {}, header)).json.success).toBe(true)
  const again = await api.call(`/v1/tickets/validate/${mine.code}`, {
    method: 'POST',
    key: await api.keyWith('tickets:validate'),
    headers: { ...header, 'Content-Type': 'application/json' },
    body: '{}',
  })
  expect(again.text).toBe(first.text)
})

test('attempts, including rejected ones but not replays, are stored with their key and device', async ({ api }) => {
  const { id, code } = await importTicket(api)
  const canceled = await importTicket(api, { status: 'CANCELED' })
  await api.validate(code, { checkIn: false }, { Device: 'Gate 2' })
  await api.validate(code, {}, { Device: Buffer.from('Tür 3').toString('latin1'), 'Idempotency-Key': 'k' })
  await api.validate(code, {}, { 'Idempotency-Key': 'k' })
  await api.validate(code, { checkIn: false }, { 'Idempotency-Key': 'k' })
  await api.validate(code)
  await api.validate(canceled.code)
  await api.validate('nobody')
  expectError(await api.validate(code, {}, { Device: 'x'.repeat(65) }), 400, 'parameter_invalid', 'Device')
  const actor = api.keyId
  expect(await readAttempts(api)).toEqual([
    { ticket: id, outcome: 'previewed', actor, device: 'Gate 2' },
    { ticket: id, outcome: 'admitted', actor, device: 'Tür 3' },
    { ticket: id, outcome: 'idempotency_mismatch', actor, device: null },
    { ticket: id, outcome: 'already_checked_in', actor, device: null },
    { ticket: canceled.id, outcome: 'canceled', actor, device: null },
    { ticket: null, outcome: 'unknown', actor, device: null },
  ])
})

test('validation requires the scope tickets:validate or full', async ({ api }) => {
  const { code } = await importTicket(api)
  for (const scope of ['payments:read', 'bookings:read', 'coupons:read', 'subscriptions:read', 'secrets:read'] as const) {
    expectError(await api.call(`/v1/tickets/validate/${code}`, { method: 'POST', key: await api.keyWith(scope) }), 403, 'scope_missing')
  }
  expect(
    (await api.call(`/v1/tickets/validate/${code}`, { method: 'POST', key: await api.keyWith('tickets:validate') })).json.success,
  ).toBe(true)
})

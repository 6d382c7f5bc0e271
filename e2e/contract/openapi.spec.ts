/**
 * Compares the server with the OpenAPI document: the responses of lists and validations, and the examples of their errors. `api.call` fails
 * on responses that do not match the document.
 */
import { type ResourceName, resources } from '@/lib/catalog'
import { ERROR_STATUSES } from '@/lib/core/errors'
import { openApiDocument } from '@/lib/http/openapi/document'
import { EXAMPLE_URL } from '@/lib/http/openapi/samples'
import type { OpenApiDocument } from '@/lib/http/openapi/types'
import { findOperation } from '@/testing/openapi'
import { minimal, readFixture } from '@/testing/seller'
import { type Api, type ApiResponse, type CallOptions, expect, test } from '../support/api'

const names = Object.keys(resources) as ResourceName[]

test('the document is served without a key at both paths, with or without a trailing slash', async ({ api }) => {
  const response = await api.call('/v1/openapi.json', { key: null })
  expect(response.status).toBe(200)
  const served = response.json as unknown as OpenApiDocument
  // The examples use the server's URL.
  expect(served).toEqual(JSON.parse(JSON.stringify(openApiDocument()).replaceAll(EXAMPLE_URL, api.url)))
  for (const path of ['/v1/openapi.json/', '/api/v1/openapi.json', '/api/v1/openapi.json/']) {
    expect((await api.call(path, { key: null })).text).toBe(response.text)
  }
  expect((await api.call('/v1/openapi.json', { key: null, method: 'DELETE' })).status).toBe(405)
})

/** Returns the document's example of an error response, or undefined if there is none. */
function findExample(method: string, path: string, { status, json }: ApiResponse): unknown {
  const examples = findOperation(method, path)?.operation.responses[String(status)]?.content?.['application/json']?.examples
  return examples?.[String(json.code)]?.value
}

/** Expects an error response to equal the document's example, apart from `requestId`. @returns its code */
async function expectExample(api: Api, path: string, call: CallOptions = {}): Promise<string> {
  const response = await api.call(path, call)
  const { requestId: _, ...error } = response.json as Record<string, unknown>
  expect({ ...error, requestId: 'x' }).toEqual({ ...(findExample(call.method ?? 'GET', path, response) as object), requestId: 'x' })
  return String(response.json.code)
}

test('every list responds as documented to keys with and without access to secrets, for both complete and minimal records', async ({
  another,
}) => {
  for (const name of names) {
    // Use a separate seller for each list, because orders create customers.
    const api = await another()
    expect((await api.call(`/v1/${name}`)).json.data).toEqual([])
    await api.load(name, readFixture(name))
    await api.load(name, [minimal(name)])
    for (const key of [api.key, await api.keyWith(`${name}:read`)]) {
      let count = 0
      for (let query = 'limit=100'; ; ) {
        const { json } = await api.call(`/v1/${name}?${query}`, { key })
        count += json.data.length
        if (!json.has_more) break
        query = `limit=100&starting_after=${json.data.at(-1)?.id}`
      }
      expect(count).toBe(readFixture(name).length + 1)
    }
  }
})

test('the errors of a list request match their examples in the document', async ({ api }) => {
  for (const name of names) {
    const path = `/v1/${name}`
    const keyWithoutScope = await api.keyWith(name === 'coupons' ? 'payments:read' : 'coupons:read')
    const codes = [
      await expectExample(api, path, { key: null }),
      await expectExample(api, path, { key: 'desk_x' }),
      await expectExample(api, path, { key: keyWithoutScope }),
      await expectExample(api, `${path}?limit=0`),
      await expectExample(api, `${path}?stauts=paid`),
      await expectExample(api, `${path}?limit=1&limit=2`),
      await expectExample(api, `${path}?starting_after=${'a'.repeat(24)}&ending_before=${'a'.repeat(24)}`),
      await expectExample(api, `${path}?starting_after=00000000000000000000000a`),
    ]
    expect(codes).toEqual([
      'key_missing',
      'key_invalid',
      'scope_missing',
      'parameter_invalid',
      'parameter_unknown',
      'parameter_repeated',
      'parameters_exclusive',
      'resource_missing',
    ])
  }
})

test('every result of a validation, including replays, matches the document', async ({ api }) => {
  await api.load('tickets', readFixture('tickets'))
  const outcomes = new Set<string>()
  const tickets = readFixture('tickets')
  const scanned = [...tickets.slice(0, 10), ...tickets.filter(({ status }) => status === 'CANCELED').slice(0, 2)]
  for (const { qrCode } of scanned) {
    for (const body of [{ checkIn: false }, {}, { metadata: [{ key: 'gate', value: '2' }] }]) {
      const { json } = await api.validate(String(qrCode), body)
      outcomes.add(String(json.reason ?? json.success))
    }
  }
  expect([...outcomes].sort()).toEqual(['already_checked_in', 'canceled', 'true'])
  const code = String(tickets[0]?.qrCode)
  for (const _ of [1, 2]) await api.validate(code, {}, { 'Idempotency-Key': 'once', Device: 'Gate 2' })
  for (const _ of [1, 2]) expect((await api.validate('nobody', {}, { 'Idempotency-Key': 'never' })).status).toBe(404)
})

test('the errors of a validation match their examples in the document', async ({ api }) => {
  await api.load('tickets', [minimal('tickets', { qrCode: 'good' }), minimal('tickets', { qrCode: 'other' })])
  const path = '/v1/tickets/validate/good'
  const post = (headers: Record<string, string>, body?: string): CallOptions => ({ method: 'POST', headers, body })
  const json = { 'Content-Type': 'application/json' }
  await api.validate('other', {}, { 'Idempotency-Key': 'taken' })
  const codes = [
    await expectExample(api, path, { method: 'POST', key: null }),
    await expectExample(api, path, { method: 'POST', key: 'desk_x' }),
    await expectExample(api, path, { method: 'POST', key: await api.keyWith('coupons:read') }),
    await expectExample(api, path, post({ 'Idempotency-Key': 'a b' })),
    await expectExample(api, `${path}?gate=2`, post({})),
    await expectExample(api, path, post(json, '{"checkIn":"no"}')),
    await expectExample(api, '/v1/tickets/validate/nobody', post({})),
    await expectExample(api, path, post(json, JSON.stringify({ metadata: 'x'.repeat(70_000) }))),
    await expectExample(api, path, post({ 'Content-Type': 'text/plain' }, '{}')),
    await expectExample(api, path, post({ 'Idempotency-Key': 'taken' })),
  ]
  expect(codes).toEqual([
    'key_missing',
    'key_invalid',
    'scope_missing',
    'parameter_invalid',
    'parameter_unknown',
    'body_invalid',
    'ticket_not_found',
    'body_too_large',
    'media_type_unsupported',
    'idempotency_mismatch',
  ])
})

test('the document’s guide lists every error code, and the health checks respond as documented', async ({ api }) => {
  const { description } = openApiDocument().info
  for (const [code, status] of Object.entries(ERROR_STATUSES)) expect(description).toContain(`| ${status} | \`${code}\` |`)
  expect((await api.call('/healthz', { key: null })).status).toBe(200)
  expect((await api.call('/readyz', { key: null })).status).toBe(200)
})

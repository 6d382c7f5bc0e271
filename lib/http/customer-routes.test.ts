/** Customers can be changed and erased over the API. The behavior that all writes share is tested in `coupon-routes.test.ts`. */
import { beforeAll, describe, expect, it } from 'vitest'
import { findDifferences } from '@/testing/openapi'
import { importLines, type Line, makeKey, makeSeller, minimal, openTestDatabase } from '@/testing/seller'
import type { Scope } from '../accounts/scopes'
import { customers } from '../catalog/customers'
import { listAudit } from '../listing/list-audit'
import { eraseCustomerRoute, updateCustomerRoute } from './customer-routes'
import { combineRoutes } from './methods'
import { recordRoute } from './record-route'

beforeAll(openTestDatabase)

const single = combineRoutes(recordRoute(customers), updateCustomerRoute)

const CUSTOMER = {
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  phone: '+44 1',
  taxId: 'GB1',
  address: { line1: 'Square 12', city: 'London' },
  shipping: { name: 'Ada', address: { city: 'Bristol' } },
}

/**
 * Imports a customer of a new seller with an API key.
 *
 * @returns the seller's and the customer's ID, and a function that sends requests for the customer with the key
 */
async function setUpSeller(...scopes: Scope[]) {
  const seller = await makeSeller()
  const customer = minimal('customers', CUSTOMER)
  await importLines('customers', seller, [customer])
  const { key } = await makeKey(seller, ...scopes)
  const id = String(customer.id)
  const send = async (method: 'GET' | 'PATCH' | 'POST', body?: unknown, target = id, headers: Record<string, string> = {}) => {
    const requestBody = body === undefined ? undefined : JSON.stringify(body)
    const url = `http://x/v1/customers/${target}${method === 'POST' ? '/erase' : ''}`
    const bodyHeaders: Record<string, string> =
      requestBody === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(requestBody)) }
    const request = new Request(url, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...bodyHeaders, ...headers },
      ...(requestBody === undefined ? {} : { body: requestBody }),
    })
    const response = await (method === 'POST' ? eraseCustomerRoute : single)[method](request, { params: Promise.resolve({ id: target }) })
    const text = await response.text()
    expect(findDifferences({ method, url, status: response.status, headers: response.headers, text })).toEqual([])
    const json = JSON.parse(text) as Line & { data: Line }
    return { status: response.status, headers: response.headers, text, json }
  }
  return { seller, id, send }
}

describe('PATCH /v1/customers/{id}', () => {
  it('changes only the members that are sent, removes those that are null, and replaces the address as a whole', async () => {
    const { send, seller, id } = await setUpSeller('customers:read', 'customers:write')
    const before = (await send('GET')).json.data
    const changed = await send('PATCH', { name: 'Ada King', phone: null, address: { line1: 'Street 1', country: 'GB' }, shipping: null })
    expect(changed.status).toBe(200)
    const { phone: _, shipping: __, ...kept } = before
    const expected = { ...kept, name: 'Ada King', address: { line1: 'Street 1', country: 'GB' }, updatedAt: expect.any(String) }
    expect(changed.json.data).toEqual(expected)
    expect(String(changed.json.data.updatedAt) > String(before.updatedAt)).toBe(true)
    const read = await send('GET')
    expect([read.text, read.headers.get('etag')]).toEqual([changed.text, changed.headers.get('etag')])
    const { rows: entries } = await listAudit(seller, { limit: 1 })
    expect(entries[0]).toMatchObject({ action: 'customer.changed', subject: id, key: 'Test' })
    expect(JSON.stringify(entries)).not.toContain('Ada')
  })

  it.each([
    [{}, undefined],
    [{ surprise: 1 }, 'surprise'],
    [{ id: 'x' }, 'id'],
    [{ createdAt: '2026-01-01T00:00:00.000Z' }, 'createdAt'],
    [{ email: null }, 'email'],
    [{ email: 'nobody' }, 'email'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(501) }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ address: { street: 'x' } }, 'address.street'],
    [{ address: { line1: null } }, 'address.line1'],
    [{ shipping: { address: 'x' } }, 'shipping.address'],
  ])('rejects %j', async (body, param) => {
    const { send } = await setUpSeller()
    const response = await send('PATCH', body)
    expect([response.status, response.json.code, response.json.param]).toEqual([400, 'body_invalid', param])
    expect((await send('GET')).json.data).toMatchObject(CUSTOMER)
  })

  it('is rejected, like an erasure, without the scope, for an unknown ID, or if the record has changed', async () => {
    const { send } = await setUpSeller('customers:read')
    expect((await send('PATCH', { name: 'x' })).json.code).toBe('scope_missing')
    expect((await send('POST')).json.code).toBe('scope_missing')
    const { send: sendAll } = await setUpSeller()
    for (const method of ['PATCH', 'POST'] as const) {
      const body = method === 'PATCH' ? { name: 'x' } : undefined
      expect((await sendAll(method, body, '0'.repeat(24))).json.code).toBe('record_not_found')
      expect((await sendAll(method, body, undefined, { 'If-Match': '"other"' })).json.code).toBe('precondition_failed')
    }
  })

  it('is not undone by an order that references the customer', async () => {
    const { send, seller, id } = await setUpSeller()
    await send('PATCH', { name: 'Ada King' })
    await importLines('payments', seller, [
      minimal('payments', { customerId: id, customerEmail: 'old@example.com', billing: { name: 'Ada' } }),
    ])
    expect((await send('GET')).json.data).toMatchObject({ name: 'Ada King', email: CUSTOMER.email })
  })
})

describe('POST /v1/customers/{id}/erase', () => {
  it('returns the erased customer, replays that response, and is audited with the key’s name', async () => {
    const { send, seller, id } = await setUpSeller()
    await importLines('payments', seller, [minimal('payments', { customerId: id, customerEmail: CUSTOMER.email })])
    const headers = { 'Idempotency-Key': 'once' }
    const erased = await send('POST', undefined, id, headers)
    expect([erased.status, erased.json.data.email, erased.json.data.name]).toEqual([200, `erased-${id}@erased.invalid`, 'Erased'])
    expect(Object.keys(erased.json.data)).not.toContain('phone')
    expect(await send('POST', undefined, id, headers)).toMatchObject({ text: erased.text })
    expect((await send('GET')).text).toBe(erased.text)
    const { rows: entries } = await listAudit(seller, { limit: 1 })
    expect(entries[0]).toMatchObject({ action: 'customer.erased', subject: id, key: 'Test' })
  })
})

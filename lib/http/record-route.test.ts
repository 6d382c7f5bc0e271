/** The operation that reads one record, for every resource in the catalog. */
import { expect, it } from 'vitest'
import { importLines, makeKey, makeSeller, minimal, readFixture } from '@/testing/seller'
import { captureStatements } from '@/testing/statements'
import type { Scope } from '../accounts/scopes'
import { RESOURCE_NAMES, type ResourceName, resources } from '../catalog'
import { listRoute } from './list-route'
import { recordRoutes } from './record-route'

async function sendRequest(key: string, name: string, id: string, method: 'GET' | 'HEAD' | 'OPTIONS' | 'DELETE' = 'GET', query = '') {
  const request = new Request(`http://x/v1/${name}/${id}${query}`, { method, headers: { authorization: `Bearer ${key}` } })
  const response = await recordRoutes[method](request, { params: Promise.resolve({ resource: name, id }) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function readFirstOfList(key: string, name: ResourceName): Promise<string> {
  const response = await listRoute(resources[name]).GET(
    new Request(`http://x/v1/${name}?limit=1`, { headers: { authorization: `Bearer ${key}` } }),
  )
  return /"data":\[(.*)\]\}$/s.exec(await response.text())?.[1] ?? ''
}

const readCode = ({ status, text }: { status: number; text: string }) => [status, (JSON.parse(text) as { code?: string }).code]

it.each(RESOURCE_NAMES)('returns a record of %s as the list does, but only to keys with the scope', async (name) => {
  const seller = await makeSeller()
  const [line = minimal(name)] = readFixture(name)
  await importLines(name, seller, [line])
  const id = String(line.id)
  const other = RESOURCE_NAMES.find((resource) => resource !== name) ?? name
  for (const scopes of [['full'], [`${name}:read`], [`${name}:read`, 'secrets:read']] as Scope[][]) {
    const { key } = await makeKey(seller, ...scopes)
    const record = await readFirstOfList(key, name)
    expect(record).toContain(id)
    expect(await sendRequest(key, name, id)).toMatchObject({ status: 200, text: `{"data":${record}}` })
    expect((await sendRequest(key, name, id.toUpperCase())).text).toBe(`{"data":${record}}`)
  }
  const { key: wrongKey } = await makeKey(seller, `${other}:read`)
  expect(readCode(await sendRequest(wrongKey, name, id))).toEqual([403, 'scope_missing'])
})

it('returns the secrets of a payment only to keys that may read them, with the same ETag', async () => {
  const seller = await makeSeller()
  const line = minimal('payments', { gatewayPaymentIntentClientSecret: 'a-client-secret' })
  await importLines('payments', seller, [line])
  const tags = new Set<string | null>()
  for (const [scopes, isShown] of [
    [['full'], true],
    [['payments:read', 'secrets:read'], true],
    [['payments:read'], false],
  ] as [Scope[], boolean][]) {
    const { key } = await makeKey(seller, ...scopes)
    const { text, headers } = await sendRequest(key, 'payments', String(line.id))
    expect(text.includes('a-client-secret')).toBe(isShown)
    tags.add(headers.get('etag'))
  }
  expect(tags.size).toBe(1)
})

it.each(RESOURCE_NAMES)('returns the same error for unknown IDs of %s as for another seller’s, and rejects malformed IDs', async (name) => {
  const [seller, other] = [await makeSeller(), await makeSeller()]
  const { key } = await makeKey(seller, `${name}:read`)
  const theirs = minimal(name)
  await importLines(name, other, [theirs])
  const unknown = '0'.repeat(24)
  const [foreign, missing] = [await sendRequest(key, name, String(theirs.id)), await sendRequest(key, name, unknown)]
  expect(readCode(missing)).toEqual([404, 'record_not_found'])
  const withoutIds = ({ text }: { text: string }, id: string) => text.replace(id, 'ID').replace(/req_\w+/, '')
  expect(withoutIds(foreign, String(theirs.id))).toBe(withoutIds(missing, unknown))
  for (const id of ['x', unknown.slice(1), `${unknown}0`, `${unknown.slice(1)}g`, `${unknown} `, ''])
    expect([id, ...readCode(await sendRequest(key, name, id))]).toEqual([id, 400, 'parameter_invalid'])
  expect(readCode(await sendRequest(key, name, unknown, 'GET', '?expand=x'))).toEqual([400, 'parameter_unknown'])
})

it('supports HEAD and OPTIONS, and rejects other methods and unknown resources', async () => {
  const seller = await makeSeller()
  const { key } = await makeKey(seller)
  const line = minimal('payments')
  await importLines('payments', seller, [line])
  const id = String(line.id)
  const got = await sendRequest(key, 'payments', id)
  const head = await sendRequest(key, 'payments', id, 'HEAD')
  expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', String(Buffer.byteLength(got.text))])
  const options = await sendRequest(key, 'payments', id, 'OPTIONS')
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  const refused = await sendRequest(key, 'payments', id, 'DELETE')
  expect([...readCode(refused), refused.headers.get('allow')]).toEqual([405, 'method_not_allowed', 'GET, HEAD, OPTIONS'])
  for (const name of ['orders', 'constructor', '__proto__'])
    expect(readCode(await sendRequest(key, name, id))).toEqual([404, 'route_not_found'])
})

it('reads a record with one statement', async () => {
  const seller = await makeSeller()
  const { key } = await makeKey(seller)
  const line = minimal('payments')
  await importLines('payments', seller, [line])
  await sendRequest(key, 'payments', String(line.id))
  expect(await captureStatements(() => sendRequest(key, 'payments', String(line.id)))).toHaveLength(1)
})

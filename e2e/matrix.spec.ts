/** Tests, for every route, parameter and scope, that sellers cannot access each other's data. New routes are included automatically. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import type { Scope } from '@/lib/accounts/scopes'
import { SCOPES } from '@/lib/accounts/scopes'
import { isResourceName, RESOURCE_NAMES, type ResourceName, resources } from '@/lib/catalog'
import type { Filters, Resource } from '@/lib/catalog/resource'
import { writeOperations } from '@/lib/catalog/write-operations'
import { createEndpoint } from '@/lib/webhooks/endpoints'
import { makeDevice } from '@/testing/devices'
import { type Line, minimal, searchedMembers } from '@/testing/seller'
import { type Api, expect, test, untilRevoked } from './support/api'
import { makeUser, startSession } from './support/dashboard'

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? listFiles(join(folder, entry.name)) : [join(folder, entry.name)],
  )

/** All API routes that require a key, such as `/v1/payments` and `/v1/tickets/validate/[qrCode]`. */
const routes = listFiles('app/api/v1')
  // The OpenAPI document is public and contains no seller's data.
  .filter((file) => file.endsWith('/route.ts') && !file.includes('[[...') && !file.includes('openapi.json'))
  .map((file) => file.replace(/^app\/api/, '').replace('/route.ts', ''))
  .flatMap((route) => (route.includes('[resource]') ? Object.keys(resources).map((name) => route.replace('[resource]', name)) : [route]))

/** Returns the scope that a route requires, or undefined if the route is unknown. Deliveries require the scope of their endpoint. */
const findScope = (route: string): Scope | undefined => {
  const [, , first, second] = route.split('/')
  return (
    SCOPES.find((scope) => scope === `${first}:${second}`) ??
    SCOPES.find((scope) => scope === `${first}:read`) ??
    writeOperations.find(({ path }) => route.replace(/\/deliveries$/, '') === path.replace('{id}', '[id]'))?.scope
  )
}

const getFilters = (name: string): Filters => (isResourceName(name) ? resources[name].filters : name === 'tickets' ? { pageId: true } : {})
const isSearchable = (name: string) => isResourceName(name) || name === 'tickets'
/** Returns whether a route's GET returns a single record or a single endpoint's deliveries. */
const isSingle = (route: string) => /\/\[id\](?:\/deliveries)?$/.test(route)
/** Returns whether a route accepts only POST: validations and actions on a record. */
const isPost = (route: string) => route.includes('[') && !isSingle(route)
/** The paths of the operations that change records. `listWrites` returns requests for them. */
const writePaths = writeOperations.map(({ path }) => path.replace('{id}', '[id]'))

/** Returns a request for each operation that changes records. @param findId returns the ID to use in a resource's paths */
const listWrites = (findId: (name: string) => string | undefined) =>
  writeOperations.map(({ method, path, scope, record, example }) => ({
    method,
    scope,
    path: path.replace('{id}', String(findId(record.name))),
    isChange: path.includes('{id}'),
    headers: { 'Content-Type': 'application/json' },
    body: example && JSON.stringify(example),
  }))

/** Returns a word that occurs only in this seller's records. */
const getMark = (api: Api) => `mark${api.seller}`

/** Returns a record with the seller's mark in its searchable and secret members, and the seller's page if its list has a page filter. */
function makeMarkedRecord(name: ResourceName, api: Api): Line {
  const { filters, secrets }: Resource = resources[name]
  return minimal(name, {
    ...Object.assign({}, ...searchedMembers(name).map((member) => member(getMark(api)))),
    ...Object.fromEntries(secrets.map((secret) => [secret, `${getMark(api)}-secret`])),
    ...(filters.pageId && { pageId: api.seller }),
  })
}

/** Creates one record per list, including a checkout page, an event and a webhook endpoint. @returns their IDs by list */
async function createRecords(api: Api): Promise<Record<string, string>> {
  const mark = getMark(api)
  const lines = {
    ...Object.fromEntries(RESOURCE_NAMES.map((name) => [name, makeMarkedRecord(name, api)])),
    tickets: minimal('tickets', { qrCode: mark, orderId: mark, pageId: api.seller }),
  }
  await api.load('pages', [minimal('pages', { id: api.seller, name: mark })])
  for (const [name, line] of Object.entries(lines)) await api.load(name as keyof typeof lines, [line])
  const [event] = await database().use(({ rows }) =>
    rows<{ id: string }>(
      sql`insert into events (seller_id, type, data) values (${api.seller}, 'coupon.created', ${JSON.stringify({ code: mark })}::text::json) returning id`,
    ),
  )
  const endpoint = await database().transaction((connection) =>
    createEndpoint(connection, api.seller, undefined, { url: `https://${mark}.example.com`, events: ['payment.paid'] }),
  )
  return {
    ...Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, String(line.id)])),
    pages: api.seller,
    events: String(event?.id),
    webhook_endpoints: String((JSON.parse(endpoint) as Line).id),
  }
}

test('the matrix covers every route', () => {
  expect(routes.length).toBeGreaterThan(0)
  for (const route of routes) expect([route, findScope(route)]).toEqual([route, expect.any(String)])
})

test('no route, parameter or scope returns another seller’s data', async ({ api, another }) => {
  const other = await another()
  const mine = await createRecords(api)
  const foreign = await createRecords(other)
  // Events are listed only once all earlier transactions have ended, including those of other tests.
  for (const { call } of [api, other]) await expect.poll(async () => (await call('/v1/events')).json.data).toHaveLength(1)
  const theirs = [getMark(other), other.seller, ...Object.values(foreign)]
  for (const scope of SCOPES) {
    const key = await api.keyWith(scope)
    for (const route of routes) {
      if (isPost(route) && writePaths.includes(route)) continue
      const name = route.split('/')[2] ?? ''
      const needed = findScope(route)
      const isAllowed = scope === 'full' || scope === needed
      const calls = isPost(route)
        ? [{ path: route.replace(/\[\w+\]/, getMark(other)), method: 'POST' }]
        : isSingle(route)
          ? [foreign[name], mine[name]].map((id) => ({ path: route.replace('[id]', String(id)), method: 'GET' }))
          : [
              '',
              `search=${getMark(other)}`,
              `pageId=${other.seller}`,
              ...['starting_after', 'ending_before'].map((cursor) => `${cursor}=${foreign[name]}`),
            ]
              .filter(
                (query) =>
                  !(query.startsWith('pageId') && !('pageId' in getFilters(name))) && !(query.startsWith('search') && !isSearchable(name)),
              )
              .map((query) => ({ path: `${route}?${query}`, method: 'GET' }))
      // Without the scope, parameters are not read, so one request is enough.
      for (const { path, method } of isAllowed ? calls : calls.slice(0, 1)) {
        const response = await api.call(path, { method, key })
        const label = `${scope} ${method} ${path}: ${response.text}`
        if (!isAllowed) expect([response.status, response.json.code], label).toEqual([403, 'scope_missing'])
        else if (isPost(route)) expect(response.json.code, label).toBe('ticket_not_found')
        else if (isSingle(route))
          expect([response.status, response.json.code], label).toEqual(
            path.split('/').includes(String(mine[name])) ? [200, undefined] : [404, 'record_not_found'],
          )
        else if (/starting|ending/.test(path)) expect(response.json.code, label).toBe('resource_missing')
        else expect([response.status, response.json.total ?? response.json.data?.length], label).toEqual([200, path.includes('=') ? 0 : 1])
        // Apart from input that is echoed in error messages, the response must not contain the other seller's data.
        const echoed = decodeURIComponent(path)
        for (const word of theirs) if (!echoed.includes(word)) expect(response.text.includes(word), label).toBe(false)
        if (scope !== 'full') expect(response.text.includes('-secret'), label).toBe(false)
      }
    }
  }
  const before = await Promise.all(Object.entries(foreign).map(([name, id]) => other.call(`/v1/${name}/${id}`)))
  for (const scope of SCOPES) {
    const key = await api.keyWith(scope)
    for (const { path, isChange, scope: needed, ...call } of listWrites((name) => foreign[name])) {
      const response = await api.call(path, { ...call, key })
      const label = `${scope} ${call.method} ${path}: ${response.text}`
      if (scope !== 'full' && scope !== needed) expect([response.status, response.json.code], label).toEqual([403, 'scope_missing'])
      else if (isChange) expect([response.status, response.json.code], label).toEqual([404, 'record_not_found'])
      else expect(response.status, label).toBeLessThan(500)
      for (const word of theirs) if (!path.includes(word)) expect(response.text.includes(word), label).toBe(false)
    }
  }
  const after = await Promise.all(Object.entries(foreign).map(([name, id]) => other.call(`/v1/${name}/${id}`)))
  expect(after.map(({ text }) => text.replace(/req_\w+/, ''))).toEqual(before.map(({ text }) => text.replace(/req_\w+/, '')))
  // The validations above must not have checked in the other seller's ticket.
  const untouched = await other.validate(getMark(other), { checkIn: false })
  expect(untouched.json).toMatchObject({ success: true, ticket: { checkIns: [], checkInStatus: 'UNCHECKEDIN' } })
})

test('no route accepts the token of a check-in device as an API key', async ({ api }) => {
  const email = `owner-${api.seller}@example.com`
  const owner = { userId: await makeUser(api.seller, email, 'owner'), email }
  const { token, cookie } = await makeDevice(api.seller, owner, { rights: ['search', 'checkout', 'undo', 'offline', 'names'] })
  for (const route of routes) {
    const path = route.replace(/\[\w+\]/, 'x')
    const method = isPost(route) ? 'POST' : 'GET'
    const { status, json } = await api.call(path, { method, key: token, headers: { cookie } })
    expect([status, json.code], `${method} ${path}`).toEqual([401, 'key_invalid'])
  }
})

test('no parameter of the request log returns another seller’s requests', async ({ api, another, context, baseUrl }) => {
  const other = await another()
  const [theirs, mine] = [await other.call('/v1/coupons'), await api.call('/v1/coupons')].map(({ headers }) => headers.get('request-id'))
  const email = `owner-${api.seller}@example.com`
  await makeUser(api.seller, email, 'owner')
  await startSession(context, baseUrl, email)
  const read = async (query: string) => (await context.request.get(`${baseUrl}/settings/requests?${query}`)).text()
  // Requests are logged in order, so once this seller's request is stored, so is the other seller's.
  await expect.poll(() => read('')).toContain(String(mine))
  const foreign = [`search=${theirs}`, `key=${other.keyId}`, `starting_after=${theirs}`, `ending_before=${theirs}`]
  for (const query of ['', 'status=2xx', `search=${mine}`, ...foreign]) {
    const text = await read(query)
    expect([query, text.includes('GET /v1/coupons')]).toEqual([query, !foreign.includes(query)])
    for (const word of [theirs, other.keyId, other.seller].map(String))
      if (!query.includes(word)) expect([query, text.includes(word)]).toEqual([query, false])
  }
})

test('unknown, revoked and expired keys get the same response, and a revoked key is rejected within a second', async ({ api }) => {
  const { createKey, revokeKey } = await import('@/lib/accounts/api-keys')
  const expired = await createKey({ sellerId: api.seller, name: 'x', scopes: ['full'], expiresAt: new Date(Date.now() - 1000) })
  const revoked = await createKey({ sellerId: api.seller, name: 'x', scopes: ['full'] })
  const calls = [
    ...routes.map((route) => ({ path: route.replace(/\[\w+\]/, 'x'), method: isPost(route) ? 'POST' : 'GET' })),
    ...listWrites(() => 'x'),
  ]
  for (const { path, method } of calls) expect((await api.call(path, { method, key: revoked.key })).status).not.toBe(401)
  await revokeKey(api.seller, revoked.id)
  await untilRevoked()
  for (const { path, method } of calls) {
    const responses = []
    for (const key of [revoked.key, expired.key, `desk_${'0'.repeat(36)}`]) {
      const { status, json } = await api.call(path, { method, key })
      responses.push({ status, ...json, requestId: undefined })
    }
    expect(responses[0]).toMatchObject({ status: 401, code: 'key_invalid' })
    expect(responses).toEqual([responses[0], responses[0], responses[0]])
  }
})

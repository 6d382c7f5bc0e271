/** The server can delay responses that need no API key, so that many of them do not delay check-in. */
import { beforeAll, expect, it } from 'vitest'
import { UnavailableError } from '@/db/unavailable'
import { openTestDatabase } from '@/testing/seller'
import { fromRequest } from './exchange'
import { defineOpenRoute } from './handler'
import { healthRoute, readyRoute } from './health-routes'
import { openApiDocument } from './openapi/document'
import { openApiRoute } from './openapi/route'

beforeAll(openTestDatabase)

const getRefusal = async (route: typeof openApiRoute, method: string, address: string) => {
  const { status, refusal } = await route.GET.handle({ ...fromRequest(new Request('http://x/', { method })), address }, {})
  return [status, refusal]
}

it('lets the server delay responses to OPTIONS and to methods that a path does not support', async () => {
  expect(await getRefusal(openApiRoute, 'OPTIONS', '192.0.2.1')).toEqual([204, 'invalidKey'])
  expect(await getRefusal(openApiRoute, 'DELETE', '192.0.2.1')).toEqual([405, 'invalidKey'])
})

it('lets the server delay responses to health checks', async () => {
  for (const route of [healthRoute, readyRoute]) expect(await getRefusal(route, 'GET', '192.0.2.1')).toEqual([200, 'health'])
})

it('lets the server delay a 503 of a route that needs no key', async () => {
  const route = defineOpenRoute(() => Promise.reject(new UnavailableError('Too many.', { code: 'queue_full' })))
  expect(await getRefusal(route, 'GET', '192.0.2.1')).toEqual([503, 'invalidKey'])
})

it('sends the OpenAPI document to an address 60 times per minute, and documents the limit', async () => {
  for (let sent = 0; sent < 60; sent += 1) expect(await getRefusal(openApiRoute, 'GET', '192.0.2.2')).toEqual([200, undefined])
  expect(await getRefusal(openApiRoute, 'GET', '192.0.2.2')).toEqual([429, 'invalidKey'])
  expect(await getRefusal(openApiRoute, 'GET', '192.0.2.3')).toEqual([200, undefined])
  expect(openApiDocument().paths['/v1/openapi.json']?.get?.responses).toHaveProperty('429')
})

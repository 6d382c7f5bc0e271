/** The route tree defines the public API: the server reads its routes from it, and the OpenAPI document must describe the same routes. */
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { resources } from '@/lib/catalog'
import { METHODS } from '@/lib/http/methods'
import { openApiDocument } from '@/lib/http/openapi/document'
import { readRouteTree } from '@/lib/http/route-tree'

const table = await readRouteTree(resolve('app'))
const patterns = table.map(({ pattern }) => pattern)

it('has a route for every listed resource', () => {
  for (const name of Object.keys(resources)) expect(patterns).toContain(`/v1/${name}`)
})

it('finds nested routes, parameters and the routes outside the API, but no pages', () => {
  expect(patterns).toEqual(
    expect.arrayContaining(['/v1/tickets/validate/:qrCode', '/v1/openapi.json', '/healthz', '/readyz', '/metrics', '/ingest/stripe']),
  )
  expect(patterns.filter((pattern) => !/^\/(v1|healthz|readyz|metrics|ingest)\b/.test(pattern))).toEqual([])
})

it('has a handler for every method of every route', () => {
  for (const { endpoint } of table)
    for (const method of METHODS) expect(endpoint.byMethod.get(method) ?? endpoint.other).toBeTypeOf('function')
})

it('describes every route of the API, and no others', () => {
  const described = Object.keys(openApiDocument().paths).map((path) => path.replace(/\{(\w+)\}/g, ':$1'))
  // These routes are for the operator's tools and for Stripe, and are not part of the API.
  expect(described.sort()).toEqual(patterns.filter((pattern) => pattern !== '/metrics' && pattern !== '/ingest/stripe').sort())
})

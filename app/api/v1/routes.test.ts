/** Tests that the route tree has the routes of every resource, and that the OpenAPI document describes the same routes. */
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { resources } from '@/lib/catalog'
import { openApiDocument } from '@/lib/http/openapi/document'
import { readRouteTree } from '@/lib/http/route-tree'

const table = await readRouteTree(resolve('app'))
const patterns = table.map(({ pattern }) => pattern)

it('has a list route for every resource', () => {
  for (const name of Object.keys(resources)) expect(patterns).toContain(`/v1/${name}`)
})

it('contains nested routes, parameters and the routes outside /v1, but no pages', () => {
  expect(patterns).toEqual(
    expect.arrayContaining(['/v1/tickets/validate/:qrCode', '/v1/openapi.json', '/healthz', '/readyz', '/metrics', '/ingest/stripe']),
  )
  expect(patterns.filter((pattern) => !/^\/(v1|healthz|readyz|metrics|ingest)\b/.test(pattern))).toEqual([])
})

it('has a handler for every route', () => {
  for (const { handle } of table) expect(handle).toBeTypeOf('function')
})

it('has the same API routes as the OpenAPI document', () => {
  const described = Object.keys(openApiDocument().paths).map((path) => path.replace(/\{(\w+)\}/g, ':$1'))
  // These routes are for the operator's tools and for Stripe, and are not part of the API.
  expect(described.sort()).toEqual(patterns.filter((pattern) => pattern !== '/metrics' && pattern !== '/ingest/stripe').sort())
})

/** Tests the parsing of query strings. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { parseQuery } from './exchange'

it.each([
  ['#?limit=2', {}],
  ['?limit=1#?limit=2', { limit: '1' }],
  ['?limit=1?#', { limit: '1?' }],
])('ignores the fragment of a URL: %s', (target, params) => {
  expect(parseQuery(`http://localhost/v1/payments${target}`, z.strictObject({ limit: z.string().optional() }))).toEqual(params)
})

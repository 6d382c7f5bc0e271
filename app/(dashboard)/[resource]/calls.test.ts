/** The API request of a view returns what the view shows, or there is none. */
import { expect, it } from 'vitest'
import { type ResourceName, resources } from '@/lib/catalog'
import { toTableQuery } from '@/lib/listing/table-query'
import { buildCurlCommand } from './calls'

const buildCommand = (resource: ResourceName, search: string) => {
  const table = toTableQuery(resources[resource], 'seller', { limit: 20, search }, 'UTC')
  return buildCurlCommand('https://desk.example', resource, table, new URLSearchParams({ search }))
}

it.each([
  ['payments', 'zoe@example.com'],
  ['payments', 'OR-1042'],
  ['coupons', 'summer'],
] as const)('builds the request for %s by %s', (resource, search) => {
  expect(buildCommand(resource, search)).toContain(`/v1/${resource}?search=`)
})

it.each([
  ['payments', 'zoe'],
  ['payments', 'zoe müller'],
  ['payments', 'zoe OR-1042'],
  ['customers', 'müller'],
  ['coupons', 'sale summer'],
] as const)('builds no request for %s by %s, because the API searches differently', (resource, search) => {
  expect(buildCommand(resource, search)).toBeUndefined()
})

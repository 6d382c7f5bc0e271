/** Tests that a view has an API request only if the API's search finds the same records as the table's, and how filters are converted. */
import { expect, it } from 'vitest'
import { type ResourceName, resources } from '@/lib/catalog'
import { toTableQuery } from '@/lib/listing/table-query'
import { toTicketQuery } from '@/lib/listing/ticket-table'
import { buildCurlCommand, buildTicketCurl } from './api-calls'

const buildCommand = (resource: ResourceName, search: string) => {
  const table = toTableQuery(resources[resource], 'seller', { limit: 20, search }, 'UTC')
  return buildCurlCommand('https://desk.example', resource, table, new URLSearchParams({ search }))
}

it.each([
  ['payments', 'zoe@example.com'],
  ['payments', 'OR-1042'],
  ['coupons', 'summer'],
] as const)('builds a request that searches %s for %s', (resource, search) => {
  expect(buildCommand(resource, search)).toContain(`/v1/${resource}?search=`)
})

it.each([
  ['payments', 'zoe'],
  ['payments', 'zoe müller'],
  ['payments', 'zoe OR-1042'],
  ['customers', 'müller'],
  ['coupons', 'sale summer'],
] as const)('builds no request that searches %s for %s, because the API could find different records', (resource, search) => {
  expect(buildCommand(resource, search)).toBeUndefined()
})

it('does not escape a comma in the ID of a ticket type', () => {
  const table = toTicketQuery('seller', { limit: 20, ticketTypeId: ['VIP, front'] }, 'UTC')
  const query = new URLSearchParams({ ticketTypeId: 'VIP\\, front' })
  expect(buildTicketCurl('https://desk.example', table, query)).toContain('/v1/tickets?ticketTypeId=VIP%2C+front')
})

/** Tests how views are converted to API requests, and that there is no request if the API's search could find different records. */
import { expect, it } from 'vitest'
import { type ResourceName, resources } from '@/lib/catalog'
import { ticketTableParams } from '@/lib/catalog/ticket-table'
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

it.each([
  ['does not escape a comma in a ticket type ID', 'VIP\\, front', '/v1/tickets?ticketTypeId=VIP%2C+front'],
  ['omits empty ticket type IDs', ',VIP,', '/v1/tickets?ticketTypeId=VIP'],
  ['omits the ticket type parameter if all of its IDs are empty', ',', '/v1/tickets'],
])('%s', (_, ticketTypeId, path) => {
  const params = ticketTableParams.parse({ ticketTypeId })
  const curl = buildTicketCurl('https://desk.example', toTicketQuery('seller', params, 'UTC'), new URLSearchParams({ ticketTypeId }))
  expect(curl).toContain(`'https://desk.example${path}'`)
})

/** Handles requests from a table's scripts. Each request's query contains the table's parameters. */
import type { z } from 'zod'
import { isResourceName, type ResourceName, resources } from '@/lib/catalog'
import type { Resource } from '@/lib/catalog/resource'
import { type TableParams, tableParams } from '@/lib/catalog/table-params'
import { type TicketTableParams, ticketTableParams } from '@/lib/catalog/ticket-table'
import { ApiError } from '@/lib/core/errors'
import { parseQuery } from '@/lib/http/exchange'
import { errorResponse } from '@/lib/http/respond'
import { type TableQuery, toTableQuery } from '@/lib/listing/table-query'
import { type TicketQuery, toTicketQuery } from '@/lib/listing/ticket-table'
import { requestErrors } from './copy/request-errors'
import { requireCaller } from './session'

export type TableContext = { params: Promise<{ resource: string }> }

/**
 * Returns the table's name, query and parameters, and the shop's time zone.
 *
 * @param getSchema returns the schema of the request's parameters, which include those of the table
 * @throws {ApiError} if the table does not exist, the caller may not read it, or the parameters are invalid
 */
export async function readTableQuery<Params extends TableParams>(
  request: Request,
  { params: path }: TableContext,
  getSchema: (resource: Resource) => z.ZodObject & z.ZodType<Params>,
): Promise<{ name: ResourceName; query: TableQuery; params: Params; timeZone: string }> {
  const { resource: name } = await path
  if (!isResourceName(name)) throw new ApiError('route_not_found', requestErrors.unknownList)
  const { sellerId, timeZone } = await requireCaller('records')
  const resource: Resource = resources[name]
  const params = parseQuery(request.url, getSchema(resource))
  return { name, query: toTableQuery(resource, sellerId, params, timeZone), params, timeZone }
}

/** Returns the query and parameters of the tickets table, and the shop's time zone. Throws the same errors as `readTableQuery`. */
export async function readTicketQuery<Params extends TicketTableParams>(
  request: Request,
  schema: z.ZodObject & z.ZodType<Params>,
): Promise<{ query: TicketQuery; params: Params; timeZone: string }> {
  const { sellerId, timeZone } = await requireCaller('records')
  const params = parseQuery(request.url, schema)
  return { query: toTicketQuery(sellerId, params, timeZone), params, timeZone }
}

/** Returns a handler that responds with the result of `read`: as JSON, unless it is a `Response`. Errors become error responses. */
export const jsonRoute =
  <Context>(read: (request: Request, context: Context) => Promise<unknown>) =>
  async (request: Request, context: Context): Promise<Response> => {
    try {
      const result = await read(request, context)
      return result instanceof Response ? result : Response.json(result, { headers: { 'Cache-Control': 'no-store' } })
    } catch (error) {
      return errorResponse(error)
    }
  }

/** New rows are counted only up to this number, which tables show as `999+`. */
export const MAX_NEWER = 1_000

/** Returns a handler that responds with JSON about a resource's table. */
export const tableRoute = (read: (query: TableQuery) => Promise<unknown>) =>
  jsonRoute(async (request, context: TableContext) => read((await readTableQuery(request, context, tableParams)).query))

/** Returns a handler that responds with JSON about the tickets table. */
export const ticketRoute = (read: (query: TicketQuery) => Promise<unknown>) =>
  jsonRoute(async (request) => read((await readTicketQuery(request, ticketTableParams)).query))

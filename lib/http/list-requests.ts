/** The request log as its seller reads it: newest first, by status, by key, or one request by its id. */
import { and, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { requestLog } from '@/db/schema'
import { idParam, limitParam, searchParam } from '../catalog/list-params'
import { instantText } from '../core/sql'
import { KEPT, type LoggedRequest } from './request-log'

export const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const
export type StatusClass = (typeof STATUS_CLASSES)[number]

const requestId = z.string().regex(/^req_[0-9a-z]{1,64}$/, 'must be a request id')

/** As they come in a query. `search` is a whole request id; the cursors are too. */
export const requestParams = z.strictObject({
  limit: limitParam,
  search: searchParam.overwrite((text) => text.trim()).optional(),
  status: z.enum(STATUS_CLASSES, { error: `must be one of ${STATUS_CLASSES.join(', ')}` }).optional(),
  key: idParam.optional(),
  starting_after: requestId.optional(),
  ending_before: requestId.optional(),
})

export type RequestParams = z.output<typeof requestParams>

/** `at` as ISO 8601. */
export type ShownRequest = Omit<LoggedRequest, 'sellerId' | 'at'> & { at: string }

export type RequestPage = {
  requests: ShownRequest[]
  /** Whether there are some beyond this page on either side. */
  hasNewer: boolean
  hasOlder: boolean
}

/** A page of a seller's requests by its key: none is skipped or repeated while others come in. A cursor that is gone has nothing beside it. */
export async function listRequests(sellerId: string, params: RequestParams): Promise<RequestPage> {
  const { search, status, key, limit, starting_after: after, ending_before: before } = params
  const placeOf = (cursor: string) =>
    sql`(select at, request_id from ${requestLog} where seller_id = ${sellerId} and request_id = ${cursor})`
  const conditions = and(
    sql`seller_id = ${sellerId} and at > now() - ${KEPT}`,
    search ? sql`request_id = ${search}` : undefined,
    status ? sql`status / 100 = ${Number(status[0])}` : undefined,
    key ? sql`key_id = ${key}` : undefined,
    after ? sql`(at, request_id) < ${placeOf(after)}` : undefined,
    before ? sql`(at, request_id) > ${placeOf(before)}` : undefined,
  )
  const backwards = before !== undefined
  const way = sql.raw(backwards ? 'asc' : 'desc')
  const rows = await database().use((connection) =>
    connection.rows<ShownRequest>(sql`
      select ${instantText(requestLog.at)} as at, request_id as "requestId", key_id as "keyId", method, route, status, ms
      from ${requestLog} where ${conditions} order by ${requestLog.at} ${way}, request_id ${way} limit ${limit + 1}`),
  )
  const hasMore = rows.length > limit
  const requests = rows.slice(0, limit)
  if (backwards) requests.reverse()
  return { requests, hasNewer: backwards ? hasMore : after !== undefined, hasOlder: backwards || hasMore }
}

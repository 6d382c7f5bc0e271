/** Lists a seller's logged API requests, newest first, optionally filtered by status class, key or ID. */
import { and, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { requestLog } from '@/db/schema'
import { idParam, limitParam, searchParam } from '../catalog/list-params'
import { describeChoices } from '../catalog/shapes'
import { instantText } from '../core/sql'
import { keyset, type Page, readCursor, toPage } from '../listing/keyset'
import { type LoggedRequest, RETENTION } from './request-log'

export const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const
export type StatusClass = (typeof STATUS_CLASSES)[number]

const requestId = z.string().regex(/^req_[0-9a-z]{1,64}$/, 'must be a request ID')

/** The query parameters. `search` and the cursors are complete request IDs; `status` is a status class such as `4xx`. */
export const requestParams = z.strictObject({
  limit: limitParam,
  search: searchParam.overwrite((text) => text.trim()).optional(),
  status: z.enum(STATUS_CLASSES, describeChoices(STATUS_CLASSES)).optional(),
  key: idParam.optional(),
  starting_after: requestId.optional(),
  ending_before: requestId.optional(),
})

export type RequestParams = z.output<typeof requestParams>

/** A logged request with its time, `at`, in ISO 8601 format. */
export type RequestLogEntry = Omit<LoggedRequest, 'sellerId' | 'at'> & { at: string }

/** Returns a page of a seller's requests, which is empty if the cursor's request has been deleted. */
export async function listRequests(sellerId: string, params: RequestParams): Promise<Page<RequestLogEntry>> {
  const { search, status, key, limit } = params
  const { cursor, direction } = readCursor(params)
  const where = and(
    sql`seller_id = ${sellerId} and at > now() - ${RETENTION}`,
    search ? sql`request_id = ${search}` : undefined,
    status ? sql`status / 100 = ${Number(status[0])}` : undefined,
    key ? sql`key_id = ${key}` : undefined,
  )
  const found = await database().query<RequestLogEntry>(sql`
    select ${instantText(requestLog.at)} as at, request_id as "requestId", key_id as "keyId", method, route, status, ms
    ${keyset({
      from: requestLog,
      order: [requestLog.at, requestLog.requestId],
      where: sql`${where}`,
      cursor:
        cursor === undefined
          ? undefined
          : sql`(select at, request_id from ${requestLog} where seller_id = ${sellerId} and request_id = ${cursor})`,
      direction,
      limit: limit + 1,
    })}`)
  return toPage(found, { cursor, direction, limit })
}

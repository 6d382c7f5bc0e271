/** A page of records: what it is asked for with, and how it is made of the rows that were read. */
import { type SQL, sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import type { Resource } from '../catalog/resource'
import { ApiError } from '../core/errors'
import type { Travel } from './conditions'

// Spec silent: what `total` and `has_more` count.
export type Page<Text> = {
  /** JSON, newest first. */
  records: Text[]
  /** Whether more records lie ahead in the direction of travel. */
  hasMore: boolean
  /** How many records match the filters, wherever the page is. */
  total: number
}

export type RecordPage = Page<string>

/** What a list is asked for with, besides its parameters. */
export type Asked = { resource: Resource; seller: string; withSecrets: boolean }

export const secretsOf = ({ resource: { table, secrets }, withSecrets }: Pick<Asked, 'resource' | 'withSecrets'>): SQL =>
  withSecrets && secrets.length > 0 ? sql`${table.secrets}::text` : sql`null::text`

/** Rows of a page and one more, in the direction of travel, as a page. */
export function pageOf<Text>(rows: Text[], limit: number, { backward }: Travel, total: number): Page<Text> {
  const records = rows.slice(0, limit)
  if (backward) records.reverse()
  return { records, hasMore: rows.length > limit, total }
}

/** @throws {ApiError} `resource_missing` where the cursor is no record of this seller */
export async function mustExist(
  { rows }: Connection,
  { resource: { name, table }, seller }: Pick<Asked, 'resource' | 'seller'>,
  { cursor, backward }: Travel,
): Promise<void> {
  if (cursor === undefined) return
  const found = await rows(sql`select 1 from ${table} where ${table.sellerId} = ${seller} and ${table.id} = ${cursor}`)
  if (found.length > 0) return
  const message = `No record '${cursor}' is in your ${name}. Take the id of the last or the first record of a page you got.`
  throw new ApiError('resource_missing', message, backward ? 'ending_before' : 'starting_after')
}

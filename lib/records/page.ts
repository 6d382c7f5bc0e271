/** A page of records: what it is asked for with, and how it is made of the rows that were read. */
import { type SQL, sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { ApiError } from '../errors'
import type { Travel } from './conditions'
import type { Resource } from './resource'

// Spec silent: what `total` and `has_more` count.
export type RecordPage = {
  /** JSON texts, newest first. */
  records: string[]
  /** Whether more records lie ahead in the direction of travel. */
  hasMore: boolean
  /** How many records match the filters, wherever the page is. */
  total: number
}

/** What a list is asked for with, besides its parameters. */
export type Asked = {
  resource: Resource
  seller: string
  withSecrets: boolean
  /** A condition that is looked at in the statement that reads: where it is false, nothing is answered. */
  holds: SQL
}

/** The condition that a list was asked for with is false. */
export class Lapsed extends Error {}

export type Row = { record: string; secrets: string | null }

export const secretsOf = ({ resource: { table, secrets }, withSecrets }: Asked): SQL =>
  withSecrets && secrets.length > 0 ? sql`${table.secrets}::text` : sql`null::text`

/** Two JSON objects, joined as texts: neither is parsed on the way out. */
const withItsSecrets = ({ record, secrets }: Row) => (secrets === null ? record : `${record.slice(0, -1)},${secrets.slice(1)}`)

/** Rows of a page and one more, in the direction of travel, as a page. */
export function pageOf(rows: Row[], limit: number, { backward }: Travel, total: number): RecordPage {
  const page = rows.slice(0, limit)
  if (backward) page.reverse()
  return { records: page.map(withItsSecrets), hasMore: rows.length > limit, total }
}

/** @throws {ApiError} `resource_missing` where the cursor is no record of this seller */
export async function mustExist(
  { rows }: Connection,
  { resource: { name, table }, seller }: Asked,
  { cursor, backward }: Travel,
): Promise<void> {
  if (cursor === undefined) return
  const found = await rows(sql`select 1 from ${table} where ${table.sellerId} = ${seller} and ${table.id} = ${cursor}`)
  if (found.length > 0) return
  const message = `No record '${cursor}' is in your ${name}. Take the id of the last or the first record of a page you got.`
  throw new ApiError('resource_missing', message, backward ? 'ending_before' : 'starting_after')
}

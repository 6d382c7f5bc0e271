/** Finds records by what a person has at hand: an id, an order, an e-mail address or a code, in all lists at once. */
import { sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { OBJECT_ID } from '../object-id'
import { memberAt } from './columns'
import { type ResourceName, resources } from './index'
import { matching } from './list'
import type { Resource } from './resource'

/** At most so many of each list. */
const EACH = 5
/** Among so many of the newest matches, one that is exactly what was asked for comes first. */
const LOOKED_THROUGH = 200
/** Shorter, and nearly every record matches. */
export const MIN_TERM = 2
export const MAX_TERM = 200

export type Found = {
  resource: ResourceName
  id: string
  /** The order or the code; the id where there is none. */
  title: string
  /** Whose it is, or what it is called. */
  detail?: string
  status?: string
  amount?: number
  currency?: string
}

const NAMES = Object.keys(resources) as ResourceName[]

const textAt = (record: Record<string, unknown>, ...paths: string[]) =>
  paths.map((path) => memberAt(record, path)).find((value): value is string => typeof value === 'string' && value !== '')

function describe(resource: ResourceName, text: string): Found {
  const record = JSON.parse(text) as Record<string, unknown>
  const id = String(record.id)
  const detail = textAt(record, 'customerEmail', 'billing.name', 'label')
  const status = textAt(record, 'status')
  const currency = textAt(record, 'currency')
  return {
    resource,
    id,
    title: textAt(record, 'orderId', 'code') ?? id,
    ...(detail ? { detail } : {}),
    ...(status ? { status } : {}),
    ...(typeof record.amount === 'number' ? { amount: record.amount } : {}),
    ...(currency ? { currency } : {}),
  }
}

/** No count is taken and no more than the newest matches are looked at: this runs while someone types. */
function search({ rows }: Connection, { table }: Resource, seller: string, term: string) {
  return rows<{ record: string }>(sql`
    select record from (
      select ${table.record}::text as record, ${table.search} as search, ${table.createdAt} as at, ${table.id} as id from ${table}
      where ${matching(table, seller, { search: term })}
      order by ${table.createdAt} desc, ${table.id} desc limit ${LOOKED_THROUGH}) as newest
    order by desk_fold(${term}::text) = any (string_to_array(search, chr(1))) desc, at desc, id desc limit ${EACH}`)
}

const byId = ({ rows }: Connection, { table }: Resource, seller: string, id: string) =>
  rows<{ record: string }>(sql`
    select ${table.record}::text as record from ${table} where ${table.sellerId} = ${seller} and ${table.id} = ${id.toLowerCase()}`)

/**
 * @param term at least `MIN_TERM` and at most `MAX_TERM` characters, no control characters
 * @returns what has exactly this id first; then, list by list, the newest that match, an exact match before all
 */
export async function findAnywhere(seller: string, term: string): Promise<Found[]> {
  const find = (query: typeof search) =>
    database().use(async (connection) => {
      const lists = await Promise.all(NAMES.map((name) => query(connection, resources[name], seller, term)))
      return NAMES.flatMap((name, at) => (lists[at] ?? []).map(({ record }) => describe(name, record)))
    })
  const exact = OBJECT_ID.test(term) ? await find(byId) : []
  return exact.length > 0 ? exact : find(search)
}

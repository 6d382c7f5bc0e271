/** Finds records by what a person has at hand: an id, an order, an e-mail address or a code, in all lists at once. */
import { type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { type ResourceName, resources } from '../catalog'
import { memberAt } from '../catalog/columns'
import type { Resource } from '../catalog/resource'
import { OBJECT_ID } from '../core/object-id'
import { escapeLike } from '../core/sql'
import { newestMatches } from './search-records'

/** At most so many of each list. */
const EACH = 5
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

/** Fields of `search` are kept apart by chr(1): a whole field stands between two of them, or at an end. */
const WHOLE = [
  (term: SQL) => term,
  (term: SQL) => sql`${term} || chr(1) || '%'`,
  (term: SQL) => sql`'%' || chr(1) || ${term}`,
  (term: SQL) => sql`'%' || chr(1) || ${term} || chr(1) || '%'`,
]

/** What has exactly this order, e-mail address or code, the newest first. */
function byField({ rows }: Connection, { table }: Resource, seller: string, term: string) {
  const folded = sql`desk_fold(${escapeLike(term)}::text)`
  const whole = WHOLE.map((around) => sql`${table.search} like ${around(folded)}`)
  return rows<{ record: string }>(sql`
    select ${table.record}::text as record from ${table} where ${table.sellerId} = ${seller} and (${sql.join(whole, sql` or `)})
    order by ${table.createdAt} desc, ${table.id} desc limit ${EACH}`)
}

const byId = ({ rows }: Connection, { table }: Resource, seller: string, id: string) =>
  rows<{ record: string }>(sql`
    select ${table.record}::text as record from ${table} where ${table.sellerId} = ${seller} and ${table.id} = ${id.toLowerCase()}`)

async function findNewest(seller: string, term: string): Promise<Found[]> {
  const lists = await Promise.all(
    NAMES.map(async (name) => {
      const [exact, newest] = await Promise.all([
        database().use((connection) => byField(connection, resources[name], seller, term)),
        newestMatches(resources[name], seller, term, EACH),
      ])
      const found = [...exact.map(({ record }) => record), ...newest.map(String)].map((text) => describe(name, text))
      return found.filter(({ id }, at) => found.findIndex((one) => one.id === id) === at).slice(0, EACH)
    }),
  )
  return lists.flat()
}

/**
 * @param term at least `MIN_TERM` and at most `MAX_TERM` characters, no control characters
 * @returns what has exactly this id; else, list by list, what has exactly this order, address or code, and then the newest that match
 */
export async function findAnywhere(seller: string, term: string): Promise<Found[]> {
  if (OBJECT_ID.test(term)) {
    const lists = await database().use((connection) => Promise.all(NAMES.map((name) => byId(connection, resources[name], seller, term))))
    const exact = NAMES.flatMap((name, at) => (lists[at] ?? []).map(({ record }) => describe(name, record)))
    if (exact.length > 0) return exact
  }
  return findNewest(seller, term)
}

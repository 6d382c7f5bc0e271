/**
 * Finds records across all lists: by ID, order ID, email address, name, coupon code or label, or short ticket ID. Names match
 * regardless of accents and word order.
 */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { tickets } from '@/db/schema'
import { type ResourceName, resources } from '../catalog'
import { memberAt } from '../catalog/columns'
import type { Resource } from '../catalog/resource'
import { OBJECT_ID } from '../core/object-id-pattern'
import { toPlain } from '../core/plain-text'
import { escapeLike, textArray } from '../core/sql'
import { findAssembled } from './assembled-list'
import { findRecord } from './find-record'
import { keyset, orderBy } from './keyset'
import { toListQuery } from './list-query'
import { ticketList } from './list-tickets'
import { matchesByPatterns, readSellerNumber } from './search-matches'
import { newestMatches } from './search-records'
import { firstTickets, readTickets, toTicketQuery } from './ticket-table'

/** The maximum number of records returned from each list. */
const LIMIT = 5
/** The maximum length of a search term, in characters. */
export const MAX_TERM = 200

type ListName = ResourceName | 'tickets'

export type SearchResult = {
  resource: ListName
  id: string
  /** The short ticket ID, order ID, coupon code or name; otherwise the ID. */
  title: string
  /** The name of the customer or guest, their company's, or the email address if there is no name; the coupon's label. */
  detail?: string
  /** The email address, if it matches the term and `detail` is the name. */
  email?: string
  /** The status; for a ticket that is not canceled, its check-in status. */
  status?: string
  /** In minor units. */
  amount?: number
  /** The currency code in the record, in any letter case. */
  currency?: string
}

type SearchResults = {
  /** At most five records from each list. */
  found: SearchResult[]
  /** The lists with more matches than those in `found`. */
  listsWithMore: ListName[]
}

const NAMES = Object.keys(resources) as ResourceName[]

const textAt = (record: Record<string, unknown>, ...paths: string[]) =>
  paths.map((path) => memberAt(record, path)).find((value): value is string => typeof value === 'string' && value !== '')

/** Returns whether an email address contains a word of the search term. */
const matchesEmail = (email: string, term: string) => {
  const folded = toPlain(email)
  return term.split(/\s+/).some((word) => word !== '' && folded.includes(toPlain(word)))
}

function toSearchResult(resource: ListName, record: Record<string, unknown>, term: string): SearchResult {
  const id = String(record.id)
  const name = textAt(record, 'customerName', 'billing.name', 'billing.companyName')
  const email = textAt(record, 'customerEmail')
  const detail = name ?? email ?? textAt(record, 'label', 'email')
  // The check-in status of a canceled ticket is irrelevant, because the ticket is no longer accepted.
  const status = textAt(record, resource === 'tickets' && record.status !== 'CANCELED' ? 'checkInStatus' : 'status')
  const currency = textAt(record, 'currency')
  return {
    resource,
    id,
    title: (resource === 'tickets' ? textAt(record, 'ticketShortId', 'orderId') : textAt(record, 'orderId', 'code', 'name')) ?? id,
    ...(detail ? { detail } : {}),
    ...(name !== undefined && email !== undefined && matchesEmail(email, term) ? { email } : {}),
    ...(status ? { status } : {}),
    ...(typeof record.amount === 'number' ? { amount: record.amount } : {}),
    ...(currency ? { currency } : {}),
  }
}

/** Converts records to results, without duplicates. */
function toSearchResults(name: ListName, records: Record<string, unknown>[], term: string): SearchResult[] {
  const found = records.map((record) => toSearchResult(name, record, term))
  return found.filter(({ id }, i) => found.findIndex((other) => other.id === id) === i)
}

/** Convert a term to patterns that match it as a whole field other than the first. chr(1) separates the fields in `search`. */
const LATER_FIELD = [(term: SQL) => sql`'%' || chr(1) || ${term}`, (term: SQL) => sql`'%' || chr(1) || ${term} || chr(1) || '%'`]
/** Convert a term to patterns that match it as any whole field. */
const WHOLE_FIELD = [(term: SQL) => term, (term: SQL) => sql`${term} || chr(1) || '%'`, ...LATER_FIELD]

/** Returns the patterns as subqueries, so that they are computed once instead of once per row. */
const toPatterns = (fields: typeof WHOLE_FIELD, term: string) =>
  fields.map((toPattern) => sql`(select ${toPattern(sql`desk_search_text(${escapeLike(term)}::text)`)})`)

/** Finds the newest records with a searched member that equals the term, such as an order ID, email address or code. */
async function findByField(resource: Resource, sellerId: string, term: string) {
  const { table } = resource
  const number = await readSellerNumber(database(), sellerId)
  const matches = matchesByPatterns(toListQuery(resource, sellerId, { limit: LIMIT + 1 }), number, toPatterns(WHOLE_FIELD, term))
  const order = [sql`match.created_at`, sql`match.id`] as const
  const statement = sql`
    select found.record from (select * ${keyset({ from: sql`(${matches}) as match`, order, where: sql`true`, direction: 'older', limit: LIMIT + 1 })}) as match
    cross join lateral (
      select ${table.record}::text as record from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = encode(match.id, 'hex') limit 1
    ) as found order by ${orderBy(order, 'older')}`
  return database().query<{ record: string }>(statement)
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Finds the newest tickets with exactly this short ID, order ID or email address. The first field, the guest's name, is not compared. */
function findTicketsByField(sellerId: string, term: string): Promise<string[]> {
  const spellings = textArray([term, term.toUpperCase(), term.toLowerCase()])
  // The trigram index has to read every ticket that contains the words of the term, which is fast only for whole email addresses.
  const condition = EMAIL.test(term)
    ? sql.join(
        toPatterns(LATER_FIELD, term).map((pattern) => sql`search like ${pattern}`),
        sql` or `,
      )
    : sql`md5(order_id) = any(array(select md5(spelling) from unnest(${spellings}) as spelling)) and order_id = any(${spellings})
        or md5(desk_typed(record ->> 'ticketShortId')) = md5(desk_typed(${term})) and desk_fold(record ->> 'ticketShortId') = desk_fold(${term})`
  return database().use(async (connection) => {
    // Because of `offset 0`, the planner uses the index for the condition instead of reading tickets by date until enough of them match.
    const found = await connection.rows<{ id: string }>(sql`
      select id from (
        select id, created_at from ${tickets} where seller_id = ${sellerId} and (${condition}) offset 0
      ) as match order by created_at desc, id desc limit ${LIMIT + 1}`)
    return readTickets(
      connection,
      sellerId,
      found.map(({ id }) => id),
    )
  })
}

async function findTickets(sellerId: string, term: string): Promise<SearchResult[]> {
  const [exact, newest] = await Promise.all([
    findTicketsByField(sellerId, term),
    firstTickets(toTicketQuery(sellerId, { limit: LIMIT + 1, search: term }, 'UTC')),
  ])
  return toSearchResults('tickets', [...exact.map((text) => JSON.parse(text)), ...newest], term)
}

async function findIn(name: ResourceName, sellerId: string, term: string): Promise<SearchResult[]> {
  const [exact, newest] = await Promise.all([
    findByField(resources[name], sellerId, term),
    newestMatches(resources[name], sellerId, term, LIMIT + 1),
  ])
  const texts = [...exact.map(({ record }) => record), ...newest.map(String)]
  return toSearchResults(
    name,
    texts.map((text) => JSON.parse(text)),
    term,
  )
}

async function findById(sellerId: string, id: string): Promise<SearchResult[]> {
  const [ticket, ...found] = await Promise.all([
    findAssembled(ticketList(sellerId, {}, false), sellerId, id.toLowerCase()),
    ...NAMES.map(async (name) => {
      const record = await findRecord(resources[name], sellerId, id)
      return record === undefined ? [] : [toSearchResult(name, JSON.parse(record), id)]
    }),
  ])
  return [...found.flat(), ...(ticket ? [toSearchResult('tickets', JSON.parse(Buffer.concat(ticket).toString()), id)] : [])]
}

/**
 * Returns the records whose ID is `term`. If there are none, returns from each list the records with exactly this order ID, email address,
 * code or short ticket ID, followed by the newest other matches.
 *
 * @param term `MIN_TERM` to `MAX_TERM` characters, without control characters
 */
export async function findAnywhere(sellerId: string, term: string): Promise<SearchResults> {
  const byId = OBJECT_ID.test(term) ? await findById(sellerId, term) : []
  if (byId.length > 0) return { found: byId, listsWithMore: [] }
  const lists = await Promise.all([...NAMES.map((name) => findIn(name, sellerId, term)), findTickets(sellerId, term)])
  return {
    found: lists.flatMap((found) => found.slice(0, LIMIT)),
    listsWithMore: lists.flatMap((found) => (found.length > LIMIT ? found.slice(0, 1).map(({ resource }) => resource) : [])),
  }
}

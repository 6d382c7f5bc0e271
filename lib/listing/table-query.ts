/** Queries for the dashboard's tables, which have more filters and sort orders than the API's lists. */
import { and, type SQL, sql } from 'drizzle-orm'
import type { SortKey } from '../catalog/columns'
import type { CreatedParams } from '../catalog/list-params'
import type { Resource } from '../catalog/resource'
import { getPeriodDays, type Period, type TableParams } from '../catalog/table-params'
import { ApiError } from '../core/errors'
import { UNUSUAL_DECIMALS } from '../core/money'
import { NO_CURRENCY } from '../core/no-currency'
import { textArray } from '../core/sql'
import { dayIn } from '../core/time'
import { type CreatedRange, createdCondition, toCreatedRange } from './created-range'
import { type Direction, readCursor } from './keyset'
import type { ListQuery } from './list-query'
import { matchesSearch, textlike } from './search-matches'
import { readDirection } from './sorted-rows'

/**
 * Converts a table's parsed parameters, which may contain a period instead of bounds, to a range.
 *
 * @param today the current day in the shop's time zone, as `YYYY-MM-DD`
 * @throws {ApiError} `parameters_exclusive` for a period with bounds
 */
export function toTableRange(
  { period, ...params }: CreatedParams & { period?: Period | undefined },
  today: string,
): CreatedRange | undefined {
  const range = toCreatedRange(params)
  if (!period) return range
  if (range) throw new ApiError('parameters_exclusive', 'Send either period or created, not both.', 'period')
  const { from, to } = getPeriodDays(period, today)
  return toCreatedRange({ 'created[gte]': from, 'created[lte]': to })
}

export type TableFilters = {
  resource: Resource
  /** The seller whose records are listed. Every query is restricted to one seller. */
  sellerId: string
  /** If empty, all are included. The same applies to `pageIds` and `methods`. */
  statuses: readonly string[]
  pageIds: readonly string[]
  methods: readonly string[]
  /** The currency code in uppercase, or `NO_CURRENCY`. */
  currency?: string | undefined
  /** If true, only live records are included; if false, only test records; if undefined, both. */
  livemode?: boolean | undefined
  /** Inclusive bounds in major units, such as euros. */
  amountFrom?: number | undefined
  amountTo?: number | undefined
  created?: CreatedRange | undefined
  search?: string | undefined
  /** The IDs of the records to include. If undefined, all are included. */
  ids?: readonly string[] | undefined
}

export type TableQuery = TableFilters & {
  sort: SortKey
  isAscending: boolean
  /** The ID of the record that the page follows (`older`) or precedes (`newer`) in the table's order. */
  cursor?: string | undefined
  direction: Direction
  limit: number
}

/**
 * Builds a table's query from parameters parsed by `tableParams`.
 *
 * @param timeZone the shop's time zone, which determines the days of a period
 * @throws {ApiError} `parameters_exclusive` for a period with dates; `parameter_invalid` for sorting by amount without a currency
 */
export function toTableQuery(resource: Resource, sellerId: string, params: TableParams, timeZone: string): TableQuery {
  const { limit, search, sort = '-createdAt', ids } = params
  const created = toTableRange(params, dayIn(timeZone, new Date()))
  const key = sort.replace('-', '') as SortKey
  if (key === 'amount' && params.currency === undefined)
    throw new ApiError('parameter_invalid', 'Amounts can be sorted only within one currency. Choose a currency.', 'sort')
  return {
    resource,
    sellerId,
    statuses: params.status ?? [],
    pageIds: params.pageId ?? [],
    methods: params.method ?? [],
    currency: params.currency,
    livemode: new Set(params.livemode).size === 1 ? params.livemode?.[0] === 'true' : undefined,
    amountFrom: params['amount[gte]'],
    amountTo: params['amount[lte]'],
    created,
    search,
    ids,
    sort: key,
    isAscending: !sort.startsWith('-'),
    ...readCursor(params),
    limit,
  }
}

/** Returns the equivalent query for an API list, except that its search includes names. Returns undefined if there is none. */
export function asListQuery(query: TableQuery): ListQuery | undefined {
  const { resource, sellerId, statuses, pageIds, created, search, cursor, limit } = query
  const isExpressible =
    query.sort === 'createdAt' &&
    statuses.length <= 1 &&
    pageIds.length <= 1 &&
    query.methods.length === 0 &&
    [query.currency, query.livemode, query.amountFrom, query.amountTo, query.ids].every((filter) => filter === undefined)
  if (!isExpressible) return undefined
  const [[status], [pageId]] = [statuses, pageIds]
  const direction = readDirection(query, query.direction)
  return { resource, sellerId, withSecrets: false, withNames: true, status, pageId, created, search, cursor, direction, limit }
}

/** Returns a SQL expression for an amount in the minor units of the row's currency. @param amount in major units */
function minorUnits(amount: number): SQL {
  // Rounded, because 19.99 * 100 is 1998.9999999999998. Bounds have at most six decimals.
  const shift = (decimals: number) => sql`${(amount * 10 ** decimals).toFixed(6)}::numeric`
  const cases = [...UNUSUAL_DECIMALS].map(([decimals, codes]) => sql`when text.currency = any(${textArray(codes)}) then ${shift(decimals)}`)
  return sql`case ${sql.join(cases, sql` `)} else ${shift(2)} end`
}

/**
 * Returns the condition that selects a record's row in the compact table. It also compares the date, because the table has no index by ID.
 *
 * @param id the SQL that follows the record ID column, such as `= $1`
 */
export function compactRowCondition({ resource: { table }, sellerId }: TableFilters, id: SQL): SQL {
  const position = sql`select ${table.createdAt}, decode(${table.id}, 'hex') from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} ${id}`
  return sql`(text.created_at, text.id) = any(${position})`
}

/**
 * Returns the table's filter conditions for the compact table, which is aliased `text`.
 *
 * @param number the seller's number
 * @param without filters to ignore, for counting the rows per option of a filter
 */
export function tableConditions(query: TableFilters, number: number, without: readonly ('statuses' | 'methods' | 'currency')[] = []): SQL {
  const { resource, statuses, pageIds, methods, currency, livemode, amountFrom, amountTo, search, ids } = query
  const conditions = [sql`text.seller = ${number}::int`]
  if (statuses.length > 0 && !without.includes('statuses')) conditions.push(sql`text.status = any(${textArray(statuses)})`)
  if (pageIds.length > 0) conditions.push(sql`text.page_id = any(select decode(id, 'hex') from unnest(${textArray(pageIds)}) as id)`)
  if (methods.length > 0 && !without.includes('methods')) conditions.push(sql`text.method = any(${textArray(methods)})`)
  if (currency !== undefined && !without.includes('currency'))
    conditions.push(currency === NO_CURRENCY ? sql`coalesce(text.currency, '') = ''` : sql`text.currency = ${currency}`)
  if (livemode !== undefined) conditions.push(livemode ? sql`text.livemode is distinct from false` : sql`not text.livemode`)
  if (amountFrom !== undefined) conditions.push(sql`text.amount >= ${minorUnits(amountFrom)}`)
  if (amountTo !== undefined) conditions.push(sql`text.amount <= ${minorUnits(amountTo)}`)
  if (ids !== undefined) conditions.push(compactRowCondition(query, sql`= any(${textArray(ids)})`))
  if (search !== undefined) conditions.push(matchesSearch({ resource, search, withNames: true }, sql`text.text`, sql`text.names`, textlike))
  return sql`${and(...conditions, createdCondition(sql`text.created_at`, query))}`
}

/**
 * Builds the SQL that finds the records containing a term, either among the records next to the cursor or among all of the seller's texts.
 * Compact tables such as `payments_texts` contain these texts (`desk_attach_texts` in db/migrations). They are scanned, or searched with a
 * trigram index.
 */
import { and, type SQL, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '@/db/client'
import { sellers } from '@/db/schema'
import type { Resource } from '../catalog/resource'
import { escapeLike } from '../core/sql'
import { createdCondition } from './created-range'
import { keyset, orderBy } from './keyset'
import { type ListQuery, recordColumns, recordRows } from './list-query'

export type SearchQuery = ListQuery & { search: string }
type TermQuery = Pick<SearchQuery, 'search' | 'withNames' | 'resource'>

// Not specified: how a search matches. It matches literally, in lowercase and with ASCII punctuation, anywhere in one field
// (`desk_search_text` and the derived `search`).
/** Returns a term's LIKE pattern as a subquery, so that the term is folded once instead of once per row. */
const pattern = (term: string) => sql`(select '%' || desk_search_text(${escapeLike(term)}::text) || '%')`

/**
 * Returns the LIKE pattern for a word in names. The word is escaped after folding, which can produce special characters. The pattern is
 * null if folding removes the whole word.
 */
export const namePattern = (word: string) =>
  sql`(select '%' || regexp_replace(nullif(desk_plain(${word}::text), ''), '([\\\\%_])', '\\\\\\1', 'g') || '%')`

const like = (text: SQL, wanted: SQL) => sql`${text} like ${wanted}`

/** Returns a term's words. Omits words that are part of another word, because every row is compared with each word. */
export function splitWords(term: string): string[] {
  const words = [...new Map(term.split(/\s+/).map((word) => [word.toLowerCase(), word]))].filter(([lower]) => lower !== '')
  return words.filter(([lower]) => !words.some(([other]) => other !== lower && other.includes(lower))).map(([, word]) => word)
}

/**
 * Returns the condition that a row matches the search.
 *
 * @param text the row's searched text
 * @param names the row's names, which are searched if the query includes names and the resource has them
 * @param matches compares a text with a pattern
 */
export function matchesSearch({ search, withNames, resource }: TermQuery, text: SQL, names: SQL, matches = like): SQL {
  if (!withNames) return matches(text, pattern(search))
  const words = splitWords(search)
  const conditions = (words.length > 0 ? words : [search]).map((word) => {
    const inText = matches(text, pattern(word))
    return 'names' in resource.table ? sql`(${inText} or ${matches(names, namePattern(word))})` : inText
  })
  return sql.join(conditions, sql` and `)
}

/** Returns the condition that a row of `nextTexts` contains the term. */
export const containsTerm = (query: SearchQuery, row: SQL) => matchesSearch(query, sql`${row}.search`, sql`${row}.names`)

/** Selects the texts of the next `window` records. @param cursor as in `recordRows` */
export function nextTexts(query: SearchQuery, window: number, cursor?: SQL): SQL {
  const { table } = query.resource
  const names = query.withNames && 'names' in table ? sql`, ${table.names} as names` : sql``
  const columns = sql`${table.id} as id, ${table.createdAt} as created_at, ${table.search} as search${names}`
  return sql`(select ${columns} ${recordRows(query, sql.raw(String(window)), cursor)})`
}

/** Selects the IDs of the matches among the `window` records after the cursor, at most `limit`. */
export const matchesNear = (query: SearchQuery, window: number, limit: number): SQL => sql`
  select near.id from ${nextTexts(query, window)} as near where ${containsTerm(query, sql`near`)}
  order by ${orderBy([sql`near.created_at`, sql`near.id`], query.direction)} limit ${limit}`

const selectSellerNumber = (sellerId: string) => sql`(select ${sellers.number} from ${sellers} where ${sellers.id} = ${sellerId})`

/** Cached seller numbers by seller ID. A number never changes. */
const numbers = new LRUCache<string, number>({ max: 10_000 })

/** Returns the seller's number in the compact tables. */
export async function readSellerNumber(pool: Database, sellerId: string): Promise<number> {
  const known = numbers.get(sellerId)
  if (known !== undefined) return known
  const [row] = await pool.query<{ number: number }>(sql`select ${selectSellerNumber(sellerId)} as number`)
  const number = row?.number ?? 0
  if (number > 0) numbers.set(sellerId, number)
  return number
}

/** Returns the conditions for the seller and the filters, on the columns of the compact table. */
function textConditions(query: ListQuery, number = selectSellerNumber(query.sellerId)): SQL {
  const { table } = query.resource
  const conditions = [sql`text.seller = ${number}`]
  if (query.status !== undefined && 'status' in table) conditions.push(sql`text.status = ${query.status}`)
  if (query.pageId !== undefined && 'pageId' in table) conditions.push(sql`text.page_id = decode(${query.pageId}, 'hex')`)
  return sql`${and(...conditions, createdCondition(sql`text.created_at`, query))}`
}

/** Compares like the operator LIKE, but without the trigram index, because the planner cannot estimate the cost of using it. */
export const textlike = (text: SQL, wanted: SQL) => sql`textlike(${text}, ${wanted})`

/** The number of partitions of a compact table. */
export const PARTITIONS = 16

/** Returns the partition of a resource's compact table that contains the seller's rows. @param number the seller's number */
export const getPartition = ({ name }: Pick<Resource, 'name'>, number: number): SQL =>
  sql`${sql.identifier(`${name}_texts_${number % PARTITIONS}`)}`

/**
 * Returns the FROM and WHERE clauses of a scan. The partition is read directly, because computing each row's partition would take a third
 * of the scan's time.
 *
 * @param number the seller's number
 */
const scannedTexts = (query: SearchQuery, number: number) => sql`
  from ${getPartition(query.resource, number)} as text
  where ${textConditions(query, sql`${number}::int`)} and ${matchesSearch(query, sql`text.text`, sql`text.names`, textlike)}`

/** Selects the IDs, as bytes, and times of every match by scanning every text, which takes the same time for any term. */
export const matchesByText = (query: SearchQuery, number: number): SQL =>
  sql`select text.id, text.created_at ${scannedTexts(query, number)}`

/** Counts every match by scanning every text. Returns a scalar subquery. */
export const countByText = (query: SearchQuery, number: number): SQL => sql`(select count(*)::int ${scannedTexts(query, number)})`

/** The maximum number of trigrams to consider per term. More would hardly make the index more selective. */
const MAX_TRIGRAMS = 32

const PUNCTUATION = /[!-/:-@[-`{-~ ]/

const lowerAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * A trigram of a term, or the first two of a word: the position in the term, and a string that every text with the trigrams contains.
 */
type Trigram = { start: number; end: number; text: string }

/**
 * Returns the trigrams that the index looks up for a term: those of three letters or digits, and those at the beginning and the end of a
 * word. Only ASCII letters and digits are looked up, because folding changes only their case.
 */
function listTrigrams(term: string): Trigram[] {
  const lower = lowerAscii(term)
  const isBorder = (i: number) => PUNCTUATION.test(lower.charAt(i))
  return [...lower.matchAll(/[a-z\d]+/g)].flatMap(({ 0: run, index: from }) => {
    const to = from + run.length
    const trigrams: Trigram[] = []
    const add = (start: number, end: number, text = lower.slice(start, end)) => trigrams.push({ start, end, text })
    // Adds the trigrams of a word's first letter and of its first two letters. Both use the `text` of the former, which is more common.
    if (isBorder(from - 1)) add(from - 1, Math.min(from + 2, to), lower.slice(from - 1, from + 1))
    for (let i = from; i + 3 <= to; i += 1) add(i, i + 3)
    if (run.length >= 2 && isBorder(to)) add(to - 2, to + 1)
    return trigrams
  })
}

/** Returns the texts whose frequencies determine which trigrams of a term are looked up. */
export const listFrequencyTexts = (term: string): string[] =>
  [...new Set(listTrigrams(term).map(({ text }) => text))].slice(0, MAX_TRIGRAMS)

/** Selects how many of the newest `window` records contain each of the texts, and the number of these records. */
export function selectFrequencies(query: SearchQuery, texts: string[], window: number): SQL {
  const counts = texts.map((search) => sql`count(*) filter (where ${containsTerm({ ...query, search }, sql`near`)})`)
  return sql`
    select count(*)::int as rows, json_build_array(${sql.join(counts, sql`, `)})::text as counts
    from ${nextTexts({ ...query, cursor: undefined, direction: 'older' }, window)} as near`
}

/**
 * Returns the parts of a term that consist of rare trigrams, so that the index lookup skips the lists of common trigrams, such as those in
 * `or-1` or `@example`, which can be as long as the table. Every match contains all parts.
 *
 * @param isRare returns whether few records contain a text from `listFrequencyTexts`
 */
export function rareParts(term: string, isRare: (text: string) => boolean): string[] {
  const parts: { start: number; end: number }[] = []
  for (const { start, end, text } of listTrigrams(term)) {
    if (!isRare(text)) continue
    const last = parts.at(-1)
    // Extends the part if this is the next trigram of the same word, or the first one of the next word.
    if (last && (start === last.end - 2 || (start === last.end - 1 && PUNCTUATION.test(term.charAt(start))))) last.end = end
    else parts.push({ start, end })
  }
  return [...new Set(parts.filter(({ start, end }) => end - start >= 3).map(({ start, end }) => lowerAscii(term).slice(start, end)))]
}

/** Returns a record's position in the compact table, its time and ID, as a subquery. */
const selectPosition = ({ resource: { table }, sellerId }: ListQuery, id: string) =>
  sql`(select ${table.createdAt}, decode(${table.id}, 'hex') from ${table} where ${table.sellerId} = ${sellerId} and ${table.id} = ${id})`

/**
 * Returns the FROM and WHERE clauses that select the rows matching a condition in the seller's partition. Planning for one partition takes
 * a tenth as long as planning for all of them.
 */
function selectFromPartition({ resource, sellerId }: ListQuery, number: number | undefined, condition: SQL): SQL {
  if (number !== undefined) return sql`${getPartition(resource, number)} as text where (${condition})`
  const remainder = sql`(select ${sellers.number} % ${sql.raw(String(PARTITIONS))} from ${sellers} where ${sellers.id} = ${sellerId})`
  return sql`${sql.identifier(`${resource.name}_texts`)} as text where text.seller % ${sql.raw(String(PARTITIONS))} = ${remainder} and (${condition})`
}

/**
 * Uses the trigram index to select the IDs (as bytes) and times of the rows whose texts match a condition. The seller and the filters are
 * checked outside the `offset 0` subquery: inside it, the planner would combine the trigram index with the index of all the seller's texts,
 * which is far slower.
 *
 * @param number the seller's number; if undefined, the statement reads it
 * @param recheck an additional condition that is checked after the index lookup
 */
function selectMatches(query: ListQuery, number: number | undefined, condition: SQL, recheck?: SQL): SQL {
  const seller = number === undefined ? undefined : sql`${number}::int`
  return sql`
    select text.id, text.created_at from (select * from ${selectFromPartition(query, number, condition)} offset 0) as text
    where ${and(textConditions(query, seller), recheck)}`
}

/** Selects the rows whose text matches any of the patterns, with the trigram index. @param number the seller's number */
export const matchesByPatterns = (query: ListQuery, number: number, patterns: SQL[]): SQL =>
  selectMatches(
    query,
    number,
    sql.join(
      patterns.map((wanted) => sql`text.text like ${wanted}`),
      sql` or `,
    ),
  )

/**
 * Selects every match with the trigram index, which is fast for a rare term.
 *
 * @param number the seller's number; if undefined, the statement reads it
 * @param parts the parts of the term to look up, from `rareParts`; if empty, the whole term is looked up
 */
export function matchesByTrigrams(query: SearchQuery, number?: number, parts: readonly string[] = []): SQL {
  const [text, names] = [sql`text.text`, sql`text.names`]
  if (parts.length === 0) return selectMatches(query, number, matchesSearch(query, text, names))
  const conditions = parts.map((search) => matchesSearch({ ...query, search }, text, names))
  return selectMatches(query, number, sql.join(conditions, sql` and `), matchesSearch(query, text, names, textlike))
}

/** Counts every match with the trigram index. Returns a scalar subquery. The parameters are those of `matchesByTrigrams`. */
export const countByTrigrams = (query: SearchQuery, number: number, parts: readonly string[]): SQL =>
  sql`(select count(*)::int from (${matchesByTrigrams(query, number, parts)}) as match)`

/** Selects the IDs of the next page, and of the row after it, from a CTE named `match`. */
export function nextMatches(query: SearchQuery): SQL {
  const order = [sql`match.created_at`, sql`match.id`] as const
  const { cursor, direction, limit } = query
  const position = cursor === undefined ? undefined : selectPosition(query, cursor)
  return sql`
    select encode(match.id, 'hex') as id ${keyset({ from: sql`match`, order, where: sql`true`, cursor: position, direction, limit: limit + 1 })}`
}

/**
 * Selects the records with the given IDs in the query's order. Only the first row has `summary`, in the columns after the record, because
 * repeating the IDs of all matches in every row would take megabytes. If there are no records, the result is a single row with only the
 * summary.
 */
export function recordsWithSummary(query: SearchQuery, summary: SQL, ids: SQL): SQL {
  const { table } = query.resource
  return sql`
    select page.record, page.secrets, summary.* from (select ${summary}, 1 as nth) as summary full join (
      select found.*, (row_number() over (order by ${orderBy([sql`found.created_at`, sql`found.id`], query.direction)}))::int as nth
      from (${ids}) as wanted cross join lateral (
        select ${recordColumns(query)}, ${table.createdAt} as created_at, ${table.id} as id
        from ${table} where ${table.sellerId} = ${query.sellerId} and ${table.id} = wanted.id limit 1
      ) as found
    ) as page on page.nth = summary.nth order by page.nth`
}

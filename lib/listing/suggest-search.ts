/** Suggests a similar name for a search that finds nothing. */
import { type SQL, sql } from 'drizzle-orm'
import { type Database, database } from '@/db/client'
import { tickets } from '@/db/schema'
import { pickPool } from './record-counts'
import { getPartition, readSellerNumber, splitWords } from './search-matches'
import { type TableQuery, tableConditions } from './table-query'
import { type TicketQuery, ticketConditions } from './ticket-table'
import { ONLY_TRIGRAMS, withinTime } from './within-time'

/**
 * The default time limit, in milliseconds. It is low, because suggestions are optional. Searches for short words may exceed it, because
 * many names resemble them.
 */
const LIMIT_MS = 250
/**
 * The minimum fraction of a word's trigrams that a name must contain. In a five-letter word, swapping two adjacent letters changes up to
 * four of six trigrams.
 */
const MIN_SIMILARITY = '0.3'
/** Matches words that can be part of a name. Email addresses and numbers are not treated as misspelled names. */
const NAME_PATTERN = /^[\p{L}\p{M}'’-]{3,24}$/u
/** Searches with more words than this get no suggestions. */
const MAX_WORDS = 3

/** Returns the condition that a text contains a similar word for each word of the search. The trigram index on the text supports it. */
type IsSimilar = (text: SQL) => SQL

/** Returns the words of a search, or none if the search cannot be a name. */
function splitNames(search = ''): string[] {
  const words = splitWords(search)
  return words.length <= MAX_WORDS && words.every((word) => NAME_PATTERN.test(word)) ? words : []
}

/**
 * Returns the most similar words of the most similar name, or undefined if no name is similar or the time limit is exceeded.
 *
 * @param ms the time limit, in milliseconds
 * @param select selects `names`, `created_at` and `id` of the records to compare
 */
async function suggest(pool: Database, ms: number, words: string[], select: (isSimilar: IsSimilar) => SQL): Promise<string | undefined> {
  const terms = words.map((word) => sql`(select desk_plain(${word}::text))`)
  const isSimilar: IsSimilar = (text) =>
    sql.join(
      terms.map((term) => sql`${text} %> ${term}`),
      sql` and `,
    )
  const similarities = terms.map((term) => sql`word_similarity(${term}, names)`)
  const found = sql`
    select names from (${select(isSimilar)}) as compared order by ${sql.join(similarities, sql` + `)} desc, created_at desc, id limit 1`
  const closest = terms.map(
    (term) => sql`(select part from string_to_table(found.names, ' ') as part order by similarity(part, ${term}) desc, part limit 1)`,
  )
  const rows = await withinTime(
    pool,
    ms,
    (connection) =>
      connection.rows<{ suggestion: string | null }>(
        sql`select concat_ws(' ', ${sql.join(closest, sql`, `)}) as suggestion from (${found}) as found`,
      ),
    { ...ONLY_TRIGRAMS, 'pg_trgm.word_similarity_threshold': MIN_SIMILARITY },
  )
  return rows?.[0]?.suggestion ?? undefined
}

/**
 * Returns a search term that consists of the most similar words of a customer's name. Combined with the other filters, it finds at least
 * that customer's record. Returns undefined if no name is similar or the time limit is exceeded.
 *
 * @param ms the time limit, in milliseconds
 */
export async function suggestSearch(query: TableQuery, ms = LIMIT_MS): Promise<string | undefined> {
  const { resource, sellerId, search } = query
  const words = splitNames(search)
  if (!('names' in resource.table) || words.length === 0) return undefined
  const pool = await pickPool([resource], sellerId)
  const number = await readSellerNumber(pool, sellerId)
  // Without `offset 0`, the planner would combine the trigram index with the index of all the seller's texts, which is far slower.
  return suggest(
    pool,
    ms,
    words,
    (isSimilar) => sql`
      select text.names, text.created_at, text.id from (
        select * from ${getPartition(resource, number)} as text where ${isSimilar(sql`text.names`)} offset 0
      ) as text where ${tableConditions({ ...query, search: undefined }, number)}`,
  )
}

/** Returns a search term that consists of the most similar words of a guest's name. @see suggestSearch */
export async function suggestTicketSearch(query: TicketQuery, ms = LIMIT_MS): Promise<string | undefined> {
  const words = splitNames(query.search)
  if (words.length === 0) return undefined
  // The index covers all searchable members. The name is compared afterward, because the suggestion consists of its words.
  const names = sql`desk_plain(text.record ->> 'customerName')`
  return suggest(
    database(),
    ms,
    words,
    (isSimilar) => sql`
      select ${names} as names, text.created_at, text.id from (
        select * from ${tickets} as text where text.seller_id = ${query.sellerId} and ${isSimilar(sql`text.plain`)} offset 0
      ) as text where ${ticketConditions({ ...query, search: undefined })} and ${isSimilar(names)}`,
  )
}

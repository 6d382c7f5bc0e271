/** Suggests how a name is spelled, for a search that finds nothing. */
import { sql } from 'drizzle-orm'
import { readPool } from '@/db/client'
import { replicationState } from './record-counts'
import { getPartition, readSellerNumber, splitWords } from './search-matches'
import { type TableQuery, tableConditions } from './table-query'
import { ONLY_TRIGRAMS, withinTime } from './within-time'

/** A low limit, because suggestions are optional. Short parts of names occur in so many records that comparing them takes longer. */
const LIMIT_MS = 250
/** The minimum fraction of a word's trigrams that a name must contain. Two swapped letters change four of the six trigrams of a word of five letters. */
const MIN_SIMILARITY = '0.3'
/** Parts of email addresses and numbers are not treated as misspelled names. */
const IS_NAME = /^[\p{L}\p{M}'’-]{3,24}$/u
const MAX_WORDS = 3

/**
 * Returns a search with the most similar words of a customer's name, which finds at least that customer's record with the other filters, or
 * undefined if no name is similar, or none is found in time.
 *
 * @param ms the time limit
 */
export async function suggestSearch(query: TableQuery, ms = LIMIT_MS): Promise<string | undefined> {
  const { resource, sellerId, search = '' } = query
  const words = splitWords(search)
  if (!('names' in resource.table) || words.length === 0 || words.length > MAX_WORDS || !words.every((word) => IS_NAME.test(word)))
    return undefined
  const pool = await readPool(() => replicationState([resource], sellerId))
  const number = await readSellerNumber(pool, sellerId)
  const terms = words.map((word) => sql`(select desk_plain(${word}::text))`)
  const similar = terms.map((term) => sql`text.names %> ${term}`)
  const likeness = terms.map((term) => sql`word_similarity(${term}, text.names)`)
  // Without `offset 0`, the planner would combine the trigram index with the index of all the seller's texts.
  const found = sql`
    select text.names from (
      select * from ${getPartition(resource, number)} as text where ${sql.join(similar, sql` and `)} offset 0
    ) as text
    where ${tableConditions({ ...query, search: undefined }, number)}
    order by ${sql.join(likeness, sql` + `)} desc, text.created_at desc, text.id limit 1`
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

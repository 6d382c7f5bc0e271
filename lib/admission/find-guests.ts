/** Finds tickets by name, email, order number or short ID. Ignores accents and the order of words, and tolerates one typo. */
import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { tickets } from '@/db/schema'
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'
import { toPlain } from '../core/plain-text'
import { textArray } from '../core/sql'
import { type Guest, type GuestRow, guestQuery, toGuest } from './guests'

export const MAX_FOUND = 20

/** The maximum number of tickets to compare: either those that the index finds or the newest ones. */
const MAX_READ = 10_000
/** If at least `COMMON` of the `SAMPLE` newest tickets match, the index is not used, because finding all matches with it would be slow. */
const SAMPLE = 2_000
const COMMON = 100

/** Returns a number as a literal instead of a parameter, so that the planner knows it even in a generic plan. */
const constant = (count: number) => sql.raw(String(count))

/**
 * The words that may have a typo. Shorter words would match too much, longer ones would produce patterns of thousands of
 * characters, and a number with a typo is a different number.
 */
const MAY_HAVE_TYPO = /^\p{L}{4,24}$/u

/**
 * The maximum number of words in a term with a typo. Any of the words may be the misspelled one, so the cost grows with
 * the square of the word count.
 */
const MAX_WORDS_WITH_TYPO = 8

/** The minimum length of words that the index finds. */
const INDEXED_LENGTH = 3
/**
 * How many misspellings of a word may have fewer than three letters in a row, and so not be found by the index. Four-letter words have
 * three such misspellings, five-letter words have one, and longer words have none.
 */
const MAX_MISSED = 1
const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz']

/** Limits running and waiting searches, in total and per seller, because lists use the same connections. */
const semaphore = createSharedSemaphore({ name: 'guest searches', limit: 3, queue: 100, waitMs: 3_000, perSeller: { limit: 2, queue: 40 } })

reportLoad('guest_searches', semaphore.load)

/** Validates a search term of 2 to 200 characters. A single character would match too many names. */
export const findTerm = z
  .string()
  .trim()
  .refine((term) => [...term].length >= 2 && [...term].length <= 200 && !/\p{Cc}/u.test(term) && term.isWellFormed())

export type GuestMatches = {
  guests: Guest[]
  /** Whether more tickets match. */
  hasMore: boolean
  /** Whether there were too many tickets to compare them all, so that better matches might be missing. */
  isPartial: boolean
}

/**
 * Returns every way to misspell a word with one typo: a letter is replaced, missing or added, or two adjacent letters are swapped.
 *
 * @param any the placeholder for a wrong letter
 */
function misspell(word: string, any: string): string[] {
  const letters = [...word]
  const splice = (index: number, middle: string, next: number) => letters.slice(0, index).join('') + middle + letters.slice(next).join('')
  const variants = letters.flatMap((letter, index) => [
    splice(index, any, index + 1),
    splice(index, '', index + 1),
    splice(index, any + letter, index + 1),
    ...(index + 1 < letters.length ? [splice(index, `${letters[index + 1]}${letter}`, index + 2)] : []),
  ])
  return [...new Set(variants)]
}

/** Returns a regular expression for words that start with a misspelling of `word`. */
const typoPattern = (word: string): string => `\\m(?:${misspell(word, '\\w').join('|')})`

const matchesAny = (text: SQL, variants: string[]) => sql`${text} like any(${textArray(variants.map((variant) => `%${variant}%`))})`

/**
 * Returns patterns for every way to misspell a word, each with three letters in a row, so that the index can be used. A placeholder in the
 * middle of a five-letter word leaves only two letters in a row; this pattern is replaced by one pattern per letter of the alphabet.
 * Returns undefined for words of fewer than five letters, and for five-letter words with characters other than a to z.
 */
export function indexedTypos(word: string): string[] | undefined {
  const isIndexed = (variant: string) => variant.split('_').some((part) => [...part].length >= INDEXED_LENGTH)
  const variants = misspell(word, '_')
  const missed = variants.filter((variant) => !isIndexed(variant))
  if (missed.length > MAX_MISSED || (missed.length > 0 && !/^[a-z]+$/.test(word))) return undefined
  return [...variants.filter(isIndexed), ...missed.flatMap((variant) => ALPHABET.map((letter) => variant.replace('_', letter)))]
}

/** The searchable text of a ticket, in lowercase and without accents. */
const PLAIN = sql`${tickets.plain}`

/** Folds a string, and then escapes it for `like`. Escaping comes last, because folding converts the full-width form of `%` to `%`. */
const literal = (text: string) => sql`regexp_replace(desk_plain(${text}::text), '([\\\\%_])', '\\\\\\1', 'g')`

/**
 * Returns a condition that is true if a text contains a word. The subquery folds the word once; without it, PostgreSQL would fold the word
 * again for each ticket when it reuses the plan.
 */
const contains = (text: SQL, word: string) => sql`${text} like (select '%' || ${literal(word)} || '%')`

const LETTERS = new RegExp(`[\\p{L}\\p{N}]{${INDEXED_LENGTH}}`, 'u')

/** Returns whether the index can find a word: it needs three letters or digits in a row. */
const isFoundByIndex = (word: string) => LETTERS.test(toPlain(word))

/**
 * The words that every match contains. `long` words have at least three characters, and the index can find most of them (see
 * `isFoundByIndex`). `short` words have to be compared with each ticket.
 */
type Words = { long: string[]; short: string[] }

/** Returns the words of a term. Omits words that are part of another word. */
export function splitWords(term: string): Words {
  const words = [...new Set(term.toLowerCase().split(/\s+/))]
  const needed = words.filter((word) => !words.some((other) => other !== word && other.includes(word)))
  const isLong = (word: string) => [...word].length >= INDEXED_LENGTH
  return { long: needed.filter(isLong), short: needed.filter((word) => !isLong(word)) }
}

/** A condition on a ticket's text (`matches`), and the part of it that can use the index (`indexed`), which is undefined if no part can. */
type Match = { matches: (text: SQL) => SQL; indexed: SQL | undefined }

/** `guests` contains `GuestRow`s as JSON. */
type Row = { guests: string | null; isPartial: boolean }

/**
 * Returns a query that compares either the newest tickets or those that the index finds, and sorts the matches. A sample of the newest
 * tickets determines which: the index is slow for common words, and the planner does not know how common they are.
 */
function ticketQuery(seller: string, term: string, pageId: string | undefined, { matches, indexed }: Match): SQL {
  const folded = sql`(select ${literal(term)})`
  const columns = sql`select tickets.id, tickets.created_at, chr(1) || tickets.plain || chr(1) as fields`
  const fromTickets = sql`from ${tickets} where ${tickets.sellerId} = ${seller}`
  const isForEvent = pageId === undefined ? sql`` : sql`and ${tickets.pageId} = ${pageId}`
  const newest = sql`${columns} ${fromTickets} ${isForEvent} order by ${tickets.createdAt} desc, ${tickets.id} desc limit`
  // This has to be the same expression as in the index.
  const isForEventIndexed = pageId === undefined ? sql`` : sql`and (${tickets.pageId} || '') = ${pageId}`
  const isCommon = sql`(select is_common from sample)`
  const read = (match: SQL) => sql`
    with sample as materialized (
      select count(*) filter (where ${matches(sql`fields`)}) >= ${constant(COMMON)} as is_common from (${newest} ${constant(SAMPLE)}) as recent
    ), compared as materialized (
      select * from (${newest} ${constant(MAX_READ)}) as recent where ${isCommon}
      union all
      (${columns} ${fromTickets} ${isForEventIndexed} and ${match} and not ${isCommon} limit ${constant(MAX_READ)})
    )`
  const found = guestQuery(sql`
    select ticket.*, rank from (
      select id, created_at, case
          when fields like '%' || chr(1) || ${folded} || chr(1) || '%' then 0
          when fields like '%' || chr(1) || ${folded} || '%' then 1
          when fields like '% ' || ${folded} || '%' then 2
          else 3
        end as rank
      from compared where ${matches(sql`fields`)} order by rank, created_at desc, id desc limit ${constant(MAX_FOUND + 1)}
    ) as found join ${tickets} as ticket on ticket.seller_id = ${seller} and ticket.id = found.id`)
  // The fields are separated by chr(1), which is not allowed in terms.
  return sql`
    ${indexed ? read(indexed) : sql`with compared as materialized (${newest} ${constant(MAX_READ)})`}
    select (${found}) as guests,
      (select count(*) from compared) = ${constant(MAX_READ)} as "isPartial"`
}

const joinConditions = (conditions: SQL[], operator = sql` and `) => sql`(${sql.join(conditions, operator)})`

/** Returns a condition for tickets that contain all words. */
function withWords({ long, short }: Words): Match {
  return {
    matches: (text) => joinConditions([...long, ...short].map((word) => contains(text, word))),
    indexed: long.some(isFoundByIndex) ? joinConditions(long.map((word) => contains(PLAIN, word))) : undefined,
  }
}

/** Returns a condition for tickets that contain all words, one of them with a typo; undefined if none of the words may have a typo. */
function withTypo({ long, short }: Words): Match | undefined {
  const options = long.flatMap((word, position) => {
    const plain = toPlain(word)
    if (!MAY_HAVE_TYPO.test(plain)) return []
    const others = long.filter((_, index) => index !== position)
    const typos = indexedTypos(plain)
    // Only the regular expression can anchor the match to the start of a word, but it is several times slower than `like`, so `like` is
    // tried first. The planner cannot reorder a CASE.
    const misspelled = (text: SQL) =>
      sql`case when ${matchesAny(text, misspell(plain, '_'))} then ${text} ~ ${typoPattern(plain)} else false end`
    const indexed = [...(typos ? [matchesAny(PLAIN, typos)] : []), ...others.filter(isFoundByIndex).map((other) => contains(PLAIN, other))]
    return [{ matches: (text: SQL) => joinConditions([...others.map((other) => contains(text, other)), misspelled(text)]), indexed }]
  })
  if (options.length === 0) return undefined
  const joinOptions = (conditions: SQL[]) => joinConditions(conditions, sql` or `)
  return {
    matches: (text) =>
      joinConditions([joinOptions(options.map(({ matches }) => matches(text))), ...short.map((word) => contains(text, word))]),
    indexed: options.every(({ indexed }) => indexed.length > 0)
      ? joinOptions(options.map(({ indexed }) => joinConditions(indexed)))
      : undefined,
  }
}

/**
 * Finds tickets that contain every word of the term, in any field. If there are none and the term is short, one of the words may have a
 * typo. The tickets are sorted by how the whole term matches (a whole field, the start of a field, the start of a word, anything else),
 * then newest first.
 *
 * @param term 2 to 200 characters, validated by `findTerm`
 * @param pageId the door's event; undefined for all events
 * @throws {UnavailableError} if too many searches are waiting
 */
export async function findTickets(seller: string, term: string, pageId: string | undefined): Promise<GuestMatches> {
  const words = splitWords(term)
  const find = async (match: Match) => {
    const [row] = await semaphore.run(seller, () => database().query<Row>(ticketQuery(seller, term, pageId, match)))
    return { guests: (JSON.parse(row?.guests ?? '[]') as GuestRow[]).map(toGuest), isPartial: row?.isPartial === true }
  }
  let found = await find(withWords(words))
  const typo = found.guests.length === 0 && words.long.length <= MAX_WORDS_WITH_TYPO ? withTypo(words) : undefined
  if (typo) found = await find(typo)
  const { guests, isPartial } = found
  return { guests: guests.slice(0, MAX_FOUND), hasMore: guests.length > MAX_FOUND, isPartial }
}

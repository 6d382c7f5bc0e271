/** Finds tickets without their code: by name, email, order number or short ID, in any order of words, without accents, and with one typo. */
import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { tickets } from '@/db/schema'
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'
import { textArray } from '../core/sql'
import { type Guest, type GuestRow, guestQuery, toGuest } from './guests'
import { toPlain } from './plain-text'

export const MAX_FOUND = 20

/** The maximum number of tickets to compare: those that the index finds, or else the newest ones. */
const MAX_READ = 10_000
/** If at least `COMMON` of the `SAMPLE` newest tickets match, the index would take too long to find all matches of a large event. */
const SAMPLE = 2_000
const COMMON = 100

/** A number that the planner knows even if it reuses a plan. */
const constant = (count: number) => sql.raw(String(count))

/** Words that are searched for with a typo. Shorter words match too much, longer ones produce patterns of thousands of characters, and a number with a typo is a different number. */
const MAY_HAVE_TYPO = /^\p{L}{4,24}$/u

/** Terms with more words are searched for without a typo, because each word is compared with every misspelling of another word. */
const MAX_WORDS_WITH_TYPO = 8

/** The index finds words of at least this length. */
const INDEXED_LENGTH = 3
/** The maximum number of positions in a word at which a typo leaves fewer than three letters in a row. Words of five letters have one, longer words none, words of four letters three. */
const MAX_MISSED = 1
const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz']

/** The maximum number of running and waiting searches, in total and per seller. Lists use the same connections. */
const semaphore = createSharedSemaphore({ name: 'guest searches', limit: 3, queue: 100, waitMs: 3_000, ofSeller: { limit: 2, queue: 40 } })

reportLoad('guest_searches', semaphore.load)

/** The search term. It has at least two characters, because nearly every name contains any given character. */
export const findTerm = z
  .string()
  .trim()
  .refine((term) => [...term].length >= 2 && [...term].length <= 200 && !/\p{Cc}/u.test(term) && term.isWellFormed())

export type GuestMatches = {
  guests: Guest[]
  /** Whether more tickets match. */
  more: boolean
  /** Whether too many tickets match, or might match, to compare them all, so that better matches might be missing. */
  isPartial: boolean
}

/** Returns every way to misspell a word of letters: one is replaced, missing or added, or two are swapped. @param any stands for the wrong letter */
function misspell(word: string, any: string): string[] {
  const letters = [...word]
  const at = (index: number, middle: string, next: number) => letters.slice(0, index).join('') + middle + letters.slice(next).join('')
  const variants = letters.flatMap((letter, index) => [
    at(index, any, index + 1),
    at(index, '', index + 1),
    at(index, any + letter, index + 1),
    ...(index + 1 < letters.length ? [at(index, `${letters[index + 1]}${letter}`, index + 2)] : []),
  ])
  return [...new Set(variants)]
}

/** Returns a regular expression for words that begin like `word` with one typo. */
const typoPattern = (word: string): string => `\\m(?:${misspell(word, '\\w').join('|')})`

const isAnyLike = (text: SQL, variants: string[]) => sql`${text} like any(${textArray(variants.map((variant) => `%${variant}%`))})`

/**
 * Returns every way to misspell a word, each with three letters in a row, which the index finds: if a typo leaves fewer, as in the middle of
 * five letters, there is one for every letter of the alphabet. Returns undefined for shorter words, and for five letters of another script.
 */
export function indexedTypos(word: string): string[] | undefined {
  const isIndexed = (variant: string) => variant.split('_').some((part) => [...part].length >= INDEXED_LENGTH)
  const variants = misspell(word, '_')
  const missed = variants.filter((variant) => !isIndexed(variant))
  if (missed.length > MAX_MISSED || (missed.length > 0 && !/^[a-z]+$/.test(word))) return undefined
  return [...variants.filter(isIndexed), ...missed.flatMap((variant) => ALPHABET.map((letter) => variant.replace('_', letter)))]
}

/** The searched text. */
const PLAIN = sql`${tickets.plain}`

/** Folds a string for `like`. It is escaped afterward, because folding converts the full-width form of `%` to `%`. */
const literal = (text: string) => sql`regexp_replace(desk_plain(${text}::text), '([\\\\%_])', '\\\\\\1', 'g')`

/** The subquery runs once. Without it, the folding would be repeated for each ticket as soon as PostgreSQL reuses the plan. */
const contains = (text: SQL, word: string) => sql`${text} like (select '%' || ${literal(word)} || '%')`

const LETTERS = new RegExp(`[\\p{L}\\p{N}]{${INDEXED_LENGTH}}`, 'u')

/** Returns whether the index finds a word: it has enough letters or digits in a row. */
const isFoundByIndex = (word: string) => LETTERS.test(toPlain(word))

/** The words that every match contains: `long` ones, which the index finds, and `short` ones, which are compared with each ticket. */
type Words = { long: string[]; short: string[] }

/** Returns a term's words, without those that another word contains. */
export function splitWords(term: string): Words {
  const words = [...new Set(term.toLowerCase().split(/\s+/))]
  const needed = words.filter((word) => !words.some((other) => other !== word && other.includes(word)))
  const isLong = (word: string) => [...word].length >= INDEXED_LENGTH
  return { long: needed.filter(isLong), short: needed.filter((word) => !isLong(word)) }
}

/** A condition on a ticket's text, and the part of it that the index serves; undefined if it serves none. */
type Match = { matches: (text: SQL) => SQL; indexed: SQL | undefined }

type Row = { guests: string | null; isPartial: boolean }

/**
 * Compares the newest tickets, or those that the index finds, and sorts all that match. A sample of the newest ones decides which: how long the
 * index takes depends on how common the words are, which the planner does not know.
 */
function ticketQuery(seller: string, term: string, pageId: string | undefined, { matches, indexed }: Match): SQL {
  const folded = sql`(select ${literal(term)})`
  const columns = sql`select tickets.id, tickets.created_at, chr(1) || tickets.plain || chr(1) as fields`
  const mine = sql`from ${tickets} where ${tickets.sellerId} = ${seller}`
  const isHere = pageId === undefined ? sql`` : sql`and ${tickets.pageId} = ${pageId}`
  const newest = sql`${columns} ${mine} ${isHere} order by ${tickets.createdAt} desc, ${tickets.id} desc limit`
  // The same expression as in the index.
  const isHereByIndex = pageId === undefined ? sql`` : sql`and (${tickets.pageId} || '') = ${pageId}`
  const isCommon = sql`(select is_common from sample)`
  const read = (match: SQL) => sql`
    with sample as materialized (
      select count(*) filter (where ${matches(sql`fields`)}) >= ${constant(COMMON)} as is_common from (${newest} ${constant(SAMPLE)}) as recent
    ), compared as materialized (
      select * from (${newest} ${constant(MAX_READ)}) as recent where ${isCommon}
      union all
      (${columns} ${mine} ${isHereByIndex} and ${match} and not ${isCommon} limit ${constant(MAX_READ)})
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
    select (select json_agg(guest)::text from (${found}) as guest) as guests,
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

/** Returns a condition for tickets that contain all words but one, and that one with a typo; undefined if no word may have one. */
function withTypo({ long, short }: Words): Match | undefined {
  const options = long.flatMap((word, at) => {
    const plain = toPlain(word)
    if (!MAY_HAVE_TYPO.test(plain)) return []
    const others = long.filter((_, index) => index !== at)
    const typos = indexedTypos(plain)
    // The regular expression, which finds the start of the word, takes several times as long as `like`. The planner cannot reorder a CASE.
    const misspelled = (text: SQL) =>
      sql`case when ${isAnyLike(text, misspell(plain, '_'))} then ${text} ~ ${typoPattern(plain)} else false end`
    const indexed = [...(typos ? [isAnyLike(PLAIN, typos)] : []), ...others.filter(isFoundByIndex).map((other) => contains(PLAIN, other))]
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
 * Finds tickets that contain every word of the term, in any field. If there is none, one of the words may have a typo. The tickets are sorted by
 * match of the whole term (a whole field, the start of a field, the start of a word, anything else), then newest first.
 *
 * @param term 2 to 200 characters, validated by `findTerm`
 * @param pageId the door's event; undefined if it checks in all events
 * @throws {UnavailableError} if too many searches are waiting
 */
export async function findTickets(seller: string, term: string, pageId: string | undefined): Promise<GuestMatches> {
  const words = splitWords(term)
  const find = async (match: Match) => {
    const [row] = await semaphore.run(seller, () => database().use(({ rows }) => rows<Row>(ticketQuery(seller, term, pageId, match))))
    return { guests: (JSON.parse(row?.guests ?? '[]') as GuestRow[]).map(toGuest), isPartial: row?.isPartial === true }
  }
  let found = await find(withWords(words))
  const typo = found.guests.length === 0 && words.long.length <= MAX_WORDS_WITH_TYPO ? withTypo(words) : undefined
  if (typo) found = await find(typo)
  const { guests, isPartial } = found
  return { guests: guests.slice(0, MAX_FOUND), more: guests.length > MAX_FOUND, isPartial }
}

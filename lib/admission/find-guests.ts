/** Finds tickets without their code: by name, email, order number or short ID, in any order of words, without accents, and with one typo. */
import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { tickets } from '@/db/schema'
import { createSharedSemaphore, reportLoad } from '@/db/semaphore'
import { type Guest, type GuestRow, guestQuery, toGuest } from './guests'
import { toPlain } from './plain-text'

export const MAX_FOUND = 20

/** The most tickets that are sorted. A very common name has more; then the user has to type more of it. */
const MAX_CANDIDATES = 500
/** The most tickets that are read before they are compared: the newest ones, or those that the index finds. */
const MAX_READ = 10_000

/** Words that are searched for with a typo. Shorter ones match too much, longer ones make a pattern of thousands of characters, and numbers are other numbers. */
const MAY_HAVE_TYPO = /^\p{L}{4,24}$/u

/** Terms of more words are searched for without a typo, because each word is compared with every way to misspell another one. */
const MAX_WORDS_WITH_TYPO = 8

/** The index finds words of at least this length. A word with a typo has to be longer, with three letters on one side of the typo. */
const INDEXED_LENGTH = 3
const INDEXED_LENGTH_WITH_TYPO = 6

/** The searches that run at once, and that wait, in all and per seller. Lists use the same connections. */
const semaphore = createSharedSemaphore({ name: 'guest searches', limit: 3, queue: 100, waitMs: 3_000, ofSeller: { limit: 2, queue: 40 } })

reportLoad('guest_searches', semaphore.load)

/** The search term. It has at least two characters, because nearly every name contains any given character. */
export const findTerm = z
  .string()
  .trim()
  .refine((term) => [...term].length >= 2 && [...term].length <= 200 && !/\p{Cc}/u.test(term) && term.isWellFormed())

export type Found = {
  guests: Guest[]
  /** Whether more tickets match. */
  more: boolean
  /** Whether too many tickets match, or might match, to compare them all, so that better matches can be missing. */
  isPartial: boolean
}

/** Returns a regular expression for words that begin like `word`, which has letters only, with one character replaced, missing or added, or two swapped. */
export function typoPattern(word: string): string {
  const letters = [...word]
  const at = (index: number, middle: string, next: number) => letters.slice(0, index).join('') + middle + letters.slice(next).join('')
  const variants = letters.flatMap((letter, index) => [
    at(index, '\\w', index + 1),
    at(index, '', index + 1),
    at(index, `\\w${letter}`, index + 1),
    ...(index + 1 < letters.length ? [at(index, `${letters[index + 1]}${letter}`, index + 2)] : []),
  ])
  return `\\m(?:${[...new Set(variants)].join('|')})`
}

/** The searched text. It has an index of this expression. */
const TEXT = sql`desk_plain(${tickets.search})`

/** Folds a text for `like`. It is escaped afterwards, because folding makes `%` of its full-width form. */
const literal = (text: string) => sql`regexp_replace(desk_plain(${text}::text), '([\\\\%_])', '\\\\\\1', 'g')`

const contains = (text: SQL, word: string) => sql`${text} like '%' || ${literal(word)} || '%'`

const LETTERS = new RegExp(`[\\p{L}\\p{N}]{${INDEXED_LENGTH}}`, 'u')

/** Returns whether the index finds a word: it has enough letters or digits in a row. */
const isFoundByIndex = (word: string) => LETTERS.test(toPlain(word))

/** What every ticket found contains: `long` words, which the index finds, and `short` ones, which each ticket is compared with. */
type Words = { long: string[]; short: string[] }

/** Returns a term's words, without those that another one contains. */
export function splitWords(term: string): Words {
  const words = [...new Set(term.toLowerCase().split(/\s+/))]
  const needed = words.filter((word) => !words.some((other) => other !== word && other.includes(word)))
  const isLong = (word: string) => [...word].length >= INDEXED_LENGTH
  return { long: needed.filter(isLong), short: needed.filter((word) => !isLong(word)) }
}

/** A condition on a ticket's text, and the part of it that the index serves; undefined if it serves none. */
type Match = { matches: (text: SQL) => SQL; indexed: SQL | undefined }

type Row = { guests: string | null; isPartial: boolean }

const fromTickets = (seller: string) => sql`${tickets} where ${tickets.sellerId} = ${seller}`

/** The door's event, and whether it has more than `MAX_READ` tickets. */
type Event = { isHere: SQL; isLarge: boolean }

/**
 * Reads up to `MAX_CANDIDATES` matches in any order, and sorts them. Reads up to `MAX_READ` tickets before it compares them: the newest ones
 * if no index supports the condition, and otherwise those of a small event, or those that the index finds. The planner does not know how long comparing
 * takes, so it must not choose to compare all tickets of a large event.
 */
function ticketQuery(seller: string, term: string, { isHere, isLarge }: Event, { matches, indexed }: Match): SQL {
  const folded = literal(term)
  const mine = fromTickets(seller)
  const newest = sql`${mine} and ${isHere} order by ${tickets.createdAt} desc, ${tickets.id} desc`
  const read = indexed ? sql`${mine} and ${isLarge ? sql`` : sql`${isHere} and`} ${indexed}` : newest
  const found = guestQuery(sql`
    select candidate.*, case
        when fields like '%' || chr(1) || ${folded} || chr(1) || '%' then 0
        when fields like '%' || chr(1) || ${folded} || '%' then 1
        when fields like '% ' || ${folded} || '%' then 2
        else 3
      end as rank
    from candidate order by rank, candidate.created_at desc, candidate.id desc limit ${MAX_FOUND + 1}`)
  // The fields are separated by chr(1), which is not allowed in terms.
  return sql`
    with compared as materialized (
      select tickets.id, tickets.page_id, chr(1) || ${TEXT} || chr(1) as fields from ${read} limit ${MAX_READ}
    ), candidate as materialized (
      select tickets.*, fields from (
        select id, fields from compared where ${isHere} and ${matches(sql`fields`)} limit ${MAX_CANDIDATES}
      ) as chosen join ${tickets} on ${tickets.sellerId} = ${seller} and ${tickets.id} = chosen.id)
    select (select json_agg(guest)::text from (${found}) as guest) as guests, case
        when (select count(*) from candidate) = ${MAX_CANDIDATES} then true
        else ${indexed ? sql`(select count(*) from compared) = ${MAX_READ}` : sql`exists (select from ${mine} and ${isHere} offset ${MAX_READ})`}
      end as "isPartial"`
}

const joinConditions = (conditions: SQL[], operator = sql` and `) => sql`(${sql.join(conditions, operator)})`

/** Returns a condition for tickets that contain all words. */
function withWords({ long, short }: Words): Match {
  return {
    matches: (text) => joinConditions([...long, ...short].map((word) => contains(text, word))),
    indexed: long.some(isFoundByIndex) ? joinConditions(long.map((word) => contains(TEXT, word))) : undefined,
  }
}

/** Returns a condition for tickets that contain all words but one, and that one with a typo; undefined if no word may have one. */
function withTypo({ long, short }: Words): Match | undefined {
  const options = long.flatMap((word, at) => {
    const plain = toPlain(word)
    if (!MAY_HAVE_TYPO.test(plain)) return []
    const others = long.filter((_, index) => index !== at)
    const misspelled = (text: SQL) => sql`${text} ~ ${typoPattern(plain)}`
    const indexed = [
      // Of a shorter word, the index would find all tickets with the other words, and compare each of them.
      ...(plain.length >= INDEXED_LENGTH_WITH_TYPO ? [misspelled(TEXT)] : []),
      ...others.filter(isFoundByIndex).map((other) => contains(TEXT, other)),
    ]
    return [{ matches: (text: SQL) => joinConditions([misspelled(text), ...others.map((other) => contains(text, other))]), indexed }]
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
 * Finds tickets that contain every word of the term, in any field. If there is none, one of the words may have a typo. They are sorted by match
 * of the whole term (a whole field, the start of a field, the start of a word, anything else), then newest first.
 *
 * @param term 2 to 200 characters, validated by `findTerm`
 * @param pageId the door's event; undefined if it checks in all events
 * @throws {UnavailableError} if too many searches are waiting
 */
export async function findTickets(seller: string, term: string, pageId: string | undefined): Promise<Found> {
  const words = splitWords(term)
  const isHere = pageId === undefined ? sql`true` : sql`page_id = ${pageId}`
  const find = async (match: Match) => {
    const [row] = await semaphore.run(seller, () =>
      database().use(async ({ rows }) => {
        const size = sql`select exists (select from ${fromTickets(seller)} and ${isHere} offset ${MAX_READ}) as "isLarge"`
        const [event] = pageId === undefined ? [] : await rows<Pick<Event, 'isLarge'>>(size)
        return rows<Row>(ticketQuery(seller, term, { isHere, isLarge: event?.isLarge ?? true }, match))
      }),
    )
    return { guests: (JSON.parse(row?.guests ?? '[]') as GuestRow[]).map(toGuest), isPartial: row?.isPartial === true }
  }
  let found = await find(withWords(words))
  const typo = found.guests.length === 0 && words.long.length <= MAX_WORDS_WITH_TYPO ? withTypo(words) : undefined
  if (typo) found = await find(typo)
  const { guests, isPartial } = found
  return { guests: guests.slice(0, MAX_FOUND), more: guests.length > MAX_FOUND, isPartial }
}

/** Finds tickets without their code: by name, email, order number or short ID. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { tickets } from '@/db/schema'
import { escapeLike } from '../core/sql'
import { type Guest, type GuestRow, guestQuery, toGuest } from './guests'

export const MAX_FOUND = 20

/** The search term. It has at least two characters, because nearly every name contains any given character. */
export const findTerm = z
  .string()
  .trim()
  .refine((term) => [...term].length >= 2 && [...term].length <= 200 && !/\p{Cc}/u.test(term) && term.isWellFormed())

export type Found = {
  guests: Guest[]
  /** Whether more tickets match. */
  more: boolean
}

/**
 * Finds tickets with a field that contains the term, literally and case-insensitively. They are sorted by match (the whole field, the start of
 * a field, the start of a word, anywhere else), then newest first.
 *
 * @param term 2 to 200 characters, validated by `findTerm`
 * @param pageId the door's event; undefined if it checks in all events
 */
export async function findTickets(seller: string, term: string, pageId: string | undefined): Promise<Found> {
  // The fields in `search` are separated by chr(1), which is not allowed in terms.
  const fields = sql`chr(1) || ${tickets.search} || chr(1)`
  const folded = sql`desk_fold(${escapeLike(term)}::text)`
  const query = guestQuery(sql`
    select ${tickets}.*, case
        when ${fields} like '%' || chr(1) || ${folded} || chr(1) || '%' then 0
        when ${fields} like '%' || chr(1) || ${folded} || '%' then 1
        when ${fields} like '% ' || ${folded} || '%' then 2
        else 3
      end as rank
    from ${tickets}
    where ${tickets.sellerId} = ${seller} and ${tickets.search} like '%' || ${folded} || '%'
      ${pageId === undefined ? sql`` : sql`and ${tickets.pageId} = ${pageId}`}
    order by rank, ${tickets.createdAt} desc, ${tickets.id} desc limit ${MAX_FOUND + 1}`)
  const guests = (await database().use(({ rows }) => rows<GuestRow>(query))).map(toGuest)
  return { guests: guests.slice(0, MAX_FOUND), more: guests.length > MAX_FOUND }
}

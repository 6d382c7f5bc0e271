/** Finds tickets for guests who have none to show: by name, e-mail address, order or short id. */
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { tickets } from '@/db/schema'
import { escapeLike } from '../core/sql'
import { type Guest, readGuests } from './guests'

export const MOST_FOUND = 20

/** At least two characters: one is in nearly every name. */
export const findTerm = z
  .string()
  .trim()
  .refine((term) => [...term].length >= 2 && [...term].length <= 200 && !/\p{Cc}/u.test(term) && term.isWellFormed())

export type Found = {
  guests: Guest[]
  /** Whether more match than are given. */
  more: boolean
}

/**
 * Matches literally, in lower case, anywhere in one field. A field that is the term comes first, then one that begins with it,
 * then one with a word that does; the newest first among equals.
 *
 * @param term 2 to 200 characters, as `findTerm` has it
 * @param pageId the door's event; every event of the seller where it is undefined
 */
export async function findTickets(seller: string, term: string, pageId: string | undefined): Promise<Found> {
  // The fields of `search` are kept apart by chr(1), which no term may hold.
  const fields = sql`chr(1) || ${tickets.search} || chr(1)`
  const folded = sql`desk_fold(${escapeLike(term)}::text)`
  const guests = await database().use((connection) =>
    readGuests(
      connection,
      sql`
      select ${tickets}.*, case
          when ${fields} like '%' || chr(1) || ${folded} || chr(1) || '%' then 0
          when ${fields} like '%' || chr(1) || ${folded} || '%' then 1
          when ${fields} like '% ' || ${folded} || '%' then 2
          else 3
        end as rank
      from ${tickets}
      where ${tickets.sellerId} = ${seller} and ${tickets.search} like '%' || ${folded} || '%'
        ${pageId === undefined ? sql`` : sql`and ${tickets.pageId} = ${pageId}`}
      order by rank, ${tickets.createdAt} desc, ${tickets.id} desc limit ${MOST_FOUND + 1}`,
    ),
  )
  return { guests: guests.slice(0, MOST_FOUND), more: guests.length > MOST_FOUND }
}

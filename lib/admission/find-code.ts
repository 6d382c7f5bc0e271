/** Finds a ticket by its code, even if the code was typed in another case or with spaces, or by its short ID. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { tickets } from '@/db/schema'

const seller = sql.placeholder('seller')
const code = sql.placeholder('code')

/**
 * An expression for the ID of the ticket with exactly this code or, if there is none, the ID of the only ticket that the typed text can
 * refer to. It is null if there is no such ticket or more than one. PostgreSQL evaluates the second part only if the first one finds
 * nothing. Short IDs are accepted only if `hasShortIds` is true, because they are easier to guess than codes.
 */
export const TYPED_TICKET_ID = sql`coalesce(
  (select id from ${tickets} where seller_id = ${seller} and qr_code = ${code}),
  (select min(id) from (
    select id from ${tickets} where seller_id = ${seller} and md5(desk_typed(qr_code)) = md5(desk_typed(${code}))
    union
    select id from ${tickets} where ${sql.placeholder('hasShortIds')}::boolean and seller_id = ${seller}
      and md5(desk_typed(record ->> 'ticketShortId')) = md5(desk_typed(${code}))
    limit 2) as meant having count(*) = 1))`

/** Returns the ID of the ticket with this code, which may have been typed, without locking the ticket. See `TYPED_TICKET_ID`. */
export async function findTypedTicket(sellerId: string, text: string, hasShortIds: boolean): Promise<string | undefined> {
  const [found] = await database('doors').use(
    ({ rows }) => rows<{ id: string | null }>(sql`select ${TYPED_TICKET_ID} as id`, { seller: sellerId, code: text, hasShortIds }),
    sellerId,
  )
  return found?.id ?? undefined
}

/** Returns whether one of the seller's tickets has exactly this code, without locking the ticket. */
export async function isKnownCode(sellerId: string, code: string): Promise<boolean> {
  const found = await database('doors').use(
    ({ rows }) => rows(sql`select 1 from ${tickets} where ${tickets.sellerId} = ${sellerId} and ${tickets.qrCode} = ${code}`),
    sellerId,
  )
  return found.length > 0
}

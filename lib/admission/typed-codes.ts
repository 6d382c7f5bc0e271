/** Finds the ticket that somebody meant who typed its code in another case or with spaces, or typed its short ID. */
import { sql } from 'drizzle-orm'
import type { Connection } from '@/db/client'
import { tickets } from '@/db/schema'

const FIND = sql`
  select ${tickets.id} as id from ${tickets} where ${tickets.sellerId} = ${sql.placeholder('seller')}
    and md5(desk_typed(${tickets.qrCode})) = md5(desk_typed(${sql.placeholder('typed')}))
  union
  select ${tickets.id} from ${tickets} where ${sql.placeholder('hasShortIds')}::boolean and ${tickets.sellerId} = ${sql.placeholder('seller')}
    and md5(desk_typed(${tickets.record} ->> 'ticketShortId')) = md5(desk_typed(${sql.placeholder('typed')}))
  limit 2`

/**
 * Returns the ID of the only ticket that a typed text can mean.
 *
 * @param hasShortIds whether short IDs are accepted, which are easier to guess than codes
 * @returns undefined if there is none, or more than one
 */
export async function findTypedTicket(
  { rows }: Connection,
  sellerId: string,
  typed: string,
  hasShortIds: boolean,
): Promise<string | undefined> {
  const [only, ...others] = await rows<{ id: string }>(FIND, { seller: sellerId, typed, hasShortIds })
  return others.length === 0 ? only?.id : undefined
}

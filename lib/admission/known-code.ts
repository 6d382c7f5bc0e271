/** Checks whether a code belongs to a ticket, without locking or writing. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { tickets } from '@/db/schema'

/** Returns whether one of the seller's tickets has this code. */
export async function isKnownCode(sellerId: string, code: string): Promise<boolean> {
  const found = await database('doors').use(({ rows }) =>
    rows(sql`select 1 from ${tickets} where ${tickets.sellerId} = ${sellerId} and ${tickets.qrCode} = ${code}`),
  )
  return found.length > 0
}

/** The one admission: a ticket lets its guest in once, whether it is scanned, typed or found. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { idempotencyKeys } from '@/db/schema'
import { type Answer, type Change, changeTicket } from './change-ticket'
import { decide, type Wish } from './decide'
import { KEPT } from './statements'

export type Validation = Change & Wish

/** Validates a ticket, admits it once, and keeps the attempt, as contract.md, "Ticket validation", has it. Answers and throws as `changeTicket`. */
export function validateTicket(validation: Validation): Promise<Answer> {
  return changeTicket(validation, (situation) => decide(situation, validation))
}

/** Deletes the answers that are past their 30 days, a bounded number at a time. @returns how many went */
export async function purgeIdempotencyKeys(most = 10_000): Promise<number> {
  const gone = await database().use(({ rows }) =>
    rows(sql`
      delete from ${idempotencyKeys} where (seller_id, key) in (
        select seller_id, key from ${idempotencyKeys} where ${idempotencyKeys.createdAt} <= now() - ${KEPT}
        order by ${idempotencyKeys.createdAt} limit ${most})
      returning 1`),
  )
  return gone.length
}

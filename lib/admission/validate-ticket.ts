/** Validates tickets, and admits each one once under concurrent requests. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { idempotencyKeys } from '@/db/schema'
import { type Change, type ChangeResult, changeTicket, type Serialize } from './change-ticket'
import { decideValidation, type ValidationInput } from './decide'
import { KEY_LIFETIME } from './statements'

export type Validation = Change & ValidationInput

/** Validates a ticket, admits it once, and records the attempt (contract.md, "Ticket validation"). Returns and throws as `changeTicket` does. */
export function validateTicket(validation: Validation, serialize: Serialize): Promise<ChangeResult> {
  return changeTicket('validation', validation, (context) => decideValidation(context, validation), serialize)
}

/** Deletes idempotency keys that are older than 30 days. @returns how many, at most `limit` */
export async function purgeIdempotencyKeys(limit = 10_000): Promise<number> {
  const deleted = await database().use(({ rows }) =>
    rows(sql`
      delete from ${idempotencyKeys} where (seller_id, key) in (
        select seller_id, key from ${idempotencyKeys} where ${idempotencyKeys.createdAt} <= now() - ${KEY_LIFETIME}
        order by ${idempotencyKeys.createdAt} limit ${limit})
      returning 1`),
  )
  return deleted.length
}

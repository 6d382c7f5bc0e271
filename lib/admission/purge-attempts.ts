/** Deletes old validation attempts. */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { sellers, validationAttempts } from '@/db/schema'

/** How long refusals and previews are kept. Other attempts are as many as the entries of the tickets' histories. */
const LIFETIME = sql`interval '400 days'`
const BATCH = 10_000

/** Deletes refusals and previews that are older than 400 days. Scans that devices report later are at most 395 days old. */
export async function purgeAttempts(): Promise<void> {
  const purge = sql`
    delete from ${validationAttempts} where (seller_id, id) in (
      select old.seller_id, old.id from ${sellers} cross join lateral (
        select seller_id, id from ${validationAttempts} as attempt
        where attempt.seller_id = ${sellers.id} and attempt.at < now() - ${LIFETIME} and attempt.outcome not in ('admitted', 'checked_out')
        order by attempt.at, attempt.id limit ${BATCH}) as old limit ${BATCH})
    returning 1`
  let gone: number
  do gone = (await database().use(({ rows }) => rows(purge))).length
  while (gone === BATCH)
}

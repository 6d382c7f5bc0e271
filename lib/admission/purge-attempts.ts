/** Deletes old validation attempts, and old admissions per minute. */
import { sql } from 'drizzle-orm'
import { admissionCounts, offlineScans, sellers, validationAttempts } from '@/db/schema'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'
import { LET_NOBODY_OUT } from './stray-guests'

/** How long refusals and previews are kept. Other attempts are not deleted: there are only as many as entries in the tickets' histories. */
const LIFETIME = sql`interval '400 days'`

const ATTEMPTS = sql`
  delete from ${validationAttempts} where (seller_id, id) in (
    select old.seller_id, old.id from ${sellers} cross join lateral (
      select seller_id, id from ${validationAttempts} as attempt
      where attempt.seller_id = ${sellers.id} and attempt.at < now() - ${LIFETIME} and attempt.outcome not in ('admitted', 'checked_out')
      order by attempt.at, attempt.id limit ${PURGE_BATCH}) as old limit ${PURGE_BATCH})
  returning 1`

const EXITS = sql`
  delete from ${offlineScans} where (seller_id, id) in (
    select seller_id, id from ${offlineScans} where ${LET_NOBODY_OUT} and arrived_at < now() - ${LIFETIME} limit ${PURGE_BATCH})
  returning 1`

// Only the last 15 minutes are shown.
const ADMISSIONS = sql`
  delete from ${admissionCounts} where (seller_id, minute, page_id, slot) in (
    select seller_id, minute, page_id, slot from ${admissionCounts} where minute < now() - interval '1 day' limit ${PURGE_BATCH})
  returning 1`

/**
 * Deletes refusals, previews and exits of unknown codes that are older than 400 days, and the admissions per minute that are older than a day.
 * Scans that devices report later are at most 395 days old.
 */
export async function purgeAttempts(): Promise<void> {
  await purgeInBatches(ATTEMPTS)
  await purgeInBatches(EXITS)
  await purgeInBatches(ADMISSIONS)
}

/** Deletes old validation attempts, exits without a known entry, and counts of admissions per minute. */
import { sql } from 'drizzle-orm'
import { admissionCounts, offlineScans, sellers, validationAttempts } from '@/db/schema'
import { PURGE_BATCH, purgeInBatches } from '../core/purge'
import { runAll } from '../core/run-all'
import { IS_UNMATCHED_EXIT } from './unlisted-guests'

/**
 * The retention period of refusals, previews and exits without a known entry. Admissions and check-outs are never deleted: there is at most
 * one for each entry in the tickets' histories.
 */
const RETENTION = sql`interval '400 days'`

const ATTEMPTS = sql`
  delete from ${validationAttempts} where (seller_id, id) in (
    select old.seller_id, old.id from ${sellers} cross join lateral (
      select seller_id, id from ${validationAttempts} as attempt
      where attempt.seller_id = ${sellers.id} and attempt.at < now() - ${RETENTION} and attempt.outcome not in ('admitted', 'checked_out')
      order by attempt.at, attempt.id limit ${PURGE_BATCH}) as old limit ${PURGE_BATCH})
  returning 1`

const EXITS = sql`
  delete from ${offlineScans} where (seller_id, id) in (
    select seller_id, id from ${offlineScans} where ${IS_UNMATCHED_EXIT} and arrived_at < now() - ${RETENTION} limit ${PURGE_BATCH})
  returning 1`

// Only the last 15 minutes are shown, so older counts are not needed.
const ADMISSIONS = sql`
  delete from ${admissionCounts} where (seller_id, minute, page_id, slot) in (
    select seller_id, minute, page_id, slot from ${admissionCounts} where minute < now() - interval '1 day' limit ${PURGE_BATCH})
  returning 1`

/**
 * Deletes refusals, previews and exits without a known entry after 400 days, and counts of admissions per minute after a day. A device can
 * report the entry for such an exit up to 395 days later: devices are valid for up to 365 days, and can report scans for another 30.
 */
export async function purgeAttempts(): Promise<void> {
  await runAll([ATTEMPTS, EXITS, ADMISSIONS].map((purge) => () => purgeInBatches(purge)))
}

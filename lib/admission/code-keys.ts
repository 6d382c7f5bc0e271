/**
 * Derives and stores the keys for weak codes in the background, because deriving one takes about a thousand times as long as for a strong
 * code.
 */
import { sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { ticketChanges, ticketCodeKeys, tickets } from '@/db/schema'
import { textArray } from '../core/sql'
import { codeDigest, deriveIndexKey, deriveWeakKey } from './seal-ticket'

/** The number of requested keys read at a time. */
const BATCH = 50
/** The maximum duration of a run in milliseconds, well below the job's time limit. The next run continues. */
const MAX_RUN_MS = 5 * 60_000

/** A ticket, and the digest of its code in hexadecimal. */
export type KeyRequest = { ticketId: string; digest: string }

/**
 * Requests the keys for the codes of tickets. Ticket lists contain these tickets once the keys have been derived. Discards the keys of the
 * tickets' earlier codes. Has no effect on keys that have already been requested or derived.
 */
export async function requestCodeKeys(sellerId: string, requests: KeyRequest[]): Promise<void> {
  const ids = textArray(requests.map(({ ticketId }) => ticketId))
  const digests = textArray(requests.map(({ digest }) => digest))
  await database().query(sql`
    insert into ${ticketCodeKeys} as keys (seller_id, ticket_id, digest)
    select ${sellerId}, wanted.id, decode(wanted.digest, 'hex') from unnest(${ids}, ${digests}) as wanted (id, digest)
    where not exists (
      select from ${ticketCodeKeys} as same
      where same.seller_id = ${sellerId} and same.ticket_id = wanted.id and same.digest = decode(wanted.digest, 'hex'))
    -- Ordered by ID, so that concurrent requests cannot deadlock.
    order by wanted.id
    on conflict (seller_id, ticket_id) do update set digest = excluded.digest, bits = null where keys.digest is distinct from excluded.digest`)
}

/**
 * Derives requested keys for up to five minutes, and adds their tickets to the next update of the ticket lists.
 *
 * @returns the number of derived keys
 */
export async function deriveCodeKeys(): Promise<number> {
  const end = performance.now() + MAX_RUN_MS
  let derived = 0
  for (;;) {
    const pending = await database().query<{ sellerId: string; ticketId: string; code: string }>(sql`
      select pending.seller_id as "sellerId", pending.ticket_id as "ticketId", ticket.qr_code as code
      from ${ticketCodeKeys} as pending join ${tickets} as ticket on ticket.seller_id = pending.seller_id and ticket.id = pending.ticket_id
      where pending.bits is null limit ${BATCH}`)
    for (const { sellerId, ticketId, code } of pending) {
      const indexKey = await deriveIndexKey(sellerId)
      const bits = await deriveWeakKey(indexKey, code)
      await database().query(sql`
        with derived as (
          update ${ticketCodeKeys} set digest = ${codeDigest(indexKey, code)}, bits = ${bits}
          where seller_id = ${sellerId} and ticket_id = ${ticketId} and bits is null returning seller_id, ticket_id)
        insert into ${ticketChanges} (seller_id, ticket_id, changed_in) select seller_id, ticket_id, pg_current_xact_id() from derived
        on conflict (seller_id, ticket_id) do update set changed_in = excluded.changed_in`)
    }
    derived += pending.length
    if (pending.length < BATCH || performance.now() > end) return derived
  }
}

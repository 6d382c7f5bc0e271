/** The SQL statements that read the data needed to record a scan that a device reports late. */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { checkIns, devices, idempotencyKeys, offlineScans, pages, sellers, tickets, validationAttempts } from '@/db/schema'
import { HOLD_SECONDS } from '../catalog/limits'
import { instantText } from '../core/sql'
import { TYPED_TICKET_ID } from './find-code'

/**
 * The prefix for IDs of entries that were displaced from the history by an earlier scan. The IDs that devices create are hexadecimal, so
 * none of them has this prefix.
 */
export const DISPLACED = 'entry:'

const param = { seller: sql.placeholder('seller'), ticketId: sql.placeholder('ticketId'), id: sql.placeholder('id') }

const lock = (ticketId: SQL | Placeholder) => sql`
  select ${tickets.id} as id, ${tickets.qrCode} as code, ${tickets.pageId} as "pageId", ${tickets.status} as status, ${tickets.checkInStatus} as "checkInStatus",
    coalesce(${instantText(tickets.revokedAt)}, ${tickets.record} ->> 'canceledAt') as "canceledAt",
    ${tickets.record} ->> 'ticketTypeId' as "typeId", ${tickets.extraInside} as "extraInside"
  from ${tickets} where ${tickets.sellerId} = ${param.seller} and ${tickets.id} = ${ticketId} for no key update`

/** Statements that lock a ticket by its code or ID. Codes are looked up by the same rules as for scans that reach the server in time. */
export const LOCK = { code: lock(TYPED_TICKET_ID), ticketId: lock(param.ticketId) }

/**
 * Whether a scan counted for the ticket when it was recorded. Such a scan still counts if the ticket has since been moved to another event.
 * Scans at other events' doors did not count: entries have a conflict of another kind, exits have a digest but not `has_left`, and refusals
 * have no conflict.
 */
const HAS_COUNTED = sql`(starts_with(scan.id, ${DISPLACED}) or scan.undoes is not null
  or scan.conflict in ('double_entry', 'canceled', 'refused_in_error')
  or scan.direction = 'in' and scan.decision = 'admitted' or scan.direction = 'out' and (scan.code_digest is null or scan.has_left))`

/**
 * Scans of the ticket that are not in its history: conflicts, refused guests, exits of guests who were not checked in, and undone check-ins
 * that another check-in has displaced, together with their undos. Omits scans at other events' doors. Entries there have the conflict
 * `other_event`; those that an earlier version recorded without it are included. Of the scans that the server has decided, only exits that
 * it could not match with a check-in have a digest: another device may report the check-in later.
 */
const OTHER_SCANS = sql`
  select json_agg(json_build_object('id', id, 'direction', direction, 'decision', decision, 'method', method, 'source', source,
    'at', ${instantText(sql`corrected_at`)}, 'actorId', actor_id, 'isOverride', is_override, 'isOnline', starts_with(id, ${DISPLACED}), 'undoes', undoes,
    'reason', case when decision = 'undone' then note end))::text
  from ${offlineScans} as scan where scan.seller_id = ${param.seller} and scan.ticket_id = ${param.ticketId}
    and (not scan.is_decided or scan.undoes is not null or scan.code_digest is not null)
    and coalesce(scan.conflict, '') not in ('other_event', 'not_permitted') and scan.decision <> 'other_event'
    and (${HAS_COUNTED} or (scan.page_id is null or scan.page_id = ${sql.placeholder('pageId')})
      and not exists (select from ${devices} as device where device.seller_id = scan.seller_id and device.id = scan.actor_id
        and cardinality(device.page_ids) > 0 and coalesce(${sql.placeholder('pageId')}::text, '') <> all (device.page_ids)))
    and not exists (select from ${checkIns} as entry where entry.seller_id = scan.seller_id and entry.ticket_id = scan.ticket_id and entry.scan_id = scan.id)`

/**
 * A ticket with this many facts is not replayed: only a misused device would report that many, and the replay would block the event loop.
 */
const MAX_FACTS = 1_000

const selectTicketRows = (table: typeof checkIns | typeof offlineScans) =>
  sql`select from ${table} where ${table.sellerId} = ${param.seller} and ${table.ticketId} = ${param.ticketId}`

/**
 * Whether the server has since refused the ticket as already checked in, for the user or device that checked it in: the person at the door
 * scanned it again while the device was still holding back its refusal.
 */
const WAS_SEEN = sql`exists (
  select from ${validationAttempts} as later where later.seller_id = ${param.seller} and later.ticket_id = ${param.ticketId}
    and later.outcome = 'already_checked_in' and not later.is_late
    and later.at > answered.created_at and later.at < answered.created_at + interval '1 second' * ${sql.raw(String(HOLD_SECONDS))}
    and later.actor_id = (select admitted.actor_id from ${validationAttempts} as admitted
      where admitted.seller_id = ${param.seller} and admitted.ticket_id = ${param.ticketId} and admitted.outcome = 'admitted'
        and not admitted.is_late and admitted.at = answered.created_at limit 1))`

const FACTS = sql`
  ${selectTicketRows(checkIns)} union all ${selectTicketRows(offlineScans)} limit ${sql.raw(String(MAX_FACTS))}`

export const CONTEXT = sql`
  with facts as materialized (select count(*) >= ${sql.raw(String(MAX_FACTS))} as "isFull" from (${FACTS}) as fact)
  select ${instantText(sql`clock_timestamp()`)} as now, ${sellers.timeZone} as "timeZone", "isFull",
    (select ${pages.entryPolicy} from ${pages} where ${pages.sellerId} = ${param.seller} and ${pages.id} = ${sql.placeholder('pageId')}) as "entryPolicy",
    exists (select from ${offlineScans} where ${offlineScans.sellerId} = ${param.seller} and ${offlineScans.id} = ${param.id}) as "isKnown",
    exists (select from ${pages} where ${pages.sellerId} = ${param.seller} and ${pages.id} = ${sql.placeholder('doorPageId')}) as "doorPageExists",
    answered.response, ${instantText(sql`answered.created_at`)} as "respondedAt", ${WAS_SEEN} as "wasSeen",
    case when not "isFull" then (select json_agg(json_build_object('status', status, 'method', method, 'source', source, 'day', to_char(day, 'YYYY-MM-DD'),
      'at', ${instantText(sql`at`)}, 'actorId', actor_id, 'reason', reason, 'scanId', scan_id,
      'isOverride', coalesce(scan.is_override, false),
      'scannedAt', ${instantText(sql`scan.corrected_at`)}, 'arrivedAt', ${instantText(sql`scan.arrived_at`)}) order by sequence)::text
      from ${checkIns} as entry left join lateral (select origin.is_override, origin.corrected_at, origin.arrived_at from ${offlineScans} as origin
        where origin.seller_id = entry.seller_id and origin.id = entry.scan_id) as scan on true
      where entry.seller_id = ${param.seller} and entry.ticket_id = ${param.ticketId}) end as entries,
    case when not "isFull" then (${OTHER_SCANS}) end as scans
  from ${sellers} cross join facts
    left join ${idempotencyKeys} as answered on answered.seller_id = ${sellers.id} and answered.key = ${param.id}
  where ${sellers.id} = ${param.seller}`

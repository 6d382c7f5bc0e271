/** Reads a record's activity, which is not in the record itself: scans, refusals, payment gateway events, manual changes and notes. */
import { type SQL, sql } from 'drizzle-orm'
import { database } from '@/db/client'
import { auditLog, checkIns, offlineScans, recordNotes, sellers, stripeEvents, tickets, validationAttempts } from '@/db/schema'
import { actorName, scannerName } from '../accounts/actor-name'
import { selectBookingTickets } from '../admission/booking-tickets'
import type { ScanSource } from '../admission/scan-source'
import type { CheckIn } from '../catalog/ticket'
import { dayText, instantText, startOfDay, textArray } from '../core/sql'
import { REFUSALS } from '../listing/list-refusals'
import type { ResourceWithNotes } from '../sync/edit/notes'

/** The maximum number of notes, and separately of other entries, so that scans do not displace notes. Older entries are omitted. */
export const MAX_ACTIVITY = 200

export type Activity = {
  /** `scan` is an entry in the check-in history, and `offline` is an offline scan that was refused or has a conflict. */
  kind: 'scan' | 'refusal' | 'offline' | 'gateway' | 'note' | 'change'
  /** In ISO 8601. If only the day of a scan is known, the start of that day in the shop's time zone. */
  at: string
  /** The day of a scan whose time is unknown; otherwise null. */
  day: string | null
  /** The ID of a note, or a string that is unique among entries of the same kind. */
  id: string
  /**
   * The check-in status after a scan, the reason for a refusal, the conflict or the decision of an offline scan, the type of a Stripe
   * event, or the action of a change. Empty for notes.
   */
  type: string
  /** How the ticket was checked in or out; null except for `scan` and `offline`. */
  method: CheckIn['method'] | null
  source: ScanSource | null
  /** The text of a note, the reason for an undo, the note on an offline scan, or the changed members as JSON. */
  text: string | null
  /** The name of the device, user or API key; null for the gateway, or if it is unknown. */
  who: string | null
  /** The ID of the user who wrote a note. */
  userId: string | null
  /** The short ID of the ticket, or its ID. Null for entries that are not about a ticket's check-in. */
  ticket: string | null
}

type ActivityQuery = {
  resource: ResourceWithNotes
  id: string
  /** The order ID of a booking. Tickets may contain it instead of the booking's ID. */
  orderId?: string | undefined
  /** The record's IDs at the payment gateway. */
  gatewayIds?: readonly string[]
}

/** The prefixes of the audit log's actions for changes to a record. */
const ACTION_PREFIXES: Partial<Record<ResourceWithNotes, string>> = { coupons: 'coupon.', customers: 'customer.', tickets: 'ticket.' }

/** Selects the tickets of a booking, or a ticket itself. Returns undefined for other records. */
function selectRecordTickets(sellerId: string, { resource, id, orderId }: ActivityQuery): SQL | undefined {
  if (resource === 'bookings') return selectBookingTickets(sellerId, sql`${id}::text`, sql`${orderId ?? null}::text`)
  return resource === 'tickets'
    ? sql`(select * from ${tickets} where ${tickets.sellerId} = ${sellerId} and ${tickets.id} = ${id})`
    : undefined
}

/** The gateway events that report a failed payment. */
const FAILURES: ReadonlySet<string> = new Set(['payment_intent.payment_failed', 'charge.failed', 'invoice.payment_failed'])

/** Returns when the payment gateway last reported a failed payment, or undefined if it did not. @param activity newest first */
export const findFailure = (activity: readonly Activity[]): string | undefined =>
  activity.find(({ kind, type }) => kind === 'gateway' && FAILURES.has(type))?.at

/** Returns a record's activity, newest first, up to `MAX_ACTIVITY` notes and as many other entries. */
export function readActivity(sellerId: string, record: ActivityQuery): Promise<Activity[]> {
  const { resource, id, gatewayIds = [] } = record
  const actionPrefix = ACTION_PREFIXES[resource]
  const recordTickets = selectRecordTickets(sellerId, record)
  const ticketName = sql`coalesce(nullif(ticket.record ->> 'ticketShortId', ''), ticket.id)`
  const timeZone = sql`(select ${sellers.timeZone} from ${sellers} where ${sellers.id} = ${sellerId})`
  const selectTicketActivity = (selected: SQL): SQL[] => [
    sql`select 'scan' as kind, coalesce(entry.at, ${startOfDay(sql`entry.day`, timeZone)}) as at,
        entry.ticket_id || entry.sequence as id, entry.status as type, entry.method, entry.source, entry.reason as text,
        ${scannerName(sellerId, sql`entry`, sql`entry.at`)} as who, null as user_id, ${ticketName} as ticket,
        case when entry.at is null then ${dayText(sql`entry.day`)} end as day
      from ${selected} as ticket join ${checkIns} as entry on entry.seller_id = ticket.seller_id and entry.ticket_id = ticket.id`,
    // A scan that was refused offline is also stored as an attempt, and one that was applied as an entry, but each is included only once.
    sql`select 'refusal', attempt.at, attempt.id::text, attempt.outcome, null, null, null, coalesce(attempt.device, ${actorName(sellerId, sql`attempt.actor_id`)}),
        null, ${ticketName}, null
      from ${selected} as ticket join ${validationAttempts} as attempt on attempt.seller_id = ticket.seller_id and attempt.ticket_id = ticket.id
      where attempt.outcome = any(${textArray(REFUSALS)}) and not attempt.is_late`,
    sql`select 'offline', scan.corrected_at, scan.id, coalesce(scan.conflict, scan.decision), scan.method, scan.source, scan.note,
        ${scannerName(sellerId, sql`scan`, sql`scan.corrected_at`)}, null, ${ticketName}, null
      from ${selected} as ticket join ${offlineScans} as scan on scan.seller_id = ticket.seller_id and scan.ticket_id = ticket.id
      where scan.conflict is not null or scan.decision <> 'admitted' and not scan.is_decided
        and not exists (select from ${checkIns} as entry
          where entry.seller_id = ticket.seller_id and entry.ticket_id = ticket.id and entry.scan_id = scan.id)`,
  ]
  const parts: SQL[] = [
    ...(recordTickets ? selectTicketActivity(recordTickets) : []),
    ...(gatewayIds.length > 0
      ? [
          sql`select 'gateway' as kind, to_timestamp(created) as at, id, type, null as method, null as source, null as text, null as who, null as user_id,
              null as ticket, null as day
            from ${stripeEvents} where seller_id = ${sellerId} and links && ${textArray(gatewayIds)}`,
        ]
      : []),
    ...(actionPrefix
      ? [
          sql`select 'change' as kind, at, id::text, action as type, null as method, null as source, details::text as text,
              coalesce(email, ${actorName(sellerId, sql`key_id`)}) as who, null as user_id, null as ticket, null as day
            from ${auditLog} where seller_id = ${sellerId} and record_id = ${id} and starts_with(action, ${actionPrefix})`,
        ]
      : []),
  ]
  const notes = sql`select 'note' as kind, created_at as at, id, '' as type, null as method, null as source, text, ${actorName(sellerId, sql`note.user_id`)} as who, user_id,
        null as ticket, null as day
      from ${recordNotes} as note where seller_id = ${sellerId} and record_id = ${id} and resource = ${resource}`
  const newest = (selected: SQL) => sql`(select * from (${selected}) as entry order by at desc, id limit ${MAX_ACTIVITY})`
  const sections = [newest(notes), ...(parts.length > 0 ? [newest(sql.join(parts, sql` union all `))] : [])]
  return database().query<Activity>(sql`
    select kind, ${instantText(sql`at`)} as at, id, type, method, source, text, who, user_id as "userId", ticket, day
    from (${sql.join(sections, sql` union all `)}) as activity order by activity.at desc, id`)
}

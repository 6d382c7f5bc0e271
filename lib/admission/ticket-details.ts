/** A ticket's details, as the check-in page shows them: guest, notes, history, and the other tickets of its order. */
import { type SQL, sql } from 'drizzle-orm'
import { type Connection, database } from '@/db/client'
import { checkIns, tickets, validationAttempts } from '@/db/schema'
import { actorName, scannerName } from '../accounts/actor-name'
import { MAX_METADATA, MAX_OTHERS } from '../catalog/limits'
import type { CheckIn, MetadataEntry } from '../catalog/ticket'
import { ApiError } from '../core/errors'
import { instantText } from '../core/sql'
import { dayIn } from '../core/time'
import { formatCheckInTime } from './decide'
import { type Guest, type GuestRow, guestQuery, toGuest } from './guests'
import type { ScanSource } from './scan-source'

export type HistoryEntry = {
  /** Starts at 1. */
  sequence: number
  status: CheckIn['status']
  method: CheckIn['method']
  source?: ScanSource
  /** The time in the seller's time zone, as formatted by `formatCheckInTime`. */
  when: string
  /** The time in ISO 8601, which identifies the entry if its position changes. Absent if only the day is known. */
  at?: string
  /** The name of the device if the request gave one; otherwise a user's email address, or the name of an API key. Absent if unknown. */
  who?: string
  /** The reason for an undo. */
  reason?: string
}

/** A refused scan. `when` and `who` are as in `HistoryEntry`, and `at` is the time in ISO 8601. */
export type RefusedScan = {
  outcome: 'already_checked_in' | 'not_checked_in' | 'canceled' | 'other_event'
  when: string
  at: string
  who?: string
}

export type TicketDetails = {
  guest: Guest
  metadata: MetadataEntry[]
  /** Whether the ticket has the maximum number of metadata entries. */
  isFull: boolean
  /** The latest entries, oldest first. */
  history: HistoryEntry[]
  /** The latest refused scans, newest first. */
  refusals: RefusedScan[]
  /** The other tickets of the order. If the caller is limited to one event, only the tickets for that event. */
  others: Guest[]
  /** Whether the order has, or may have, more tickets than `others` contains. */
  hasMore: boolean
}

/**
 * The maximum number of an order's tickets to read. A shop can give all guests of an event the same order ID, and each scan reads the other
 * tickets, so reading all of them would keep every connection for check-in busy.
 */
const MAX_READ = 500
/** The maximum number of history entries to read. A ticket for an event with re-entry can have thousands, and each scan reads them. */
const MAX_HISTORY = 200
const MAX_REFUSALS = 10

/** An entry of the history. `day` is `YYYY-MM-DD`, in the seller's time zone. */
type EntryRow = Omit<HistoryEntry, 'when'> & { day: string }

/**
 * A ticket's details as JSON; null if there are none. `guests` contains only the ticket's guest. `isPartial` is true if the order may have
 * more tickets than were read.
 */
type DetailsRow = Record<'guests' | 'metadata' | 'history' | 'refusals' | 'others', string | null> & { isPartial: boolean }

const seller = sql.placeholder('seller')
const ticketId = sql.placeholder('ticketId')

/** The latest entries, newest first. */
const HISTORY = sql`
  select entry.sequence, entry.status, entry.method, entry.source, to_char(entry.day, 'YYYY-MM-DD') as day, ${instantText(sql`entry.at`)} as at, entry.reason,
    ${scannerName(seller, sql`entry`, sql`entry.at`)} as who
  from ${checkIns} as entry where entry.seller_id = ${seller} and entry.ticket_id = ${ticketId}
  order by entry.sequence desc limit ${sql.raw(String(MAX_HISTORY))}`

const REFUSED = sql`
  select attempt.outcome, ${instantText(sql`attempt.at`)} as at, coalesce(nullif(attempt.device, ''), ${actorName(seller, sql`attempt.actor_id`)}) as who
  from ${validationAttempts} as attempt where attempt.seller_id = ${seller} and attempt.ticket_id = ${ticketId}
    and attempt.outcome in ('already_checked_in', 'not_checked_in', 'canceled', 'other_event')
  order by attempt.at desc, attempt.id desc limit ${sql.raw(String(MAX_REFUSALS))}`

const MAX_READ_SQL = sql.raw(String(MAX_READ))

/**
 * Selects tickets of the same order, or of the same charge if there is no order ID. An empty ID is treated as absent. Each branch of the
 * union uses an index.
 */
const SAME_ORDER = sql`
  (select * from ${tickets} where seller_id = ${seller}
    and md5(order_id) = md5((select order_id from ticket)) and order_id = (select nullif(order_id, '') from ticket) limit ${MAX_READ_SQL})
  union all
  (select * from ${tickets} where seller_id = ${seller} and nullif(order_id, '') is null and (select nullif(order_id, '') from ticket) is null
    and md5(record ->> 'chargeId') = md5((select record ->> 'chargeId' from ticket))
    and record ->> 'chargeId' = (select nullif(record ->> 'chargeId', '') from ticket) limit ${MAX_READ_SQL})`

const selectOthers = (eventFilter: SQL) => sql`
  select other.*, row_number() over (order by other.record ->> 'ticketShortId', other.id) as rank from same_order as other
  where other.id <> ${ticketId} ${eventFilter}
  order by rank limit ${sql.raw(String(MAX_OTHERS + 1))}`

const selectDetails = (eventFilter: SQL) => sql`
  with ticket as materialized (
    select * from ${tickets} where ${tickets.sellerId} = ${seller} and ${tickets.id} = ${ticketId}
  ), same_order as materialized (${SAME_ORDER})
  select (${guestQuery(sql`select *, 0 as rank from ticket`)}) as guests,
    (select metadata::text from ticket) as metadata,
    (select json_strip_nulls(json_agg(entry order by entry.sequence))::text from (${HISTORY}) as entry) as history,
    (select json_strip_nulls(json_agg(refused))::text from (${REFUSED}) as refused) as refusals,
    (${guestQuery(selectOthers(eventFilter))}) as others,
    (select count(*) from same_order) >= ${MAX_READ_SQL} as "isPartial"`

const DETAILS = { allEvents: selectDetails(sql``), oneEvent: selectDetails(sql`and other.page_id = ${sql.placeholder('pageId')}`) }

/**
 * Reads a ticket's details in one statement, on the caller's connection.
 *
 * @param pageId the event that the order's other tickets are limited to; undefined for all events
 * @returns undefined if the seller has no ticket with this ID
 */
export async function readTicketDetails(
  { rows }: Connection,
  sellerId: string,
  id: string,
  pageId: string | undefined,
): Promise<TicketDetails | undefined> {
  const query = pageId === undefined ? DETAILS.allEvents : DETAILS.oneEvent
  const [row] = await rows<DetailsRow>(query, { seller: sellerId, ticketId: id, pageId })
  const [guest] = JSON.parse(row?.guests ?? '[]') as GuestRow[]
  if (!row || !guest) return undefined
  const metadata = JSON.parse(row.metadata ?? '[]') as MetadataEntry[]
  const entries = JSON.parse(row.history ?? '[]') as EntryRow[]
  const refused = JSON.parse(row.refusals ?? '[]') as Omit<RefusedScan, 'when'>[]
  const { timeZone } = guest
  const sameOrder = (JSON.parse(row.others ?? '[]') as GuestRow[]).map(toGuest)
  return {
    guest: toGuest(guest),
    metadata,
    isFull: metadata.length >= MAX_METADATA,
    history: entries.map(({ day, ...entry }) => ({
      ...entry,
      when: formatCheckInTime(day, entry.at === undefined ? undefined : new Date(entry.at), timeZone),
    })),
    refusals: refused.map((scan) => ({
      ...scan,
      when: formatCheckInTime(dayIn(timeZone, new Date(scan.at)), new Date(scan.at), timeZone),
    })),
    others: sameOrder.slice(0, MAX_OTHERS),
    hasMore: sameOrder.length > MAX_OTHERS || row.isPartial,
  }
}

/**
 * Reads a ticket's details on a separate connection. Takes the same parameters as `readTicketDetails`.
 *
 * @throws {ApiError} `ticket_not_found`
 */
export async function getTicketDetails(sellerId: string, id: string, pageId: string | undefined): Promise<TicketDetails> {
  const found = await database('doors').use((connection) => readTicketDetails(connection, sellerId, id, pageId), sellerId)
  if (!found) throw new ApiError('ticket_not_found', 'This ticket no longer exists. Search for the guest again.', 'id')
  return found
}

/** Lists the scans that were refused at check-in, latest first. */
import { and, sql } from 'drizzle-orm'
import { z } from 'zod'
import { database } from '@/db/client'
import { bookings, checkIns, pages, sellers, tickets, validationAttempts } from '@/db/schema'
import { actorName, scannerName } from '../accounts/actor-name'
import { bookingIdOf } from '../catalog/booking-id'
import { dateParam, idParam, logParams, PAGE_SIZE } from '../catalog/list-params'
import { dayText, instantText } from '../core/sql'
import { type CreatedRange, createdCondition } from './created-range'
import { keyset, orderBy, type Page, readCursor, toPage } from './keyset'

/** The reasons for refusing a scan. */
export const REFUSALS = ['already_checked_in', 'not_checked_in', 'canceled', 'other_event', 'unknown'] as const

export type Refusal = {
  id: number
  /** The time of the scan, in ISO 8601. */
  at: string
  reason: (typeof REFUSALS)[number]
  /** Null if no ticket has the code. */
  ticketId: string | null
  /** The short ID of the ticket. */
  shortId: string | null
  /** The name of the guest. */
  guest: string | null
  /** The ticket's order ID. */
  order: string | null
  /** The ID of the ticket's booking, if the booking is stored. */
  bookingId: string | null
  /**
   * If the guest was already checked in: when, and by which device or, if the request did not name one, user or API key. Null if the
   * check-in has been undone.
   */
  checkedInAt: string | null
  /** The day of the check-in if its time is unknown, as `YYYY-MM-DD`. */
  checkedInDay: string | null
  checkedInBy: string | null
  /** If the scan was refused because the ticket was canceled: the time of the cancellation, if known. */
  canceledAt: string | null
  /** If the scan was refused because the ticket is for another event: the name of the ticket's event. */
  ticketEvent: string | null
  /** The name of the event at the door, or of the ticket's event if the door checks in all events. */
  event: string | null
  /** The name of the device as sent with the scan. */
  device: string | null
  /** Who scanned the code: the name of the check-in device or API key, or the email address of the user. */
  who: string | null
  /** Whether the ticket was refused by a device that was offline. */
  isLate: boolean
}

/** Matches refused attempts. The part before `and` equals the condition of the index `validation_attempts_refused`. */
export const refusedCondition = sql`outcome not in ('admitted', 'checked_out') and outcome not in ('previewed', 'idempotency_mismatch')`

/** The value of the filter `pageId` for scans without an event. */
export const NO_EVENT = '-'

/** The query parameters of the list. */
export const refusalParams = logParams.extend({
  /** The day of the scans in the seller's time zone. */
  date: dateParam.optional(),
  /** The event of the door, or of the ticket if the door checks in all events. `NO_EVENT` for scans that have neither. */
  pageId: idParam.or(z.literal(NO_EVENT)).optional(),
})
export type RefusalParams = z.output<typeof refusalParams>

const toRange = (date: string): CreatedRange => [
  { name: 'created[gte]', isDate: true, value: date },
  { name: 'created[lte]', isDate: true, value: date },
]

/** Returns a page of a seller's refused scans; by default, the latest ones. */
export async function listRefusals(sellerId: string, params: RefusalParams = { limit: PAGE_SIZE.max }): Promise<Page<Refusal>> {
  const { limit, date, pageId } = params
  const { cursor, direction } = readCursor(params)
  const { at, id } = validationAttempts
  const isOwn = sql`${validationAttempts.sellerId} = ${sellerId}`
  const created = date === undefined ? undefined : createdCondition(at, { sellerId, created: toRange(date) })
  const event = pageId === undefined ? undefined : pageId === NO_EVENT ? sql`page_id is null` : sql`page_id = ${pageId}`
  const page = sql`select * ${keyset({
    from: validationAttempts,
    order: [at, id],
    where: sql`${and(isOwn, refusedCondition, created, event)}`,
    cursor: cursor === undefined ? undefined : sql`(select at, id from ${validationAttempts} where ${isOwn} and id = ${cursor}::bigint)`,
    direction,
    limit: limit + 1,
  })}`
  const localDay = sql`(attempt.at at time zone (select ${sellers.timeZone} from ${sellers} where ${sellers.id} = ${sellerId}))::date`
  const found = await database().query<Refusal>(sql`
    select attempt.id::float8 as id, ${instantText(sql`attempt.at`)} as at, attempt.outcome as reason, ticket.id as "ticketId",
      ticket.record ->> 'ticketShortId' as "shortId", ticket.record ->> 'customerName' as guest, event.name as event, attempt.device,
      attempt.is_late as "isLate", ${actorName(sellerId, sql`attempt.actor_id`)} as who, ticket.order_id as "order", booking.id as "bookingId",
      ${instantText(sql`entry.at`)} as "checkedInAt", case when entry.at is null then ${dayText(sql`entry.day`)} end as "checkedInDay",
      ${scannerName(sellerId, sql`entry`, sql`entry.at`)} as "checkedInBy",
      case when attempt.outcome = 'canceled' then coalesce(${instantText(sql`ticket.revoked_at`)}, ticket.record ->> 'canceledAt') end as "canceledAt",
      case when attempt.outcome = 'other_event' then ticket_event.name end as "ticketEvent"
    from (${page}) as attempt
    left join ${tickets} as ticket on ticket.seller_id = attempt.seller_id and ticket.id = attempt.ticket_id
    left join ${pages} as event on event.seller_id = attempt.seller_id and event.id = coalesce(attempt.page_id, ticket.page_id)
    left join ${pages} as ticket_event on ticket_event.seller_id = attempt.seller_id and ticket_event.id = ticket.page_id
    left join ${bookings} as booking on booking.seller_id = attempt.seller_id and booking.id = ${bookingIdOf(sql`ticket`)}
    left join ${checkIns} as entry on attempt.outcome = 'already_checked_in' and entry.seller_id = attempt.seller_id and entry.ticket_id = attempt.ticket_id
      and entry.is_current and case when entry.at is null then entry.day <= ${localDay} else entry.at <= attempt.at end
    order by ${orderBy([sql`attempt.at`, sql`attempt.id`], direction)}`)
  return toPage(found, { cursor, direction, limit })
}

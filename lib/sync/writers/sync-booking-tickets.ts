/** Synchronizes tickets with their bookings: generates missing tickets, and cancels the tickets of refunded or canceled bookings. */
import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Connection } from '@/db/client'
import { bookings as bookingsTable, offlineScans, recordNotes, tickets } from '@/db/schema'
import { idDigest } from '@/db/schema/columns'
import { MAX_BOOKING_TICKETS, selectBookingTickets } from '../../admission/booking-tickets'
import { keepReplacedTickets } from '../../admission/unlisted-guests'
import type { bookings } from '../../catalog/bookings'
import type { StoredTicket } from '../../catalog/ticket'
import { newObjectId } from '../../core/object-id'
import { instantText, textArray, textTable } from '../../core/sql'

type Booking = z.output<typeof bookings.record>

/** The statuses of bookings whose tickets are valid. A partial refund does not identify a seat, so it does not cancel any ticket. */
const VALID_STATUSES = ['paid', 'partial_refund']
/** The statuses of bookings whose tickets are canceled. A booking with any other status neither generates, cancels nor restores tickets. */
const CANCELED_STATUSES = ['refunded', 'canceled']

/** The maximum number of seats. A booking with more is assumed to be a mistake and gets no tickets. */
const MAX_SEATS = MAX_BOOKING_TICKETS
/** The number of random bytes in a generated code. */
const CODE_BYTES = 16
/** The maximum number of tickets inserted per statement. */
const BATCH = 2000

/** The latest `updatedAt` among bookings that are valid, and among those that are refunded or canceled; null if there are none. */
type BookingTimes = { validAt: string | null; canceledAt: string | null }

/** A booking with the state of its tickets. */
type BookingState = {
  status: Booking['status']
  updatedAt: string
  /** The booking's JSON. Null unless the status is one of `VALID_STATUSES` and none of the booking's tickets were imported. */
  record: string | null
  tickets: BookingTicket[] | null
  /** The times of all bookings with the same order ID. Read only if one of the tickets belongs to all of them. */
  order: BookingTimes
}

type BookingTicket = {
  id: string
  /** The ID of the ticket type. */
  type: string | null
  isGenerated: boolean
  isTouched: boolean
  /** Whether its bookings have canceled the ticket. */
  isRevoked: boolean
  /** Whether the ticket belongs to all bookings with its order ID. */
  isOfOrder: boolean
}

/**
 * Serializes writers of a seller's bookings with writers of the seller's tickets, so that neither misses data that the other is about to
 * commit. Writers of tickets share the lock; a writer of bookings holds it exclusively. Call this before locking any row of `tickets`.
 */
export function lockBookingTickets({ rows }: Connection, seller: string, writing: 'tickets' | 'bookings'): Promise<unknown> {
  const lock = sql.raw(writing === 'tickets' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  // The statement timeout limits the wait: another batch may hold the lock for longer than the lock timeout. Generic plans are off, because
  // a plan that suits few tickets is slow for many.
  return rows(sql`
    select set_config('lock_timeout', '0', true), set_config('plan_cache_mode', 'force_custom_plan', true), ${lock}(hashtextextended(${seller}, 0))`)
}

/**
 * The condition that `ticket` was scanned or edited, or has metadata or a note. A scan that a device reports late may change only the number
 * of people inside, or nothing. The `updatedAt` of a generated ticket equals its `createdAt` until the ticket is edited.
 */
const isTouched = sql`(ticket.door_at is not null or ticket.extra_inside <> 0 or ticket.metadata::text <> '[]'
  or ticket.record ->> 'updatedAt' <> ticket.record ->> 'createdAt'
  or exists (select from ${offlineScans} as scan where scan.seller_id = ticket.seller_id and scan.ticket_id = ticket.id)
  or exists (select from ${recordNotes} as note where note.seller_id = ticket.seller_id and note.resource = 'tickets' and note.record_id = ticket.id))`

/** The condition that `ticket` has no `chargeId`, so that it belongs to all bookings with its order ID. */
const isOfOrder = sql`(nullif(ticket.record ->> 'chargeId', '') is null)`

/** Reads the bookings with these IDs. */
const readBookings = ({ rows }: Connection, seller: string, ids: string[]) =>
  rows<BookingState>(sql`
    select booking.status, booking.record ->> 'updatedAt' as "updatedAt", existing.tickets, ordered.times as "order",
      case when booking.status = any(${textArray(VALID_STATUSES)}) and has_imported is not true then booking.record::text end as record
    from ${bookingsTable} as booking cross join lateral (
      select bool_or(not made) as has_imported, bool_or(${isOfOrder}) as has_order, json_agg(json_build_object(
        'id', id, 'type', ticket.record ->> 'ticketTypeId', 'isGenerated', made, 'isTouched', ${isTouched},
        'isRevoked', revoked_at is not null, 'isOfOrder', ${isOfOrder})) as tickets
      from ${selectBookingTickets(seller, sql`booking.id`, sql`(booking.record ->> 'orderId')`)} as ticket
    ) as existing cross join lateral (
      select json_build_object('validAt', max(record ->> 'updatedAt') filter (where status = any(${textArray(VALID_STATUSES)})),
        'canceledAt', max(record ->> 'updatedAt') filter (where status = any(${textArray(CANCELED_STATUSES)}))) as times
      from ${bookingsTable} as other where has_order and other.seller_id = ${seller}
        and ${idDigest(sql`other.seller_id`, sql`other.record ->> 'orderId'`)} = ${idDigest(sql`booking.seller_id`, sql`booking.record ->> 'orderId'`)}
        and other.record ->> 'orderId' = booking.record ->> 'orderId'
    ) as ordered
    where booking.seller_id = ${seller} and booking.id = any(${textArray(ids)})`)

/** A placeholder for members that are set when a ticket is inserted. It keeps the members in the schema's order. */
const UNSET = ''

/** Yields a ticket per seat. A line item without a quantity is one seat. Yields nothing for invalid quantities or too many seats. */
function* generateTickets(booking: Booking): Generator<StoredTicket> {
  const { id: chargeId, sellerId, pageId, orderId, billing, customerEmail, currency, livemode, createdAt } = booking
  const quantities = booking.tickets.map(({ quantity = 1 }) => quantity)
  const seats = quantities.reduce((sum, quantity) => sum + quantity, 0)
  if (!quantities.every((quantity) => Number.isInteger(quantity) && quantity >= 0) || seats > MAX_SEATS) return
  for (const [index, { ticketTypeId, price, originalPrice, bookingFeeAmount }] of booking.tickets.entries()) {
    for (let seat = 0; seat < (quantities[index] ?? 0); seat += 1) {
      yield {
        id: UNSET,
        sellerId,
        chargeId,
        pageId,
        status: 'PAID',
        orderId,
        customerName: billing?.name,
        customerEmail,
        ticketTypeId,
        ticketShortId: UNSET,
        originalPrice: originalPrice ?? price,
        discountAmount: originalPrice !== undefined && price !== undefined ? originalPrice - price : undefined,
        feeAmount: bookingFeeAmount,
        revenue: price,
        currency,
        livemode,
        orderedAt: createdAt,
        createdAt: UNSET,
        updatedAt: UNSET,
      }
    }
  }
}

/**
 * Returns the tickets that a booking lacks: one for each seat beyond the number of its tickets, of types that have more seats than tickets.
 */
function missingTickets(booking: Booking, existingTypes: string[]): StoredTicket[] {
  const seats = [...generateTickets(booking)]
  const missing = Math.max(0, seats.length - existingTypes.length)
  for (const type of existingTypes) {
    const found = seats.findIndex(({ ticketTypeId }) => (ticketTypeId ?? '') === type)
    if (found !== -1) seats.splice(found, 1)
  }
  return seats.slice(0, missing)
}

/** Generates the tickets that bookings lack. */
async function insertMissingTickets({ rows }: Connection, seller: string, bookings: BookingState[]): Promise<void> {
  const missing = bookings.flatMap(({ record, tickets: existing }) =>
    record === null
      ? []
      : missingTickets(
          JSON.parse(record) as Booking,
          (existing ?? []).map(({ type }) => type ?? ''),
        ),
  )
  if (missing.length === 0) return
  // The time comes from the database's clock, because the tickets' times are compared with those of erasures.
  const [row] = await rows<{ now: string }>(sql`select ${instantText(sql`clock_timestamp()`)} as now`)
  const now = String(row?.now)
  for (let start = 0; start < missing.length; start += BATCH) {
    const batch = missing.slice(start, start + BATCH)
    const records = batch.map((ticket) => {
      const id = newObjectId(new Date(now))
      return JSON.stringify({ ...ticket, id, ticketShortId: id.slice(-8).toUpperCase(), createdAt: now, updatedAt: now })
    })
    const codes = batch.map(() => randomBytes(CODE_BYTES).toString('hex').toUpperCase())
    await rows(sql`
      insert into ${tickets} (seller_id, record, qr_code, made)
      select ${seller}, line.record::json, line.code, true
      from ${textTable({ record: records, code: codes })} as line`)
  }
}

/** Deletes generated tickets, except those that have been touched since they were read. */
async function deleteGenerated(connection: Connection, seller: string, ids: string[]): Promise<void> {
  const isReplaced = sql`seller_id = ${seller} and id = any(${textArray(ids)})`
  // Scans lock the ticket's row. A statement that starts with the rows already locked sees all of their scans.
  await connection.rows(sql`select from ${tickets} where ${isReplaced} order by id for update`)
  const deleted = await connection.rows<{ id: string; code: string; bookingId: string }>(sql`
    delete from ${tickets} as ticket where ${isReplaced} and not ${isTouched}
    returning id, qr_code as code, record ->> 'chargeId' as "bookingId"`)
  if (deleted.length > 0) await keepReplacedTickets(connection, seller, deleted)
}

/** A ticket to cancel, or to make valid again. `at` is the `updatedAt` of the booking that does so. */
type ValidityChange = { id: string; isCanceled: boolean; at: string }

/**
 * Cancels tickets, or makes them valid again. Both advance the tickets' `updatedAt`, but not in the record, because a generated ticket
 * would then count as edited. If the booking is older than the ticket's last change, `updatedAt` must not move back.
 */
const changeValidity = ({ rows }: Connection, seller: string, changes: ValidityChange[]) =>
  rows(sql`
    update ${tickets} set revoked_at = case when "isCanceled" then change.at end,
      reinstated_at = case when "isCanceled" then reinstated_at else greatest(reinstated_at, revoked_at, change.at) end
    from json_to_recordset(${JSON.stringify(changes)}::text::json) as change (id text, "isCanceled" boolean, at timestamptz)
    where seller_id = ${seller} and ${tickets.id} = change.id`)

/**
 * Synchronizes the tickets of bookings, in the transaction that wrote the bookings or the tickets. Idempotent.
 *
 * A valid booking without tickets gets one ticket per seat, and further ones if seats are added. Imported tickets replace generated ones
 * that meet none of the conditions in `isTouched`. If a booking is refunded or canceled, its tickets are canceled; if it is valid again,
 * they are restored. A ticket that belongs to all bookings with its order ID is valid as long as one of them is.
 *
 * @param ids the IDs of bookings; unknown ones are ignored
 */
export async function syncBookingTickets(connection: Connection, seller: string, ids: string[]): Promise<void> {
  const states = await readBookings(connection, seller, ids)
  const replaced: string[] = []
  const changes: ValidityChange[] = []
  for (const { status, updatedAt, tickets: existing, order } of states) {
    const own: BookingTimes = {
      validAt: VALID_STATUSES.includes(status) ? updatedAt : null,
      canceledAt: CANCELED_STATUSES.includes(status) ? updatedAt : null,
    }
    const hasImported = existing?.some(({ isGenerated }) => !isGenerated)
    for (const { id, isGenerated, isTouched, isRevoked, isOfOrder } of existing ?? []) {
      const { validAt, canceledAt } = isOfOrder ? order : own
      const at = validAt ?? canceledAt
      const isCanceled = validAt === null
      if (isGenerated && hasImported && !isTouched) replaced.push(id)
      else if (at !== null && isRevoked !== isCanceled) changes.push({ id, isCanceled, at })
    }
  }
  await insertMissingTickets(connection, seller, states)
  if (replaced.length > 0) await deleteGenerated(connection, seller, replaced)
  if (changes.length > 0) await changeValidity(connection, seller, changes)
}
